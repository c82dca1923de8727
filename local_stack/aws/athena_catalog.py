"""The tables of the Glue catalog, with their Parquet files copied from S3 into a folder, each once."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from headwater.aws.objects import list_objects
from local_stack.aws.athena import Partition, Table

if TYPE_CHECKING:
    from mypy_boto3_glue import GlueClient
    from mypy_boto3_s3 import S3Client

Listing = Mapping[str, str]
"""ETags by key."""


@dataclass(frozen=True)
class GlueCatalog:
    """The catalog for Athena; `folder` stores the files, by key and ETag."""

    glue: GlueClient
    s3: S3Client
    folder: Path
    lock: threading.Lock

    def tables(self, names: set[str]) -> list[Table]:
        """List the tables of every database with a name among these words."""
        databases = [entry["Name"] for page in self._pages("get_databases") for entry in page["DatabaseList"]]
        return [
            self._table(database, table)
            for database in databases
            for page in self._pages("get_tables", DatabaseName=database)
            for table in page["TableList"]
            if table["Name"].lower() in names
        ]

    def _pages(self, operation: Any, **parameters: str) -> Iterator[Any]:
        yield from self.glue.get_paginator(operation).paginate(**parameters)

    def _table(self, database: str, table: Mapping[str, Any]) -> Table:
        storage = table["StorageDescriptor"]
        keys = _columns_of(table.get("PartitionKeys", []))
        location = storage["Location"]
        locations = self._locations(database, table["Name"]) if keys else [([], location)]
        listing = self._listing(location)
        partitions = [
            Partition(values, self._files(location_of_files, location, listing))
            for values, location_of_files in locations
        ]
        return Table(database, table["Name"], _columns_of(storage["Columns"]), keys, partitions)

    def _locations(self, database: str, table: str) -> list[tuple[Sequence[str], str]]:
        """List the registered partitions: values and location."""
        pages = self._pages("get_partitions", DatabaseName=database, TableName=table)
        partitions = [partition for page in pages for partition in page["Partitions"]]
        return [(partition["Values"], partition["StorageDescriptor"]["Location"]) for partition in partitions]

    def _files(self, location_of_files: str, location: str, listing: Listing) -> list[str]:
        """List local files of a partition, perhaps outside its table's location; hidden files are no data."""
        bucket, prefix = _parts(location_of_files)
        files = (
            listing if _folder(location_of_files).startswith(_folder(location)) else self._listing(location_of_files)
        )
        return [
            str(self._local(bucket, key, etag))
            for key, etag in sorted(files.items())
            if key.startswith(prefix) and not key.rpartition("/")[2].startswith(("_", "."))
        ]

    def _listing(self, location: str) -> Listing:
        bucket, prefix = _parts(location)
        return {entry["Key"]: entry["ETag"] for entry in list_objects(self.s3, bucket, prefix) if entry.get("Size")}

    def _local(self, bucket: str, key: str, etag: str) -> Path:
        file = self.folder / f"{hashlib.sha256(f'{bucket}/{key}/{etag}'.encode()).hexdigest()}.parquet"
        with self.lock:
            if not file.exists():
                self.folder.mkdir(parents=True, exist_ok=True)
                file.with_suffix(".part").write_bytes(self.s3.get_object(Bucket=bucket, Key=key)["Body"].read())
                file.with_suffix(".part").rename(file)
        return file


def _columns_of(columns: Sequence[Mapping[str, str]]) -> list[tuple[str, str]]:
    return [(column["Name"], column["Type"]) for column in columns]


def _folder(location: str) -> str:
    return location.rstrip("/") + "/"


def _parts(location: str) -> tuple[str, str]:
    """Split a location into bucket and prefix.

    >>> _parts("s3://archive/tables/records")
    ('archive', 'tables/records/')
    """
    url = urlsplit(_folder(location))
    return url.netloc, url.path.lstrip("/")
