"""`headwater verify`: the comparison of the archive with its seals.

It prints a line for each finding, and at the end the counts of equal objects.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.cli.deployment import Deployment, add_options, find_deployment
from headwater.cli.options import add_command, add_days, whole_number

if TYPE_CHECKING:
    from rich.progress import Progress

    from headwater.records.verify.archive import DigestsRead, TrustAnchors
    from headwater.records.verify.chain import Finding
    from headwater.records.verify.public_keys import PublicKeys
    from headwater.records.verify.stores import Bucket, Store

_JOBS_MAX = 8
_ABOUT = """\
Read the archive again and compare it with what was sealed: each object with its day's digest, each digest with the one
after it, the last digest with the graph table, signatures with their keys. The command prints every object that was
changed, removed or added, or that no digest covers. docs/verify.md describes what each check proves.
Exit code: 0 no fault, 1 a fault (with --require-anchor also: nothing outside the archive vouches for it), 2 the archive
could not be verified.
"""
_EXAMPLES = """\
examples:
  %(prog)s                                          all sealed days of the stack of stage prod
  %(prog)s --from 2026-11-01 --to 2026-11-30 --stage test
  %(prog)s --local http://127.0.0.1:4566            of the stack of `serve`
  aws s3 sync s3://BUCKET copy && %(prog)s --archive copy --require-anchor --public-key key.pem --expect SHA256
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    summary = "compare the archive with what was sealed"
    parser = add_command(subparsers, "verify", summary, _ABOUT, _EXAMPLES, run=run_verify, failed=2)
    add_options(parser)
    parser.add_argument("--archive", type=Path, metavar="FOLDER", help="a copy of the bucket, instead of a stack")
    add_days(parser, "day")
    parser.add_argument(
        "--expect", type=_sha256, metavar="SHA256", help="of the last digest, from an earlier verification"
    )
    parser.add_argument(
        "--public-key",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="PEM or DER of a key that signed digests; may be repeated",
    )
    parser.add_argument(
        "--require-anchor",
        action="store_true",
        help="exit 1 if nothing outside the archive vouches for it: no stack, no --expect, no --public-key",
    )
    about = "days after which events expire (default: of the stack); older events may be missing"
    parser.add_argument("--events-days", type=whole_number(1), metavar="N", help=about)
    parser.add_argument("--jobs", type=whole_number(1), metavar="N", help="objects to read at a time")
    parser.add_argument("--json", action="store_true", help="print findings and counts as lines of JSON")


def run_verify(given: argparse.Namespace) -> int:
    """Verify an archive and return the exit code."""
    report = Report(as_json=given.json, needs_anchor=given.require_anchor)
    _verify(_subject(given), given, report)
    return report.exit_code


@dataclass(frozen=True)
class Subject:
    """The archive to verify: its store, its trust anchors, and the number of objects to read at a time."""

    store: Store
    known: TrustAnchors
    jobs: int


def _subject(given: argparse.Namespace) -> Subject:
    from headwater.records.verify.archive import TrustAnchors
    from headwater.records.verify.stores import Folder
    from headwater_model.errors import Invalid

    cores = os.cpu_count() or 1
    expected = given.expect or ""
    if given.archive and given.local:
        raise Invalid.because("--local", given.local, "cannot be given together with --archive")
    if given.archive:
        folder = given.archive.resolve(strict=True)
        keys = _keys(given.public_key)
        known = TrustAnchors(None, expected, keys, _events_from(given.events_days))
        return Subject(Folder(folder), known, given.jobs or min(_JOBS_MAX, cores))
    deployment, days = find_deployment(given), given.events_days
    return stack_subject(deployment, expected=expected, key_files=given.public_key, jobs=given.jobs, events_days=days)


def stack_subject(
    deployment: Deployment,
    *,
    expected: str = "",
    key_files: Sequence[Path] = (),
    jobs: int | None = None,
    events_days: int | None = None,
) -> Subject:
    """Open the archive of a stack; anchors are its graph table, its signing key, and `expected="<sha256>"` if given."""
    from headwater.records.archive_state import ArchiveState
    from headwater.records.verify.archive import TrustAnchors

    jobs = jobs or min(_JOBS_MAX, (os.cpu_count() or 1) * 2)
    bucket = _bucket(deployment, jobs)
    state = ArchiveState(deployment.client("dynamodb"), deployment.outputs["GraphTableName"])
    events_from = _events_from(events_days or int(deployment.outputs.get("EventsKeptDays", 0)))
    known = TrustAnchors(state, expected, _keys(key_files, deployment), events_from)
    return Subject(bucket, known, jobs)


def _events_from(days: int | None) -> str:
    """Name the first day of arrival with all events; empty where events stay."""
    return f"{datetime.now(timezone.utc) - timedelta(days=days):%Y-%m-%d}" if days else ""


def _bucket(deployment: Deployment, jobs: int) -> Bucket:
    import boto3

    from headwater.records.verify.stores import Bucket

    settings = deployment.settings_with(
        retries={"mode": "standard", "max_attempts": 10},
        max_pool_connections=jobs + 2,
        # boto3 would hash every body a second time.
        response_checksum_validation="when_required",
    )
    return Bucket(boto3.client("s3", **settings), deployment.outputs["ArchiveBucketName"])


def _keys(files: Sequence[Path], deployment: Deployment | None = None) -> PublicKeys | None:
    """Collect the trusted keys: of the stack, and of the options."""
    arn = deployment.outputs.get("SigningKeyArn") if deployment else None
    if not arn and not files:
        return None
    from headwater.records.verify.public_keys import PublicKeys, parse_public_key

    keys = [parse_public_key(str(path), path.read_bytes()) for path in files]
    if deployment and arn:
        import boto3

        response = boto3.client("kms", **deployment.settings).get_public_key(KeyId=arn)
        keys.append(parse_public_key(arn, response["PublicKey"]))
    return PublicKeys(keys)


def _verify(subject: Subject, given: argparse.Namespace, report: Report) -> None:
    """Verify and print findings."""
    from headwater.records.verify.archive import read_digests
    from headwater.records.verify.chain import DayRange

    days = DayRange(given.first or "", given.last or "")
    with _progress() as progress:
        task = progress.add_task("digests", total=None)
        digests = read_digests(
            subject.store, days, subject.known, lambda done, of: progress.update(task, completed=done, total=of)
        )
        for finding in digests.findings:
            report.find(finding)
        report.end(subject.store.name, digests, *_compare_objects(digests, report, progress, subject.jobs))


def _compare_objects(digests: DigestsRead, report: Report, progress: Progress, jobs: int) -> tuple[int, int]:
    """Compare the objects, print findings, and count the objects of the digests and their bytes."""
    counts = [sealed_day.counts for sealed_day in digests.sealed if sealed_day.counts and not sealed_day.fault]
    total = sum(day_counts.size_bytes + day_counts.event_bytes for day_counts in counts)
    task, objects, size_bytes = progress.add_task("objects", total=total), 0, 0
    for outcome in digests.check(jobs).outcomes():
        if outcome.finding:
            report.find(outcome.finding)
        objects, size_bytes = objects + (outcome.size_bytes > 0), size_bytes + outcome.size_bytes
        progress.advance(task, outcome.size_bytes)
    return objects, size_bytes


def _progress() -> Progress:
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    from headwater.cli.text.terminal import progress_console

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    # Findings go to standard output: through the progress bar only if both are on the terminal.
    shared = sys.stdout.isatty()
    console, left = progress_console(), TimeRemainingColumn()
    return Progress(*columns, left, console=console, redirect_stdout=shared, disable=not console.is_terminal)


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
            day, key = finding.day or "-" * 10, escape(finding.key)
            print(f"{day}  {key}  {finding.kind.value}: {escape(finding.message)}")

    def end(self, name: str, read: DigestsRead, objects: int, size_bytes: int) -> None:
        """Print the counts: `objects` and their bytes, by the digests."""
        self._digests, self._anchored = len(read.sealed), bool(read.anchors)
        bad = {finding.day for finding in read.findings if finding.fault}
        good = sum(sealed_day.day not in bad for sealed_day in read.sealed)
        if self.as_json:
            counts = {"digests": self._digests, "digests_valid": good, "objects": objects, "size_bytes": size_bytes}
            proof = {"anchors": list(read.anchors), "faults": dict(sorted(self._faults.items()))}
            print(json.dumps({"archive": name, **counts, **proof}))
            return
        if not read.sealed:
            print(f"{escape(name)}: no digest was verified")
            return
        first, last = read.sealed[0], read.sealed[-1]
        print(f"{escape(name)}, {first.day} to {last.day}: the last digest's sha256 is {last.link.sha256}")
        print(f"{good:,} of {self._digests:,} digests are valid")
        print(f"{objects:,} objects ({size_bytes:,} bytes) were compared with them")
        faults = ", ".join(f"{count:,} {kind}" for kind, count in sorted(self._faults.items()))
        print(f"found: {faults}" if faults else _verdict(read))


def _verdict(read: DigestsRead) -> str:
    """Explain the proof of an archive without faults, by the anchors of its digests."""
    if read.end_is_known:
        return "all of it is as it was sealed"
    if read.anchors:
        return "all that is there is as it was sealed and signed; days removed from the end would not be seen"
    return "all that is there agrees with its own digests; nothing outside the archive vouches for them"


def escape(text: str) -> str:
    r"""Return the text with escapes for unprintable characters: a key may hold any.

    >>> escape("traces/a\x1b[2Jb")
    'traces/a\\x1b[2Jb'
    """
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in text
    )


def _sha256(text: str) -> str:
    if not re.fullmatch("[0-9a-f]{64}", text):
        raise argparse.ArgumentTypeError(f"must be 64 digits of 0 to 9 and a to f, got {text!r}")
    return text
