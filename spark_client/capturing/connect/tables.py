"""Names in a session of a Spark Connect server, resolved to datasets, or to a reason why they are unknown."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple
from urllib.parse import quote

from headwater_model.ids import DatasetId
from spark_client.capturing.connect.frame_texts import FrameToExplain, frame_to_explain
from spark_client.capturing.connect.hidden_reads import calls_unknown, may_hide, tables_in, variables_in
from spark_client.capturing.connect.literal_risks import LiteralRisks
from spark_client.capturing.connect.places import Places, is_schema_known, paths_of
from spark_client.capturing.connect.plan_texts import PlanText, parse_analyzed_text, parse_plan_text, reads_in
from spark_client.capturing.connect.reads import (
    FrameRead,
    QueryRead,
    Read,
    SourceRead,
    TableRead,
    UnknownRead,
    VariableRead,
    is_frame,
    table_read,
)
from spark_client.capturing.connect.server import NoResponse, Server
from spark_client.capturing.connect.server_cache import CACHED_MAX, CatalogEntry, Kept, ResolvedReads, ServerCache
from spark_client.capturing.connect.snapshots import Snapshot, Unreadable
from spark_client.capturing.connect.sql_statements import is_explainable, is_recursive
from spark_client.capturing.datasets.catalogs import Catalogs
from spark_client.capturing.datasets.leaf_source import LeafSource, find_paths
from spark_client.capturing.datasets.sources import find_connected, find_options
from spark_client.capturing.latest import Latest
from spark_client.capturing.model import Dataset, SchemaField
from spark_client.capturing.plans.values import Value, unknown

_GLOBAL = "global_temp"
_SESSION_CATALOG = "spark_catalog"
# Bound on views in views and statements in views.
_READS_MAX = 2_000
# Rows of the program are in its plan, and go over the wire again with a query of it.
_PLAN_MAX_BYTES = 1_000_000


class ExplainedFrame(NamedTuple):
    """Spark's plans of a frame, by its bytes; the risks of its literals, and the reads behind its stand-ins."""

    key: bytes
    text: str
    risks: LiteralRisks
    stand_ins: Mapping[str, Read]


class Session:
    """Names of a session: views, frames, variables and the current database, after the commands so far."""

    def __init__(self, server: Server, cache: ServerCache) -> None:
        self.server = server
        self._cache = cache
        self._places = Places(server, cache)
        self._views: dict[tuple[str, ...], Kept] = {}
        self._frames: Latest[str, Kept] = Latest(CACHED_MAX)
        self._explained: Latest[bytes, str] = Latest(CACHED_MAX)
        self._frame: ExplainedFrame | None = None
        self._variables: dict[str, tuple[Read, ...]] = {}
        self.variable_values: dict[str, Value] = {}
        # Empty: unknown until the server is queried.
        self.database: tuple[str, ...] = ()

    def put_view(self, name: tuple[str, ...], reads: Iterable[Read] | None, snapshot: Snapshot | None = None) -> None:
        """Set the reads of a temporary view, resolved as of now; None drops the view."""
        key = _small(name)
        self._forget_plans()
        views = self._cache.global_views if key[:1] == (_GLOBAL,) else self._views
        if reads is None:
            views.pop(key, None)
        else:
            views[key] = Kept(tuple(self.expand(reads)), snapshot)

    @property
    def variables(self) -> Collection[str]:
        """Names of the variables that were declared or set, in lower case."""
        return self._variables.keys()

    def put_variable(self, name: str, reads: Iterable[Read], value: Value) -> None:
        """Set the reads and the value of a variable."""
        self._variables[name] = tuple(self.expand(reads))
        self.variable_values[f"variable system.session.{name}"] = value

    def _forget_plans(self) -> None:
        self._explained.clear()
        self._frame = None

    def rename_view(self, name: tuple[str, ...], new: tuple[str, ...]) -> None:
        """Rename a temporary view."""
        kept = self._views.get(_small(name))
        self.put_view(name, None)
        if kept is not None:
            self.put_view(new[-1:], *kept)

    def is_temporary(self, name: tuple[str, ...], *, query_server: bool = True) -> bool:
        """True for a temporary view; the server knows a view from before the capture, until its end."""
        if self._kept(TableRead(name)) is not None or name[:1] == (_GLOBAL,):
            return True
        return query_server and len(name) == 1 and not self.server.describe(name)

    def put_frame(self, id_: str, reads: Iterable[Read], snapshot: Snapshot | None = None) -> None:
        """Set the reads of a frame kept by the server, by its id."""
        self._frames[id_] = Kept(tuple(self.expand(reads)), snapshot)

    def snapshot(self, read: Read) -> Snapshot | None:
        """Find the columns of a temporary view or kept frame; None for a table, a source and an unknown frame.

        Raises:
            Unreadable: a view without known columns.
        """
        kept = self._kept(read)
        if not isinstance(read, TableRead) or (kept is None and self.is_table(read)):
            return kept and kept.snapshot
        if kept is None or kept.snapshot is None:
            raise Unreadable(f"the view {read.name[-1]}")
        return kept.snapshot

    def view_text(self, name: tuple[str, ...]) -> str:
        """Read the statement of a catalog's view.

        Raises:
            Unreadable: the catalog does not have the statement.
        """
        try:
            text = self._table(name).text
        except NoResponse as reason:
            raise Unreadable(f"the view {name[-1]}: {reason}") from reason
        if text is None:
            raise Unreadable(f"the view {name[-1]}")
        return text

    def is_table(self, read: TableRead) -> bool:
        """True if a name is a table's, not a view's in the catalog."""
        try:
            return self._table(self._full(read)).dataset is not None
        except NoResponse:
            return False

    def qualifier(self, read: TableRead) -> tuple[str, ...]:
        """Complete a table's name by catalog and database; its last part alone, if the server does not respond."""
        try:
            return self._full(read)
        except NoResponse:
            return read.name[-1:]

    def forget_tables(self) -> None:
        """Forget tables, which may have changed."""
        self._cache.tables.clear()
        self._forget_plans()

    def expand(self, reads: Iterable[Read]) -> Iterator[Read]:
        """Yield the tables, sources and unknowns behind views, frames, statements and variables, each once."""
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

    def find(self, reads: Iterable[Read]) -> ResolvedReads:
        """Find the datasets of reads, each once."""
        datasets: dict[DatasetId, Dataset] = {}
        unknown: dict[str, None] = {}
        schema_known = True
        for read in self.expand(reads):
            if isinstance(read, UnknownRead):
                unknown[read.reason] = None
                continue
            schema_known = schema_known and (not isinstance(read, SourceRead) or is_schema_known(read))
            try:
                named = self._datasets_of(read)
            except NoResponse as reason:
                unknown[f"{_name_of(read)}: {reason}"] = None
                continue
            if not named:
                unknown[f"{_name_of(read)}: a source that nobody can name"] = None
            for dataset in named:
                datasets.setdefault(dataset.id, dataset)
        return ResolvedReads(tuple(datasets.values()), tuple(unknown), schema_known)

    def find_target(self, read: Read, *, is_new: bool) -> Dataset | None:
        """Find the written dataset; `is_new`: a cached entry of the name may be of an older table."""
        if isinstance(read, SourceRead):
            paths = [self._places.whole(path) for path in paths_of(read)]
            source = self._options(read, is_write=True) or find_paths(paths, self._cache.catalogs)
            return source.datasets[0] if source and len(source.datasets) == 1 and not source.unknown else None
        if not isinstance(read, TableRead):
            return None
        name = read.name
        try:
            name = self._full(read)
            if is_new:
                self._cache.tables.pop(_small(name), None)
            return self._table(name).dataset
        except NoResponse:
            return self._named(name, None, ())

    def is_partition(self, path: str) -> bool:
        """True if a path is a partition of a dataset: `/orders/day=1`."""
        return self._cache.catalogs.is_partition(path)

    def _made_of(self, read: Read) -> list[Read] | None:
        """List the reads behind a read; None for a dataset itself."""
        try:
            if isinstance(read, FrameRead):
                frame = self._kept(read)
                return list(frame.reads) if frame else [UnknownRead("CommandResult: the result of a command")]
            if isinstance(read, QueryRead):
                return self._query(read)
            if isinstance(read, VariableRead):
                unmet = UnknownRead(f"variable system.session.{read.name}: it was set before the capture")
                return list(self._variables.get(read.name, (unmet,)))
            return self._behind_name(read) if isinstance(read, TableRead) else None
        except NoResponse as reason:
            return [UnknownRead(f"{_name_of(read)}: {reason}")]

    def _query(self, read: QueryRead, database: tuple[str, ...] = ()) -> list[Read]:
        if not is_explainable(read.message.query):
            return [UnknownRead("CommandResult: the result of a command")]
        root = self.plan(read.message)
        if root is None:
            return [UnknownRead("SQL: a query that Spark did not explain")]
        reads = reads_in(root, recursive=is_recursive(read.message.query))
        shown = [inner for inner in reads if not is_frame(inner, read.frames)]
        named = [replace(inner, database=database) if isinstance(inner, TableRead) else inner for inner in shown]
        analyzed = None if read.frames else parse_analyzed_text(self.explained(read.message))
        return [*named, *(self.hidden(analyzed, root, named) if analyzed else ())]

    def hidden(self, analyzed: PlanText, parsed: PlanText | None, reads: Sequence[Read]) -> Iterator[Read]:
        """Yield the reads of an analyzed plan beside its known `reads`; `parsed` is None for a frame."""
        yield from variables_in(analyzed)
        if parsed is None or calls_unknown(parsed):
            tables = [read for read in self.expand(reads) if isinstance(read, TableRead)]
            tables += [read for read in reads if isinstance(read, TableRead)]
            known = {".".join(name).lower() for read in tables for name in (read.name, self._full(read))}
            files = sum(isinstance(read, SourceRead) for read in reads)
            yield from tables_in(analyzed, known, files)

    def hidden_in_frame(self, relation: Any, reads: Sequence[Read]) -> Iterator[Read]:
        """Yield the reads of a frame's expressions, beside the `reads` of its relations."""
        if may_hide(relation, self.variables):
            try:
                analyzed = parse_analyzed_text(self.explained_frame(relation).text)
            except NoResponse as reason:
                yield UnknownRead(f"a frame that Spark did not explain: {reason}")
                return
            if analyzed is not None:
                yield from self.hidden(analyzed, None, reads)

    def plan(self, message: Any) -> PlanText | None:
        """Read Spark's parsed plan of a statement, a `SQL` of the protocol; None if Spark does not explain it."""
        key = (message.query, message.SerializeToString())
        if key not in self._cache.plans:
            self._cache.plans[key] = parse_plan_text(self.explained(message))
        return self._cache.plans[key]

    def explained(self, message: Any) -> str:
        """Read Spark's plans of a statement, as analyzed since the last change of names.

        Raises:
            NoResponse: the server does not explain it.
        """
        key = message.SerializeToString()
        if key not in self._explained:
            self._explained[key] = self.server.explain(message)
        return self._explained[key]

    def explained_frame(self, relation: Any) -> ExplainedFrame:
        """Read Spark's plans of a frame; the last frame's plans are kept.

        Raises:
            NoResponse: the server does not explain it, or it is too large.
        """
        key = relation.SerializeToString()
        if self._frame is None or self._frame.key != key:
            sent = self.frame_to_explain(relation)
            if sent.relation.ByteSize() > _PLAN_MAX_BYTES:
                raise NoResponse("so large a frame")
            self._frame = ExplainedFrame(key, self.server.explain_relation(sent.relation), *sent[1:])
        return self._frame

    def frame_to_explain(self, relation: Any) -> FrameToExplain:
        """Copy a frame for the server, with stand-ins for its temporary views and kept frames."""
        return frame_to_explain(relation, self._schema_then)

    def _schema_then(self, read: Read) -> str:
        kept = self._kept(read)
        return kept.snapshot.schema if kept and kept.snapshot else ""

    def _behind_name(self, read: TableRead) -> list[Read] | None:
        view = None if read.database else self._kept(read)
        if view is not None:
            return list(view.reads)
        full = self._full(read)
        if full != read.name:
            return [TableRead(full, full[:-1])]
        table = self._table(full)
        return None if table.dataset else list(table.reads)

    def _kept(self, read: Read) -> Kept | None:
        """Find a temporary view or kept frame."""
        if isinstance(read, FrameRead):
            return self._frames.get(read.id)
        key = _small(read.name) if isinstance(read, TableRead) else ()
        return self._cache.global_views.get(key) if key[:1] == (_GLOBAL,) else self._views.get(key)

    def _full(self, read: TableRead) -> tuple[str, ...]:
        catalogs = (*self._cache.catalogs.named, _SESSION_CATALOG)
        if len(read.name) > 1 and read.name[0] in catalogs:
            return read.name
        database = read.database or self.current()
        return (*database, *read.name) if len(read.name) == 1 else (*database[:1], *read.name)

    def full_name(self, read: Read | None) -> tuple[str, ...]:
        """Complete a table's name: `("spark_catalog", "default", "t")` for `t`; empty without a table."""
        return self._full(read) if isinstance(read, TableRead) else ()

    def by_name(self, name: tuple[str, ...]) -> Dataset | None:
        """Make the dataset of a table by its whole name alone."""
        return self._named(name, None, ()) if name else None

    @property
    def catalogs(self) -> Catalogs:
        """Catalogs of the server."""
        return self._cache.catalogs

    def doubt(self, text: str, reason: str) -> None:
        """Make views and variables in a text unknown; all variables, if the text has an EXECUTE IMMEDIATE."""
        small, runs_texts = text.lower(), "immediate" in text.lower()
        for name in self._variables:
            if runs_texts or name in small:
                self.put_variable(name, (UnknownRead(reason),), unknown(reason))
        for key in list(self._views):
            if key[-1] in small:
                self.put_view(key, (UnknownRead(reason),))

    def meet(self) -> None:
        """Read the session's current database before it changes."""
        with suppress(NoResponse):
            self.current()

    def current(self) -> tuple[str, ...]:
        """Read the session's current catalog and database.

        Raises:
            NoResponse: the server does not name them.
        """
        if not self.database:
            self.database = self.server.database()
        return self.database

    def move(self, database: tuple[str, ...]) -> None:
        """Follow a `USE` of a catalog, a database of the current catalog, or both; empty if only the server knows."""
        self._forget_plans()
        if not database or database[0] in (*self._cache.catalogs.named, _SESSION_CATALOG):
            self.database = database if len(database) > 1 else ()
        else:
            self.meet()
            self.database = (*self.database[:1], *database) if self.database else ()

    def _table(self, name: tuple[str, ...]) -> CatalogEntry:
        key = _small(name)
        if key not in self._cache.tables:
            self._cache.tables[key] = self._described(name)
        return self._cache.tables[key]

    def _described(self, name: tuple[str, ...]) -> CatalogEntry:
        described = self.server.describe(name)
        if described.get("Type") == "VIEW" and "View Text" in described:
            query = QueryRead(self.server.query(described["View Text"]))
            database = table_read(described.get("View Catalog and Namespace", "")).name
            return CatalogEntry(None, tuple(self._query(query, database)), described["View Text"])
        if not described:
            return CatalogEntry(None, (UnknownRead(f"{name[-1]}: a view that was made before the capture"),))
        # Spark also gives a table of a database a location, with nothing there.
        location = None if described.get("Provider", "").lower() == "jdbc" else described.get("Location")
        catalog = described.get("Catalog", name[0])
        is_full = "Database" in described and "Table" in described
        full = (catalog, described["Database"], described["Table"]) if is_full else name
        dataset = self._named(full, location, self.server.table_schema(name))
        return CatalogEntry(dataset, () if dataset else (UnknownRead(f"{name[-1]}: a table that nobody can name"),))

    def _named(self, name: tuple[str, ...], location: str | None, schema: tuple[SchemaField, ...]) -> Dataset | None:
        """Make a table's dataset: its location, with its name as a symlink; `location` has spaces, unlike a URI."""
        catalogs, uri = self._cache.catalogs, quote(location, safe=":/@") if location else None
        symlinks = catalogs.symlinks(name[0], name[1:-1], name[-1], uri)
        located = catalogs.find_uri(uri) if uri else None
        if located:
            return Dataset(located, schema, symlinks)
        return Dataset(DatasetId(symlinks[0].namespace, symlinks[0].name), schema) if symlinks else None

    def _datasets_of(self, read: Read) -> tuple[Dataset, ...]:
        if isinstance(read, TableRead):
            table = self._table(read.name).dataset
            return (table,) if table else ()
        if not isinstance(read, SourceRead):
            return ()
        schema = self._places.schema(read)
        source = self._options(read) or find_paths(list(self._places.of(read)), self._cache.catalogs, schema)
        datasets = source.datasets if source and not source.unknown else ()
        return tuple(replace(dataset, schema=dataset.schema or schema) for dataset in datasets)

    def _options(self, read: SourceRead, *, is_write: bool = False) -> LeafSource | None:
        """Find the source of options beside paths: of a connector, a database or a topic."""
        path = {"path": read.paths[0]} if len(read.paths) == 1 else {}
        options = {**path, **read.options}
        if connected := find_connected({}, options, self._cache.catalogs, read.format, is_write=is_write):
            return connected
        named = "url" in read.options or "kafka.bootstrap.servers" in read.options
        return find_options(read.options, self._cache.catalogs) if named else None


def _name_of(read: Read) -> str:
    if isinstance(read, TableRead):
        return ".".join(read.name)
    return (read.format or "path") if isinstance(read, SourceRead) else type(read).__name__.removesuffix("Read")


def _small(name: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(part.lower() for part in name)
