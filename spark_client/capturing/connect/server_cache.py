"""Results of queries to a server of Spark Connect, for all of a program's sessions there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from spark_client.capturing.connect.plan_texts import PlanText
from spark_client.capturing.connect.reads import Read, SourceRead
from spark_client.capturing.connect.snapshots import Snapshot
from spark_client.capturing.datasets.catalogs import Catalogs
from spark_client.capturing.latest import Latest
from spark_client.capturing.model import Dataset, SchemaField

CACHED_MAX = 500


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """Entry of a catalog: a dataset, or a view's reads and its statement."""

    dataset: Dataset | None
    reads: tuple[Read, ...] = ()
    text: str | None = None


class Kept(NamedTuple):
    """Temporary view, or frame kept by the server: its reads and, if known, its columns, as of its making."""

    reads: tuple[Read, ...]
    snapshot: Snapshot | None


@dataclass(frozen=True, slots=True)
class ResolvedReads:
    """Datasets of reads; `schema_known` if their columns are known without reading data."""

    datasets: tuple[Dataset, ...]
    unknown: tuple[str, ...]
    schema_known: bool


class ServerCache:
    """Results of one server, for all sessions: lasting, or forgotten when a statement changes them."""

    def __init__(self, catalogs: Catalogs) -> None:
        self.catalogs = catalogs
        self.global_views: dict[tuple[str, ...], Kept] = {}
        self.tables: Latest[tuple[str, ...], CatalogEntry] = Latest(CACHED_MAX)
        self.plans: Latest[tuple[str, bytes], PlanText | None] = Latest(CACHED_MAX)
        self.schemas: Latest[SourceRead, tuple[SchemaField, ...]] = Latest(CACHED_MAX)
        self.folder: str | None = None
