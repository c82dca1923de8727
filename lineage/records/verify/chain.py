"""The digests among themselves, from the newest back: each is named by the next one, and the newest by someone else.

What names the newest is the chain's end: the calendar in the graph table, or a SHA-256 that someone kept. Without it,
nothing tells that days at the end were not cut off, or all digests from some day on written anew.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field

from lineage.records.archive_state import Link
from lineage.records.digest import Head, key_of
from lineage.records.pointers import ArchiveObject
from lineage.records.verify.findings import Finding, Kind
from lineage.records.verify.sealed_day import SealedDay, day_of_key, read_digest
from lineage.records.verify.stores import Store

# Bases that are looked for at a time: those of the days behind, in days not reached yet.
_BASES_MAX = 250_000


@dataclass(frozen=True, slots=True)
class Claim:
    """The findings about a digest; one that names the one before it says where its own events begin."""

    link: Link
    by: str
    head: Head | None = None


@dataclass(frozen=True, slots=True)
class Days:
    """A range of days, both included; empty: from the first one, or to the last."""

    first: str = ""
    last: str = ""

    def hold(self, day: str) -> bool:
        """Whether the day is one of them."""
        return self.first <= day <= (self.last or "9999")


@dataclass(slots=True)
class ChainWalk:
    """Walks the chain from its end to the first day of a range.

    `end` is what is said from outside of one of the last digests, if anyone said something. `sealed` are the range's
    digests that were read, newest first; `findings` come as they are found.
    """

    store: Store
    days: Days
    end: Claim | None
    sealed: list[SealedDay] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    _expected: Claim | None = None
    _begun_by: str = ""
    _bases: Bases = field(default_factory=lambda: Bases())

    def steps(self, present: Sequence[str]) -> Iterator[str]:
        """Read the digests of these days, which are sorted; each day, once it is read. It is over at the end alone."""
        for day in reversed(present):
            if day < self.days.first:
                break
            self._pass_to(day)
            self._visit(day)
            yield day
        self._before_the_first(present)
        known = {one.day for one in self.findings if one.kind in (Kind.REMOVED, Kind.BAD_DIGEST)}
        self.findings += self._bases.left(self.days.first, known)

    def _pass_to(self, day: str) -> None:
        """What was said of digests after this day, and did not come, is missing."""
        passed = {claim.link.day: claim for claim in (self.end, self._expected) if claim and claim.link.day > day}
        for claim in passed.values():
            self._find(claim.link, Kind.REMOVED, f"{claim.by} names it")
        self.end = None if self.end and self.end.link.day in passed else self.end
        self._expected = None if self._expected and self._expected.link.day in passed else self._expected

    def _visit(self, day: str) -> None:
        in_range = self.days.hold(day)
        sealed = read_digest(self.store, day, self._bases.taker(day) if in_range else None)
        if in_range:
            self.sealed.append(sealed)
        if sealed.fault:
            self._find(sealed.link, Kind.BAD_DIGEST, sealed.fault)
        if self.end and self.end.link.day == day:
            self.findings += compared(self.end, sealed)
            self.end = None
        if self._begun_by:
            self._find(sealed.link, Kind.UNLINKED, f"the digest of {self._begun_by} names none before it")
        elif self._expected and self._expected.link.day < day:
            claim = self._expected
            self._find(sealed.link, Kind.UNLINKED, f"{claim.by} names that of {claim.link.day} instead")
        else:
            self._follow(sealed)

    def _follow(self, sealed: SealedDay) -> None:
        """The digest is the next of the chain, if it is what was expected; it says what comes before it."""
        if self._expected:
            self.findings += compared(self._expected, sealed)
        self._expected = None
        if sealed.head and sealed.head.previous:
            self._expected = Claim(sealed.head.previous, f"the digest of {sealed.day}", sealed.head)
        elif sealed.head:
            self._begun_by = sealed.day
            self.findings += _unconnected(sealed.head, None)

    def _before_the_first(self, present: Sequence[str]) -> None:
        """What the first digests that were read name: one before the range, or one that is not there."""
        if self.end and self.end.link.day < self.days.first:
            self.end = None
        claim = self._expected
        if claim is None or claim.link.day >= self.days.first:
            self._pass_to("")
        elif claim.link.day in present:
            self.findings += compared(claim, read_digest(self.store, claim.link.day, None))
        else:
            self._find(claim.link, Kind.NOTE, f"it is not there, and before the range; {claim.by} names it")

    def _find(self, link: Link, kind: Kind, told: str) -> None:
        self.findings.append(Finding(link.day, link.key, kind, told))


def compared(claim: Claim, sealed: SealedDay) -> list[Finding]:
    """What is wrong if the digest is not the one that is claimed."""
    if sealed.link.sha256 == claim.link.sha256:
        return _unconnected(claim.head, sealed.head) if claim.head and sealed.head else []
    told = f"sha256 is {sealed.link.sha256}, {claim.by} says {claim.link.sha256}"
    return [Finding(sealed.day, sealed.link.key, Kind.CHANGED, told)]


def _unconnected(head: Head, before: Head | None) -> list[Finding]:
    """Find days of arrival that do not begin where those of the digest before end."""
    ends, begins = (before.events.to if before and before.events else ""), (head.events.after if head.events else "")
    if begins == ends:
        return []
    told = f"its events begin after {begins or 'none'}, those of the digest before end with {ends or 'none'}"
    return [Finding(head.day, key_of(head.day), Kind.BAD_DIGEST, told)]


@dataclass(slots=True)
class Bases:
    """Looks for the objects that later days name as their bases, going back: each must be listed on its own day."""

    _wanted: dict[str, str] = field(default_factory=dict)
    _left_out: int = 0

    def taker(self, day: str) -> Callable[[ArchiveObject], None]:
        """What takes the objects of a day."""

        def take(one: ArchiveObject) -> None:
            self._wanted.pop(one.key, None)
            if one.base is None or one.base in self._wanted:
                return
            if len(self._wanted) < _BASES_MAX:
                self._wanted[one.base] = day
            else:
                self._left_out += 1

        return take

    def left(self, first: str, known: Collection[str]) -> list[Finding]:
        """The bases from this day on that no digest lists; of the days of `known` it is no wonder."""
        told = "it names {} as a base, which the digest of that day does not list"
        wanted = [(base, by) for base, by in self._wanted.items() if first <= (day_of_key(base) or "") not in known]
        found = [Finding(by, key_of(by), Kind.BAD_DIGEST, told.format(base)) for base, by in wanted]
        if self._left_out:
            found.append(Finding("", "digests/", Kind.NOTE, f"bases that were not looked for: {self._left_out:,}"))
        return found
