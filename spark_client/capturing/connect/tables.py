"""What the names in a session of a Spark Connect server stand for: datasets, or a reason why nobody knows."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from urllib.parse import quote

from lineage_model.ids import DatasetId
from spark_client.capturing.connect.plan_texts import PlanText, parse_plan_text, reads_in
from spark_client.capturing.connect.reads import (
    FrameRead,
    QueryRead,
    Read,
    SourceRead,
    TableRead,
    UnknownRead,
    table_read,
)
from spark_client.capturing.connect.server import Server, Unanswered
from spark_client.capturing.connect.sql_statements import is_explainable, is_recursive
from spark_client.capturing.datasets.catalogs import Catalogs
from spark_client.capturing.datasets.locations import find_uri
from spark_client.capturing.datasets.schemas import parse_schema
from spark_client.capturing.datasets.sources import Read as Told
from spark_client.capturing.datasets.sources import find_options, find_paths
from spark_client.capturing.model import Dataset, SchemaField

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
_GLOBAL = "global_temp"
_SESSION_CATALOG = "spark_catalog"
# Views in views, statements in views: nobody has as many.
_READS_MAX = 2_000
_KNOWN_MAX = 500
# Formats whose columns Spark knows without reading the data.
_TOLD = frozenset({"", "parquet", "orc", "avro", "csv", "text", "binaryfile", "jdbc", "delta", "iceberg"})
_PATTERN = frozenset("*?[{")
_ROOT = re.compile(r"[A-Za-z][\w+.-]*:(?://[^/]*)?")


@dataclass(frozen=True, slots=True)
class Table:
    """What a catalog says of a name: a dataset, or the reads that a view is made of."""

    dataset: Dataset | None
    reads: tuple[Read, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """What reads stand for; `told` if their columns are known without reading data."""

    datasets: tuple[Dataset, ...]
    unknown: tuple[str, ...]
    told: bool


class Known:
    """The answers of one server that stay true, or are forgotten when a statement changes them; of all sessions."""

    def __init__(self, catalogs: Catalogs) -> None:
        self.catalogs = catalogs
        self.global_views: dict[tuple[str, ...], tuple[Read, ...]] = {}
        self.tables: OrderedDict[tuple[str, ...], Table] = OrderedDict()
        self.plans: OrderedDict[tuple[str, bytes], PlanText | None] = OrderedDict()
        self.schemas: OrderedDict[SourceRead, tuple[SchemaField, ...]] = OrderedDict()
        self.folder: str | None = None


class Session:
    """One session's names. Views, frames and the current database are those of the commands until now."""

    def __init__(self, server: Server, known: Known) -> None:
        self.server = server
        self._known = known
        self._views: dict[tuple[str, ...], tuple[Read, ...]] = {}
        self._frames: OrderedDict[str, tuple[Read, ...]] = OrderedDict()
        # Empty: the server is to be asked.
        self.database: tuple[str, ...] = ()

    def put_view(self, name: tuple[str, ...], reads: Iterable[Read] | None) -> None:
        """A name stands for these reads from now on, as they are now; for nothing, if they are None."""
        key = _small(name)
        views = self._known.global_views if key[:1] == (_GLOBAL,) else self._views
        if reads is None:
            views.pop(key, None)
        else:
            views[key] = tuple(self.expand(reads))

    def put_frame(self, id_: str, reads: Iterable[Read]) -> None:
        """The server keeps a frame by this id."""
        _put(self._frames, id_, tuple(self.expand(reads)))

    def forget_tables(self) -> None:
        """Tables may have changed."""
        self._known.tables.clear()

    def expand(self, reads: Iterable[Read]) -> Iterator[Read]:
        """Tables, sources and unknowns, each once: what views, frames and statements are made of."""
        seen: set[Read] = set()
        left = list(reads)[::-1]
        while left and len(seen) < _READS_MAX:
            read = left.pop()
            if read in seen and not isinstance(read, QueryRead):
                continue
            seen.add(read)
            made_of = self._made_of(read)
            if made_of is None:
                yield read
            else:
                left += made_of[::-1]

    def find(self, reads: Iterable[Read]) -> Found:
        """The datasets that are read, each once."""
        datasets: dict[DatasetId, Dataset] = {}
        unknown: dict[str, None] = {}
        told = True
        for read in self.expand(reads):
            if isinstance(read, UnknownRead):
                unknown[read.reason] = None
                continue
            told = told and (not isinstance(read, SourceRead) or _is_told(read))
            try:
                named = self._datasets_of(read)
            except Unanswered as reason:
                unknown[f"{_name_of(read)}: {reason}"] = None
                continue
            if not named:
                unknown[f"{_name_of(read)}: a source that nobody can name"] = None
            for one in named:
                datasets.setdefault(one.id, one)
        return Found(tuple(datasets.values()), tuple(unknown), told)

    def find_target(self, read: Read, *, is_new: bool) -> Dataset | None:
        """The dataset that is written; `is_new`: the catalog may know another one by this name until now."""
        if isinstance(read, SourceRead):
            found = self._options(read) or find_paths([self._whole(one) for one in read.paths], self._known.catalogs)
            return found.datasets[0] if found and len(found.datasets) == 1 and not found.unknown else None
        if not isinstance(read, TableRead):
            return None
        name = read.name
        try:
            name = self._full(read)
            if is_new:
                self._known.tables.pop(_small(name), None)
            return self._table(name).dataset
        except Unanswered:
            return self._named(name, None, ())

    def _made_of(self, read: Read) -> list[Read] | None:
        """What stands behind a read; None if it is the last."""
        try:
            if isinstance(read, FrameRead):
                return list(self._frames.get(read.id, (UnknownRead("CommandResult: the result of a command"),)))
            if isinstance(read, QueryRead):
                return self._query(read)
            return self._behind_name(read) if isinstance(read, TableRead) else None
        except Unanswered as reason:
            return [UnknownRead(f"{_name_of(read)}: {reason}")]

    def _query(self, read: QueryRead, database: tuple[str, ...] = ()) -> list[Read]:
        if not is_explainable(read.message.query):
            return [UnknownRead("CommandResult: the result of a command")]
        root = self.plan(read.message)
        if root is None:
            return [UnknownRead("SQL: a query that Spark did not explain")]
        reads = reads_in(root, recursive=is_recursive(read.message.query))
        shown = (one for one in reads if not (isinstance(one, TableRead) and _is_frame(one, read.frames)))
        return [replace(one, database=database) if isinstance(one, TableRead) else one for one in shown]

    def plan(self, message: Any) -> PlanText | None:
        """How Spark parses a statement, a `SQL` of the protocol; None if it does not say."""
        key = (message.query, message.SerializeToString())
        if key not in self._known.plans:
            _put(self._known.plans, key, parse_plan_text(self.server.explain(message)))
        return self._known.plans[key]

    def _behind_name(self, read: TableRead) -> list[Read] | None:
        view = None if read.database else self._view(_small(read.name))
        if view is not None:
            return list(view)
        full = self._full(read)
        if full != read.name:
            return [TableRead(full, full[:-1])]
        table = self._table(full)
        return None if table.dataset else list(table.reads)

    def _view(self, name: tuple[str, ...]) -> tuple[Read, ...] | None:
        return self._known.global_views.get(name) if name[:1] == (_GLOBAL,) else self._views.get(name)

    def _full(self, read: TableRead) -> tuple[str, ...]:
        """The name with its catalog and database, as far as they can be known."""
        catalogs = (*self._known.catalogs.named, _SESSION_CATALOG)
        if len(read.name) > 1 and read.name[0] in catalogs:
            return read.name
        database = read.database or self._current()
        return (*database, *read.name) if len(read.name) == 1 else (*database[:1], *read.name)

    def meet(self) -> None:
        """Ask where the session is before it goes anywhere."""
        with suppress(Unanswered):
            self._current()

    def _current(self) -> tuple[str, ...]:
        if not self.database:
            self.database = self.server.database()
        return self.database

    def move(self, database: tuple[str, ...]) -> None:
        """`USE`, with a catalog, a database of the current catalog, or both; empty for what only the server knows."""
        if not database or database[0] in (*self._known.catalogs.named, _SESSION_CATALOG):
            self.database = database if len(database) > 1 else ()
        else:
            self.meet()
            self.database = (*self.database[:1], *database) if self.database else ()

    def _table(self, name: tuple[str, ...]) -> Table:
        key = _small(name)
        if key not in self._known.tables:
            _put(self._known.tables, key, self._described(name))
        return self._known.tables[key]

    def _described(self, name: tuple[str, ...]) -> Table:
        told = self.server.describe(name)
        if told.get("Type") == "VIEW" and "View Text" in told:
            query = QueryRead(self.server.query(told["View Text"]))
            return Table(None, tuple(self._query(query, table_read(told.get("View Catalog and Namespace", "")).name)))
        if not told:
            return Table(None, (UnknownRead(f"{name[-1]}: a view that was made before the capture"),))
        # A table of a database has a location that Spark gave it, and nothing there.
        location = None if told.get("Provider", "").lower() == "jdbc" else told.get("Location")
        catalog = told.get("Catalog", name[0])
        full = (catalog, told["Database"], told["Table"]) if "Database" in told and "Table" in told else name
        dataset = self._named(full, location, self.server.table_schema(name))
        return Table(dataset, () if dataset else (UnknownRead(f"{name[-1]}: a table that nobody can name"),))

    def _named(self, name: tuple[str, ...], location: str | None, schema: tuple[SchemaField, ...]) -> Dataset | None:
        """A table: where its data lies, with its name as a symlink; `location` is no URI: its spaces are spaces."""
        catalogs, uri = self._known.catalogs, quote(location, safe=":/@") if location else None
        symlinks = catalogs.symlinks(name[0], name[1:-1], name[-1], uri)
        located = find_uri(uri, catalogs.default_fs) if uri else None
        if located:
            return Dataset(located, schema, symlinks)
        return Dataset(DatasetId(symlinks[0].namespace, symlinks[0].name), schema) if symlinks else None

    def _datasets_of(self, read: Read) -> tuple[Dataset, ...]:
        if isinstance(read, TableRead):
            table = self._table(read.name).dataset
            return (table,) if table else ()
        if not isinstance(read, SourceRead):
            return ()
        schema = self._schema(read)
        found = self._options(read) or find_paths(list(self._places(read)), self._known.catalogs, schema)
        datasets = found.datasets if found and not found.unknown else ()
        return tuple(replace(one, schema=one.schema or schema) for one in datasets)

    def _options(self, read: SourceRead) -> Told | None:
        """What options name, where it is no path."""
        named = "url" in read.options or "kafka.bootstrap.servers" in read.options
        return find_options(read.options, self._known.catalogs) if named else None

    def _schema(self, read: SourceRead) -> tuple[SchemaField, ...]:
        if read.schema.startswith("{"):
            return parse_schema(read.schema)
        if not _is_told(read):
            return ()
        if read not in self._known.schemas:
            _put(self._known.schemas, read, _or(lambda: self.server.source_schema(read), ()))
        return self._known.schemas[read]

    def _places(self, read: SourceRead) -> Iterator[str]:
        """The paths in full; of a pattern, the paths that it stands for."""
        for path in read.paths:
            whole = self._whole(path)
            if _PATTERN.isdisjoint(path):
                yield whole
                continue
            depth = len(_parts_of(whole)[1].rstrip("/").split("/"))
            for file in self.server.files(replace(read, paths=(path,))):
                root, inside = _parts_of(file)
                yield root + "/".join(inside.split("/")[:depth])

    def _whole(self, path: str) -> str:
        """A path with its scheme; the server says where those without one are, and those that are relative."""
        if ":/" in path:
            return path
        if self._known.folder is None:
            self._known.folder = _or(self.server.folder, None) or self._known.catalogs.default_fs
        folder = self._known.folder
        if not path.startswith("/"):
            return f"{folder.rstrip('/')}/{path}"
        return f"{_parts_of(folder)[0]}{path}"


def _parts_of(url: str) -> tuple[str, str]:
    """Scheme and authority, and the path.

    >>> [_parts_of(url) for url in ("file:/home/spark", "hdfs://nn:8020/user/spark", "/tmp")]
    [('file:', '/home/spark'), ('hdfs://nn:8020', '/user/spark'), ('', '/tmp')]
    """
    found = _ROOT.match(url)
    root = found[0] if found else ""
    return root, url[len(root) :]


def _is_told(read: SourceRead) -> bool:
    inferred = read.options.get("inferschema", "").lower() == "true"
    return bool(read.schema) or (read.format in _TOLD and not inferred)


def _is_frame(read: TableRead, frames: frozenset[str]) -> bool:
    return len(read.name) == 1 and read.name[0].lower() in {one.lower() for one in frames}


def _name_of(read: Read) -> str:
    if isinstance(read, TableRead):
        return ".".join(read.name)
    return (read.format or "path") if isinstance(read, SourceRead) else type(read).__name__.removesuffix("Read")


def _small(name: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(part.lower() for part in name)


def _or(ask: Callable[[], V], otherwise: V) -> V:
    try:
        return ask()
    except Unanswered:
        return otherwise


def _put(into: OrderedDict[K, V], key: K, value: V) -> None:
    into[key] = value
    while len(into) > _KNOWN_MAX:
        into.popitem(last=False)
