"""The run of `headwater demo --days-of-compaction`: days of the pipeline, a compaction each night, then the archive.

After the last night the clock skips a further day, for TTL to remove every record from the table. The demo then finds a
record in the archive, verifies the archive, and detects tampering.
"""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import boto3
from rich.console import Console
from rich.table import Table

from examples.emissions.landing import land_flights
from examples.emissions.session import FOLDER
from headwater.cli.demo.records import count_loaded
from headwater.cli.demo.stages import open_console, prepare, run_pipeline, start_stack
from headwater.cli.program import program
from headwater.cli.service import NoResponse, fetch_json
from headwater.cli.text.progress import Progress
from headwater.cli.text.terminal import print_part
from headwater.records.archive import prefix_of
from headwater.times import day_of, shift
from headwater_model.archive_tables import PUBLISHED_PREFIX, Manifest, parse_manifest
from local_stack.stack import LocalStack

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from pyspark.sql import SparkSession

_HOUR = 3600
_MORNING_S = 9 * _HOUR
_HALF_PAST_MIDNIGHT_S = _HOUR // 2


@dataclass(frozen=True)
class Night:
    """A day and the night after it: the records sent, the compaction's output, the records removed by TTL."""

    day: str
    sent: int
    undelivered: int
    compacted: Mapping[str, Any]
    expired: int


@dataclass(frozen=True)
class Proof:
    """The exit codes of `headwater verify`: of the archive, tampered, and restored."""

    whole: int
    tampered: int
    mended: int

    @property
    def holds(self) -> bool:
        """True if verification passed, failed on the tampered archive, and passed again."""
        return (self.whole, self.tampered, self.mended) == (0, 1, 0)


def demonstrate_nights(nights: int) -> bool:
    """Run the demo over days and nights; True if no record is lost, and expired records and tampering are found."""
    started, console = monotonic(), open_console()
    shutil.rmtree(FOLDER, ignore_errors=True)
    with ExitStack() as on_exit:
        with Progress(console) as progress:
            template, spark = prepare(progress)
            on_exit.callback(spark.stop)
            stack = start_stack(progress, template, on_exit)
            nights_run = list(_live(progress, spark, stack, land_flights(FOLDER / "landing", nights)))
            with progress.stage("A day later: TTL removes what is left in the table"):
                stack.advance(24 * _HOUR)
                stack.sweep_ttl()
                left = count_loaded(stack).total()
            stack.drain()
            manifests = _manifests(stack)
        _print_nights(console, nights_run, manifests, left)
        finds_expired = _find_expired(console, stack, nights_run[0])
        proof = _prove(console, stack, nights_run[0].day)
        console.print(f"\nDone in {monotonic() - started:.0f} s.")
    # Every sent record must be in a published day.
    archived = sum(manifest.records.rows for manifest in manifests.values())
    nothing_lost = archived == sum(night.sent for night in nights_run) and not sum(
        night.undelivered for night in nights_run
    )
    return nothing_lost and not left and finds_expired and proof.holds


def _live(progress: Progress, spark: SparkSession, stack: LocalStack, deliveries: Sequence[Path]) -> Iterator[Night]:
    """Yield each day: run the pipeline, compact at half past midnight, and skip to the next morning."""
    for number, delivery in enumerate(deliveries, 1):
        day, folder = day_of(int(stack.now)), FOLDER / f"day-{number}"
        (folder / "landing").mkdir(parents=True)
        counts_of_run = run_pipeline(
            progress, spark, stack, delivery.rename(folder / "landing" / delivery.name).parent, folder
        )
        _wait_until(stack, shift(day, 1), _HALF_PAST_MIDNIGHT_S)
        with progress.stage(f"The night after {day}: trace, seal, compact on Spark") as report:
            compacted = stack.run_state_machine({}, progress=report)
        _wait_until(stack, shift(day, 1), _MORNING_S)
        yield Night(day, counts_of_run.counts.records, counts_of_run.undelivered, compacted, stack.sweep_ttl())


def _wait_until(stack: LocalStack, day: str, of_day_s: int) -> None:
    midnight = datetime.fromisoformat(day).replace(tzinfo=timezone.utc).timestamp()
    stack.advance(midnight + of_day_s - stack.now)


def _manifests(stack: LocalStack) -> dict[str, Manifest]:
    s3, bucket = _archive(stack)
    listed = s3.list_objects_v2(Bucket=bucket, Prefix=PUBLISHED_PREFIX).get("Contents", [])
    bodies = (s3.get_object(Bucket=bucket, Key=item["Key"])["Body"].read() for item in listed)
    return {manifest.day: manifest for manifest in map(parse_manifest, bodies)}


def _archive(stack: LocalStack) -> tuple[S3Client, str]:
    return boto3.client("s3", **stack.client_settings), stack.outputs["ArchiveBucketName"]


def _print_nights(console: Console, nights: Sequence[Night], manifests: Mapping[str, Manifest], left: int) -> None:
    table = Table(title="\nDays and their nights", title_justify="left", title_style="bold underline")
    for name in ("day", "records sent", "trace lines", "archive objects", "rows in Parquet", "expired by morning"):
        table.add_column(name, justify="left" if name == "day" else "right")
    for night in nights:
        rows = manifests[night.day].records.rows if night.day in manifests else 0
        counts = (night.sent, night.compacted["lines"], night.compacted["objects"], rows, night.expired)
        table.add_row(night.day, *(f"{count:,}" for count in counts))
    print_part(console, table)
    console.print(f"A day later the table holds {left:,} records: TTL has taken them all.")


def _find_expired(console: Console, stack: LocalStack, night: Night) -> bool:
    """Look up an expired record in the table, then search table and archive; return True if the search finds it."""
    node = _an_estimate(stack, night.day)
    path = f"/api/v1/records/nodes/{quote(node, safe='')}"
    console.print("\n[bold underline]A record that has expired from the table[/]")
    console.print(f"$ curl {stack.api_url}{path}", highlight=False, soft_wrap=True)
    try:
        fetch_json(stack.api_url, path, {})
        return False
    except NoResponse as missing:
        console.print(str(missing), highlight=False, soft_wrap=True)
    _run(console, ["search", "--node", node, "--url", stack.api_url])
    return _find_archive_days(stack, node) == [night.day]


def _find_archive_days(stack: LocalStack, node: str) -> list[str | None]:
    """Find the day of each archived record of a node id."""
    days: list[str | None] = []
    cursor: dict[str, object] = {}
    while True:
        page = fetch_json(stack.api_url, "/api/v1/records/search", {"node": node, **cursor})
        days += [record["archivedOn"] for record in page["records"]]
        if page["cursor"] is None:
            return days
        cursor = {"cursor": page["cursor"]}


def _an_estimate(stack: LocalStack, day: str) -> str:
    """Find the first estimated flight in the archive of the day."""
    s3, bucket = _archive(stack)
    body = s3.get_object(Bucket=bucket, Key=_an_object(s3, bucket, day))["Body"].read()
    traces = map(json.loads, gzip.decompress(body).splitlines())
    return next(str(trace["record_id"]) for trace in traces if trace["lineage"][-2]["action_taken"] == "ESTIMATED")


def _an_object(s3: S3Client, bucket: str, day: str) -> str:
    return s3.list_objects_v2(Bucket=bucket, Prefix=prefix_of(day), MaxKeys=1)["Contents"][0]["Key"]


def _prove(console: Console, stack: LocalStack, day: str) -> Proof:
    """Verify the archive, then with a flipped bit, then with the bit restored."""
    s3, bucket = _archive(stack)
    key = _an_object(s3, bucket, day)
    whole = _verify(console, stack, "The archive is verified")
    body = s3.get_object(Bucket=bucket, Key=key)["Body"].read()
    middle = len(body) // 2
    s3.put_object(Bucket=bucket, Key=key, Body=body[:middle] + bytes([body[middle] ^ 1]) + body[middle + 1 :])
    tampered = _verify(console, stack, f"One bit of {len(body):,} bytes is flipped")
    s3.put_object(Bucket=bucket, Key=key, Body=body)
    return Proof(whole, tampered, _verify(console, stack, "The object is put back as it was"))


def _verify(console: Console, stack: LocalStack, title: str) -> int:
    console.print(f"\n[bold underline]{title}[/]")
    return _run(console, ["verify", "--local", stack.endpoint_url])


def _run(console: Console, command: list[str]) -> int:
    """Print and run a command of this package; return its exit code."""
    from headwater.cli.main import main

    console.print(f"$ {program()} {' '.join(command)}", highlight=False, soft_wrap=True)
    return main(command)
