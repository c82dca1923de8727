"""The chain of digests, from the newest back: each digest is named by the next, the newest by an anchor.

The anchor is the archive's state in the graph table, or a SHA-256 kept by the caller. Without it, nobody notices days
cut off at the end, or digests written anew from some day on. A walk of the chain ends with its findings.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum

from headwater.records.archive_state import DigestRef
from headwater.records.digest import Head, key_of
from headwater.records.pointers import ArchiveObject
from headwater.records.verify.sealed_day import SealedDay, read_digest
from headwater.records.verify.stores import Store
from headwater.times import day_of_key

# Bases of unvisited days to search for at a time.
_BASES_MAX = 250_000


class Kind(str, Enum):
    """The kind of a fault in an object or a digest; a `NOTE` is about an unchecked part."""

    CHANGED = "CHANGED"
    REMOVED = "REMOVED"
    ADDED = "ADDED"
    NOT_COVERED = "NOT COVERED"
    UNREADABLE = "UNREADABLE"
    BAD_DIGEST = "BAD DIGEST"
    UNLINKED = "UNLINKED"
    NOT_SIGNED = "NOT SIGNED"
    BAD_SIGNATURE = "BAD SIGNATURE"
    NOTE = "NOTE"


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding: its day (empty: none), the key, and a message."""

    day: str
    key: str
    kind: Kind
    message: str

    @property
    def fault(self) -> bool:
        """True if the finding is a fault."""
        return self.kind is not Kind.NOTE


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement about a digest, and its source; `head` is of the later digest, if it names this digest."""

    link: DigestRef
    by: str
    head: Head | None = None


@dataclass(frozen=True, slots=True)
class DayRange:
    """A range of days, both included; an empty end is unbounded."""

    first: str = ""
    last: str = ""

    def hold(self, day: str) -> bool:
        """True if the day is in the range."""
        return self.first <= day <= (self.last or "9999")


@dataclass(slots=True)
class ChainWalk:
    """A walk of the chain from its end to the first day of a range.

    `end` is the anchor's claim about a digest at the end, if there is an anchor. `sealed` are the read digests of the
    range, newest first; `findings` are in the order of the walk. `removed` are the keys of objects removed by order, as
    digests say.
    """

    store: Store
    days: DayRange
    end: Claim | None
    sealed: list[SealedDay] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    removed: set[str] = field(default_factory=set)
    _expected: Claim | None = None
    _begun_by: str = ""
    _bases: Bases = field(default_factory=lambda: Bases())

    def steps(self, present: Sequence[str]) -> Iterator[str]:
        """Read the digests of these sorted days, and yield each read day; the last step completes the walk."""
        for day in reversed(present):
            if day < self.days.first:
                break
            self._pass_to(day)
            self._visit(day)
            yield day
        self._before_the_first(present)
        known = {finding.day for finding in self.findings if finding.kind in (Kind.REMOVED, Kind.BAD_DIGEST)}
        self.findings += self._bases.left(self.days.first, known)

    def _pass_to(self, day: str) -> None:
        """Report claimed digests after this day: they are missing."""
        passed = {claim.link.day: claim for claim in (self.end, self._expected) if claim and claim.link.day > day}
        for claim in passed.values():
            self._find(claim.link, Kind.REMOVED, f"{claim.by} names it")
        self.end = None if self.end and self.end.link.day in passed else self.end
        self._expected = None if self._expected and self._expected.link.day in passed else self._expected

    def _visit(self, day: str) -> None:
        in_range = self.days.hold(day)
        sealed = read_digest(self.store, day, self._bases.visitor(day) if in_range else None)
        if in_range:
            self.sealed.append(sealed)
        if sealed.fault:
            self._find(sealed.link, Kind.BAD_DIGEST, sealed.fault)
        elif sealed.removed:
            self.removed |= {removal.key for removal in sealed.removed}
            self._find(sealed.link, Kind.NOTE, f"it lists objects that were removed by order: {len(sealed.removed):,}")
        if self.end and self.end.link.day == day:
            self.findings += compare_claim(self.end, sealed)
            self.end = None
        if self._begun_by:
            self._find(sealed.link, Kind.UNLINKED, f"the digest of {self._begun_by} names none before it")
        elif self._expected and self._expected.link.day < day:
            claim = self._expected
            self._find(sealed.link, Kind.UNLINKED, f"{claim.by} names that of {claim.link.day} instead")
        else:
            self._follow(sealed)

    def _follow(self, sealed: SealedDay) -> None:
        """Compare the digest with the claim of the later digest, and keep its own claim about the digest before it."""
        if self._expected:
            self.findings += compare_claim(self._expected, sealed)
        self._expected = None
        if sealed.head and sealed.head.previous:
            self._expected = Claim(sealed.head.previous, f"the digest of {sealed.day}", sealed.head)
        elif sealed.head:
            self._begun_by = sealed.day
            self.findings += _compare_arrival(sealed.head, None)

    def _before_the_first(self, present: Sequence[str]) -> None:
        """Check the claim of the first digest: about a digest before the range, or a missing digest."""
        if self.end and self.end.link.day < self.days.first:
            self.end = None
        claim = self._expected
        if claim is None or claim.link.day >= self.days.first:
            self._pass_to("")
        elif claim.link.day in present:
            self.findings += compare_claim(claim, read_digest(self.store, claim.link.day, None))
        else:
            self._find(claim.link, Kind.NOTE, f"it is not there, and before the range; {claim.by} names it")

    def _find(self, link: DigestRef, kind: Kind, message: str) -> None:
        self.findings.append(Finding(link.day, link.key, kind, message))


def compare_claim(claim: Claim, sealed: SealedDay) -> list[Finding]:
    """Compare the digest with the claim: an empty list, or findings."""
    if sealed.link.sha256 == claim.link.sha256:
        return _compare_arrival(claim.head, sealed.head) if claim.head and sealed.head else []
    message = f"sha256 is {sealed.link.sha256}, {claim.by} says {claim.link.sha256}"
    return [Finding(sealed.day, sealed.link.key, Kind.CHANGED, message)]


def _compare_arrival(head: Head, before: Head | None) -> list[Finding]:
    """Compare the first day of arrival with the end of the previous digest's: an empty list, or a finding."""
    ends, begins = (before.events.to if before and before.events else ""), (head.events.after if head.events else "")
    if begins == ends:
        return []
    message = f"its events begin after {begins or 'none'}, those of the digest before end with {ends or 'none'}"
    return [Finding(head.day, key_of(head.day), Kind.BAD_DIGEST, message)]


@dataclass(slots=True)
class Bases:
    """A search for bases: a base must be listed on its own day."""

    _wanted: dict[str, str] = field(default_factory=dict)
    _left_out: int = 0

    def visitor(self, day: str) -> Callable[[ArchiveObject], None]:
        """Build a visitor of the objects of a day."""

        def visit(trace_object: ArchiveObject) -> None:
            self._wanted.pop(trace_object.key, None)
            if trace_object.base is None or trace_object.base in self._wanted:
                return
            if len(self._wanted) < _BASES_MAX:
                self._wanted[trace_object.base] = day
            else:
                self._left_out += 1

        return visit

    def left(self, first: str, known: Collection[str]) -> list[Finding]:
        """Report the unlisted bases from this day on, but for the days in `known`, which have findings."""
        message = "it names {} as a base, which the digest of that day does not list"
        unlisted = [(base, by) for base, by in self._wanted.items() if first <= day_of_key(base) not in known]
        findings = [Finding(by, key_of(by), Kind.BAD_DIGEST, message.format(base)) for base, by in unlisted]
        if self._left_out:
            findings.append(Finding("", "digests/", Kind.NOTE, f"bases that were not looked for: {self._left_out:,}"))
        return findings
