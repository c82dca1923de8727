"""Where the archive's tables lie in its bucket, and what is written beside them.

    tables/records/day=2026-11-20/attempt=<id>/part-*.parquet     what one attempt to compact a day wrote
    tables/traces/day=2026-11-20/attempt=<id>/part-*.parquet
    tables/manifests/day=2026-11-20/<id>.json                     written last: the attempt is whole (`Manifest`)
    tables/published/2026-11-20.json                              the manifest of the attempt that counts

An attempt is published by setting the location of the day's partition in Glue; the copy of its manifest is for readers
without Glue, and is written right after.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from lineage.archive_tables.columns import VERSION

PREFIX = "tables/"
PUBLISHED_PREFIX = f"{PREFIX}published/"


def partition_prefix(table: str, day: str) -> str:
    """Where every attempt of a day lies.

    >>> partition_prefix("records", "2026-11-20")
    'tables/records/day=2026-11-20/'
    """
    return f"{PREFIX}{table}/day={day}/"


def attempt_prefix(table: str, day: str, attempt: str) -> str:
    """Where the files of one attempt lie; an attempt's id has no slash."""
    return f"{partition_prefix(table, day)}attempt={attempt}/"


def manifest_key(day: str, attempt: str) -> str:
    """Where an attempt says that it is whole."""
    return f"{PREFIX}manifests/day={day}/{attempt}.json"


def published_key(day: str) -> str:
    """Where the manifest of the day's published attempt lies."""
    return f"{PUBLISHED_PREFIX}{day}.json"


@dataclass(frozen=True, slots=True)
class Written:
    """What an attempt wrote of one table."""

    rows: int
    files: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """A whole attempt to compact a day: which digest it read (SHA-256 of the object), and what it wrote.

    `version` is that of the tables' columns.
    """

    day: str
    attempt: str
    digest_sha256: str
    records: Written
    traces: Written
    version: int = VERSION


def render_manifest(manifest: Manifest) -> bytes:
    """The manifest as JSON."""
    return json.dumps(asdict(manifest), separators=(",", ":")).encode()


def parse_manifest(body: bytes) -> Manifest:
    """The manifest that `render_manifest` wrote; what a later version adds is passed over.

    Raises:
        ValueError: it is none, or of a later version whose tables this one cannot read.
    """
    try:
        form = json.loads(body)
        written = {
            name: Written(**{part: form[name][part] for part in ("rows", "files", "size_bytes")})
            for name in ("records", "traces")
        }
        manifest = Manifest(form["day"], form["attempt"], form["digest_sha256"], **written, version=form["version"])
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"not a manifest: {error!r}") from error
    if not 1 <= manifest.version <= VERSION:
        raise ValueError(f"version: must be 1 to {VERSION}, got {manifest.version}: a later release can read it")
    return manifest
