"""The progress of a verification, in two files, to continue it after an interruption.

<name>.json             the last compared key of each part, and the digests of the comparison
<name>.findings.jsonl   the findings so far, in the order of their keys
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from headwater.records.verify.chain import DayRange, Finding, Kind
from headwater.records.verify.objects import Outcome, events_part, traces_part
from headwater.records.verify.sealed_day import SealedDay

VERSION = 2


@dataclass(slots=True)
class DayDone:
    """The compared part of a day: the digest, and the number and bytes of its compared objects."""

    sha256: str
    objects: int = 0
    size_bytes: int = 0


class VerifyState:
    """The progress of a verification: `started_at`, and in `after` the last compared key of each part."""

    def __init__(self, path: Path, started_at: str, sealed: Sequence[SealedDay]) -> None:
        self._path, self._found_path = path, path.with_suffix(".findings.jsonl")
        self.started_at = started_at
        self.after: dict[str, str] = {}
        self.days = {sealed_day.day: DayDone(sealed_day.link.sha256) for sealed_day in sealed}
        self._ends = _ends(sealed)
        path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError, ValueError, KeyError, TypeError, AttributeError):
            self._resume(json.loads(path.read_text(encoding="utf-8")), sealed)
        self._keep_findings()
        self._found: IO[bytes] = open(self._found_path, "ab")  # noqa: SIM115 - `close` closes it

    def _resume(self, document: dict[str, Any], sealed: Sequence[SealedDay]) -> None:
        """Take over the progress up to the first day with a changed digest."""
        if document["version"] != VERSION:
            return
        before = {day: DayDone(**done) for day, done in document["days"].items()}
        changed = [day for day in {*before, *self.days} if _sha256(before, day) != _sha256(self.days, day)]
        first = min(changed, default="")
        # Objects of earlier digests stay compared.
        ends = _ends([sealed_day for sealed_day in sealed if sealed_day.day < first]) if first else document["after"]
        self.after = {part: min(key, ends.get(part, "")) for part, key in document["after"].items()}
        self.days.update({day: done for day, done in before.items() if not first or day < first})
        self.started_at = document["started_at"]

    @property
    def objects(self) -> int:
        """The number of compared objects."""
        return sum(day.objects for day in self.days.values())

    @property
    def size_bytes(self) -> int:
        """The bytes of the compared objects, as the digests list them."""
        return sum(day.size_bytes for day in self.days.values())

    def findings(self) -> Iterator[Finding]:
        """Yield the findings so far."""
        with open(self._found_path, "rb") as file:
            for line in file:
                document = json.loads(line)
                yield Finding(document["day"], document["key"], Kind(document["kind"]), document["message"])

    def add(self, outcome: Outcome) -> None:
        """Add the outcome of an object; objects after the last sealed day are compared again."""
        part = _part_of(outcome.key)
        if outcome.key > self._ends.get(part, ""):
            return
        day = self.days.get(outcome.day)
        if day and outcome.size_bytes:
            day.objects += 1
            day.size_bytes += outcome.size_bytes
        if outcome.finding:
            self._found.write(json.dumps(asdict(outcome.finding)).encode() + b"\n")
        self.after[part] = outcome.key

    def save(self) -> None:
        """Write the progress, the findings first."""
        self._found.flush()
        days = {day: asdict(done) for day, done in self.days.items()}
        document = {"version": VERSION, "started_at": self.started_at, "after": self.after, "days": days}
        new = self._path.with_suffix(".new")
        new.write_text(json.dumps(document), encoding="utf-8")
        os.replace(new, self._path)

    def close(self) -> None:
        """Close the file of findings."""
        self._found.close()

    def forget(self) -> None:
        """Remove the files at the end of the verification."""
        self.close()
        self._path.unlink(missing_ok=True)
        self._found_path.unlink(missing_ok=True)

    def _keep_findings(self) -> None:
        """Keep only the findings up to `after`: later findings come again."""
        new = self._found_path.with_suffix(".new")
        with open(self._found_path, "a+b") as file, open(new, "wb") as stored:
            file.seek(0)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                key = json.loads(line)["key"]
                if key <= self.after.get(_part_of(key), ""):
                    stored.write(line)
        os.replace(new, self._found_path)


def _ends(sealed: Sequence[SealedDay]) -> dict[str, str]:
    """Build, by part, a key after all keys of these digests; they begin with the oldest of a range."""
    if not sealed:
        return {}
    parts = (make(DayRange(), sealed, sealed[-1].day) for make in (events_part, traces_part))
    return {part.prefix: max(part.end_of(sealed_day) for sealed_day in sealed) for part in parts}


def _part_of(key: str) -> str:
    return f"{key.partition('/')[0]}/"


def _sha256(days: dict[str, DayDone], day: str) -> str:
    return days[day].sha256 if day in days else ""
