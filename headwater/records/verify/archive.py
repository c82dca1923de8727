"""The digests of an archive: existing and missing digests, and their proof."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from headwater.aws.items import GET_KEYS_MAX, chunks
from headwater.records.archive_state import ArchiveState, DigestRef
from headwater.records.digest import key_of
from headwater.records.signatures import signature_key_of
from headwater.records.verify.chain import ChainWalk, Claim, DayRange, Finding, Kind, compare_claim
from headwater.records.verify.objects import ObjectCheck
from headwater.records.verify.sealed_day import SealedDay
from headwater.records.verify.stores import Store
from headwater.settings import EVENTS_PREFIX
from headwater.times import day_of_key

if TYPE_CHECKING:
    # cryptography takes long to import.
    from headwater.records.verify.public_keys import PublicKeys

_DIGESTS = "digests/"
# The anchors of an archive, as they are printed.
GRAPH_TABLE, EXPECTED, PUBLIC_KEY = "graph table", "--expect", "--public-key"
# A signature has less than 400 bytes.
_SIGNATURE_BYTES_MAX = 16 * 1024


@dataclass(frozen=True, slots=True)
class TrustAnchors:
    """Knowledge about an archive from outside; each part is optional, and proves more.

    `sha256` is of the range's last digest, kept by the caller. With `keys`, digests must be signed. Events that arrived
    before the day `events_from` may have expired.
    """

    archive_state: ArchiveState | None = None
    sha256: str = ""
    keys: PublicKeys | None = None
    events_from: str = ""

    @property
    def anchors(self) -> tuple[str, ...]:
        """The names of the given parts; without any, an archive with all digests written anew looks valid."""
        known = ((GRAPH_TABLE, self.archive_state), (EXPECTED, self.sha256), (PUBLIC_KEY, self.keys))
        return tuple(name for name, given in known if given)


@dataclass(frozen=True, slots=True)
class DigestsRead:
    """The digests of a range: `sealed`, oldest first; `last` is the last sealed day, in the range or after it.

    `removed` are the keys of objects that these or later digests list as removed by order.
    """

    store: Store
    days: DayRange
    sealed: Sequence[SealedDay]
    last: str
    findings: Sequence[Finding]
    anchors: Sequence[str] = ()
    removed: Set[str] = frozenset()
    events_from: str = ""

    @property
    def end_is_known(self) -> bool:
        """True if days removed from the chain's end would be noticed: a signature proves no later days."""
        return GRAPH_TABLE in self.anchors or EXPECTED in self.anchors

    def check(self, jobs: int) -> ObjectCheck:
        """Build the check of the objects."""
        return ObjectCheck(self.store, self.days, self.sealed, self.last, jobs, self.removed, self.events_from)


@dataclass(frozen=True, slots=True)
class _Listing:
    """A listing of the digests' prefix: days and bytes of digests, days of signatures, findings on other keys."""

    days: Mapping[str, int]
    signed: Sequence[str]
    findings: Sequence[Finding]


def read_digests(
    store: Store, days: DayRange, known: TrustAnchors, read: Callable[[int, int], object] | None = None
) -> DigestsRead:
    """Read the digests of the days and, as the chain is followed from its end, of all later days.

    With `known.sha256` alone, the digest of the last day is the end: no later digest is read. `read(done, total)` is
    called after each digest: bytes so far, bytes of all digests.
    """
    # The end is read before the listing, so its digest exists when the digests are listed.
    end = known.archive_state.last() if known.archive_state else None
    listing = _list(store)
    present, findings = _select_sealed(list(listing.days), end, known.archive_state)
    if known.sha256 and not known.archive_state:
        present = [day for day in present if day <= (days.last or "9999")]
    walk = ChainWalk(store, days, Claim(end, "the graph table") if end else None)
    done, total = 0, sum(listing.days[day] for day in present)
    for day in walk.steps(present):
        done += listing.days[day]
        if read:
            read(done, total)
    sealed = walk.sealed[::-1]
    findings += [*listing.findings, *walk.findings, *_ends(sealed, known)]
    if known.events_from:
        findings.append(Finding("", EVENTS_PREFIX, Kind.NOTE, f"events may have expired before {known.events_from}"))
    # A digest is signed before the graph table names it.
    named = [sealed_day for sealed_day in sealed if end is None or sealed_day.day <= end.day]
    findings += _signatures(store, named, listing.signed, known.keys)
    findings.sort(key=lambda finding: (finding.day, finding.key))
    last = max(end.day if end else "", *present, "")
    return DigestsRead(store, days, sealed, last, findings, known.anchors, walk.removed, known.events_from)


def _list(store: Store) -> _Listing:
    days: dict[str, int] = {}
    signed, findings = [], []
    for listed in store.list_objects(_DIGESTS):
        day = day_of_key(listed.key)
        if day and listed.key == key_of(day):
            days[day] = listed.size_bytes
        elif day and listed.key == signature_key_of(day) and listed.size_bytes <= _SIGNATURE_BYTES_MAX:
            signed.append(day)
        else:
            findings.append(Finding(day, listed.key, Kind.ADDED, "it is neither a digest nor a signature"))
    orphans = sorted(set(signed) - days.keys())
    findings += [Finding(day, signature_key_of(day), Kind.ADDED, "there is no digest that it signs") for day in orphans]
    return _Listing(days, signed, findings)


def _select_sealed(
    present: Sequence[str], end: DigestRef | None, calendar: ArchiveState | None
) -> tuple[list[str], list[Finding]]:
    """Choose the days with digests of the chain; report digests after its end."""
    if calendar is None or not present:
        return list(present), []
    newer = [day for day in present if end is None or day > end.day]
    sealing = {day for batch in chunks(newer, GET_KEYS_MAX) for day in calendar.seals(batch)}
    findings = [
        Finding(day, key_of(day), Kind.NOTE, "the graph table does not name it as the last yet: is it being sealed?")
        if day in sealing
        else Finding(day, key_of(day), Kind.UNLINKED, "the graph table does not say that its day is sealed")
        for day in newer
    ]
    if end is None:
        message = "the graph table names no digest as the last"
        findings = [Finding(present[-1], key_of(present[-1]), Kind.UNLINKED, message)]
    return [day for day in present if day in sealing or day not in newer], findings


def _ends(sealed: Sequence[SealedDay], known: TrustAnchors) -> list[Finding]:
    """Compare the last digest of the range with the expected SHA-256; without any anchor, return a note."""
    if not sealed:
        return []
    last = sealed[-1]
    if known.sha256:
        return compare_claim(Claim(replace(last.link, sha256=known.sha256), "who asks"), last)
    if known.archive_state:
        return []
    message = f"nothing outside the archive vouches for the chain's end; this digest's sha256 is {last.link.sha256}"
    return [Finding(last.day, last.link.key, Kind.NOTE, message)]


def _signatures(
    store: Store, sealed: Sequence[SealedDay], signed: Sequence[str], keys: PublicKeys | None
) -> Iterator[Finding]:
    """Check the signatures: at least one, and all from the first on; a later signature proves the earlier days too."""
    if keys is None:
        unchecked = sum(sealed_day.day in signed for sealed_day in sealed)
        if unchecked:
            yield Finding(
                "", _DIGESTS, Kind.NOTE, f"signatures that were not checked, without a public key: {unchecked:,}"
            )
        return
    first = min(signed) if signed else max((sealed_day.day for sealed_day in sealed), default="")
    for digest in sealed:
        key = signature_key_of(digest.day)
        if digest.day in signed:
            fault = keys.fault_of(b"".join(map(bytes, store.chunks(key))), digest.link.sha256)
            if fault:
                yield Finding(digest.day, key, Kind.BAD_SIGNATURE, fault)
        elif digest.day >= first:
            yield Finding(digest.day, key, Kind.NOT_SIGNED, "the digest has no signature")
