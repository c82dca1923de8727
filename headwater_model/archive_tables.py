"""The archive's tables: their columns by version, and the keys of their files in the bucket.

A later version only adds columns, at the end, and all columns are optional. Compaction writes the tables as Parquet
(`jobs/`), the stack registers them (`infra/`), Athena, Spark and DuckDB read them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

# The version of the tables' columns. Readers of a version read its files and all older files.
VERSION = 1

_TEXTS = "map<string,string>"
_STEP = (
    "struct<node_id:string,parent_id:string,action_taken:string,recorded_at:bigint,storage_location:string,"
    f"run_id:string,metadata:{_TEXTS}>"
)


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column: its name, its type as Hive and Spark spell it, and its meaning."""

    name: str
    type: str
    about: str


@dataclass(frozen=True, slots=True)
class ArchiveTable:
    """A table, partitioned by `day` (YYYY-MM-DD, UTC), a string of the path and no column of the files."""

    name: str
    about: str
    columns: Sequence[TableColumn]

    @property
    def ddl(self) -> str:
        """The columns in Spark's text of a schema.

        >>> RECORDS.ddl[:44]
        'root_id string, node_id string, parent_id st'
        """
        return ", ".join(f"{column.name} {column.type}" for column in self.columns)


RECORDS = ArchiveTable(
    "records",
    "Every archived record once, under the day of the trace that archived it first; sorted by root_id, node_id.",
    (
        TableColumn("root_id", "string", "what the record's tree starts from"),
        TableColumn("node_id", "string", "the record's own id within its root"),
        TableColumn("parent_id", "string", "the node that it was made from"),
        TableColumn("action_taken", "string", "what was done to the parent"),
        TableColumn("storage_location", "string", "where what was made lies"),
        TableColumn("recorded_at", "bigint", "when it was recorded, in seconds since 1970 UTC"),
        TableColumn("run_id", "string", "the run that it was a step of, if the request named it"),
        TableColumn("metadata", _TEXTS, "what the enrichers of the load function added; null if nothing"),
    ),
)
TRACES = ArchiveTable(
    "traces",
    "A row for each leaf of each root that was traced for the day: its path from the root. The newest day of a root is "
    "the authority on it. Sorted by root_id, record_id.",
    (
        TableColumn("root_id", "string", "the root"),
        TableColumn("record_id", "string", "the leaf's node id"),
        TableColumn("complete", "boolean", "false if a parent is missing or the path goes round"),
        TableColumn("missing", "array<string>", "the parent that is missing; null if none is"),
        TableColumn("cycle", "array<string>", "the node ids that lead into each other; null if none do"),
        TableColumn(
            "lineage", f"array<{_STEP}>", "the steps: root first, then the leaf, last the compaction that wrote it"
        ),
    ),
)
TABLES = (RECORDS, TRACES)
DAY = TableColumn("day", "string", "the day (UTC) whose compaction archived it, YYYY-MM-DD")


PREFIX = "tables/"
PUBLISHED_PREFIX = f"{PREFIX}published/"


def partition_prefix(table: str, day: str) -> str:
    """Name the folder of all attempts of a day.

    >>> partition_prefix("records", "2026-11-20")
    'tables/records/day=2026-11-20/'
    """
    return f"{PREFIX}{table}/day={day}/"


def attempt_prefix(table: str, day: str, attempt: str) -> str:
    """Name the folder of an attempt's files: `tables/records/day=2024-05-01/attempt=a1/`; the id has no slash."""
    return f"{partition_prefix(table, day)}attempt={attempt}/"


def manifest_key(day: str, attempt: str) -> str:
    """Build the key of an attempt's manifest, its last file: `tables/manifests/day=2024-05-01/a1.json`."""
    return f"{PREFIX}manifests/day={day}/{attempt}.json"


def published_key(day: str) -> str:
    """Build the key of the manifest of the day's published attempt: `tables/published/2024-05-01.json`."""
    return f"{PUBLISHED_PREFIX}{day}.json"


@dataclass(frozen=True, slots=True)
class TableFiles:
    """The files of an attempt for one table."""

    rows: int
    files: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """A complete attempt to compact a day: the SHA-256 of its digest, and its files.

    `version` is the version of the tables' columns.
    """

    day: str
    attempt: str
    digest_sha256: str
    records: TableFiles
    traces: TableFiles
    version: int = VERSION


def render_manifest(manifest: Manifest) -> bytes:
    """Render the manifest as JSON: `{"day":"2024-05-01","attempt":"a1",...}`."""
    return json.dumps(asdict(manifest), separators=(",", ":")).encode()


def parse_manifest(body: bytes) -> Manifest:
    """Parse a manifest of `render_manifest`; fields of later versions are ignored.

    Raises:
        ValueError: the body is no manifest, or its version is later than `VERSION`.
    """
    try:
        form = json.loads(body)
        written = {
            name: TableFiles(**{part: form[name][part] for part in ("rows", "files", "size_bytes")})
            for name in ("records", "traces")
        }
        manifest = Manifest(form["day"], form["attempt"], form["digest_sha256"], **written, version=form["version"])
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"not a manifest: {error!r}") from error
    if not 1 <= manifest.version <= VERSION:
        raise ValueError(f"version: must be 1 to {VERSION}, got {manifest.version}: a later release can read it")
    return manifest
