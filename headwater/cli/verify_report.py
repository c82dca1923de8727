"""The output of `headwater verify`: a line for each finding, and at the end the counts of what agrees."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, field

from headwater.records.verify.archive import DigestsRead
from headwater.records.verify.findings import Finding


@dataclass
class Report:
    """A printer that counts findings and prints them as they come, as text or as lines of JSON."""

    as_json: bool = False
    needs_anchor: bool = False
    _faults: Counter[str] = field(default_factory=Counter)
    _digests: int = 0
    _anchored: bool = False

    @property
    def exit_code(self) -> int:
        """0 without faults, 1 with faults or without a required anchor, 2 if no digest was verified."""
        if self._faults:
            return 1
        if not self._digests:
            return 2
        return 1 if self.needs_anchor and not self._anchored else 0

    def find(self, finding: Finding) -> None:
        """Print a finding."""
        if finding.fault:
            self._faults[finding.kind.value] += 1
        if self.as_json:
            print(json.dumps({**asdict(finding), "kind": finding.kind.value, "fault": finding.fault}))
        else:
            day, key = finding.day or "-" * 10, printable(finding.key)
            print(f"{day}  {key}  {finding.kind.value}: {printable(finding.message)}")

    def end(self, name: str, read: DigestsRead, objects: int, size_bytes: int) -> None:
        """Print the counts: `objects` and their bytes are those that the digests list."""
        self._digests, self._anchored = len(read.sealed), bool(read.anchors)
        bad = {finding.day for finding in read.findings if finding.fault}
        good = sum(sealed_day.day not in bad for sealed_day in read.sealed)
        if self.as_json:
            counts = {"digests": self._digests, "digests_valid": good, "objects": objects, "size_bytes": size_bytes}
            proof = {"anchors": list(read.anchors), "faults": dict(sorted(self._faults.items()))}
            print(json.dumps({"archive": name, **counts, **proof}))
            return
        if not read.sealed:
            print(f"{printable(name)}: no digest was verified")
            return
        first, last = read.sealed[0], read.sealed[-1]
        print(f"{printable(name)}, {first.day} to {last.day}: the last digest's sha256 is {last.link.sha256}")
        print(f"{good:,} of {self._digests:,} digests are valid")
        print(f"{objects:,} objects ({size_bytes:,} bytes) were compared with them")
        faults = ", ".join(f"{count:,} {kind}" for kind, count in sorted(self._faults.items()))
        print(f"found: {faults}" if faults else _verdict(read))


def _verdict(read: DigestsRead) -> str:
    """Return what an archive without faults proves, which depends on what vouches for its digests."""
    if read.end_is_known:
        return "all of it is as it was sealed"
    if read.anchors:
        return "all that is there is as it was sealed and signed; days removed from the end would not be seen"
    return "all that is there agrees with its own digests; nothing outside the archive vouches for them"


def printable(text: str) -> str:
    r"""Return the text with escapes for unprintable characters: a key may hold any.

    >>> printable("traces/a\x1b[2Jb")
    'traces/a\\x1b[2Jb'
    """
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in text
    )
