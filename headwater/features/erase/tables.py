"""Erasure in tables of Parquet: a day is made again from what the archive has left, then its former files go."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater.records.publications import Publications
from headwater.records.removals import delete_versions
from headwater_model.archive_tables import TABLES, attempt_prefix, partition_prefix
from headwater_model.errors import Unavailable

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_stepfunctions import SFNClient

# Seconds between two looks at an execution.
_POLL_S = 30


@dataclass(frozen=True, slots=True)
class TableErasure:
    """The tables of the archive; `remake(day)` makes and publishes a day again, and returns after it."""

    publications: Publications
    s3: S3Client
    bucket: str
    remake: Callable[[str], None]
    bypass: bool = False

    def erase(self, days: Sequence[str]) -> int:
        """Make the published days again, and remove the versions of all former attempts; count the versions."""
        return sum(self._erase(day) for day, stored in self.publications.of(days).items() if stored.attempt)

    def _erase(self, day: str) -> int:
        self.remake(day)
        attempt = self.publications.of([day])[day].attempt
        return sum(
            delete_versions(
                self.s3,
                self.bucket,
                partition_prefix(table.name, day),
                keep=(attempt_prefix(table.name, day, attempt),) if attempt else (),
                bypass=self.bypass,
            )
            for table in TABLES
        )


def delete_hidden(s3: S3Client, bucket: str, prefix: str) -> int:
    """Delete the versions behind a newer version or a marker, and the markers; count them."""
    number = 0
    for page in s3.get_paginator("list_object_versions").paginate(Bucket=bucket, Prefix=prefix):
        listed = (*page.get("Versions", []), *page.get("DeleteMarkers", []))
        present = {entry["Key"] for entry in page.get("Versions", []) if entry["IsLatest"]}
        hidden = [entry for entry in listed if entry["Key"] not in present or not entry["IsLatest"]]
        for entry in hidden:
            s3.delete_object(Bucket=bucket, Key=entry["Key"], VersionId=entry["VersionId"])
        number += len(hidden)
    return number


def run_machine(machine: SFNClient, arn: str, text: str, sleep: Callable[[float], None]) -> None:
    """Run a state machine with the input, and wait for its end.

    Raises:
        Unavailable: the execution did not succeed.
    """
    execution = machine.start_execution(stateMachineArn=arn, input=text)["executionArn"]
    while (status := machine.describe_execution(executionArn=execution)["status"]) == "RUNNING":
        sleep(_POLL_S)
    if status != "SUCCEEDED":
        raise Unavailable(f"{execution} ended with {status}")
