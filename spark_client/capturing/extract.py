"""Extraction of writes from an execution: what it wrote and read, and what the columns are made of."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

from lineage_model.columns import ColumnLineage, ColumnSource, Sources, Transformation, merge_columns
from lineage_model.ids import DatasetId, FieldPath
from spark_client.capturing.datasets import jdbc
from spark_client.capturing.datasets.catalogs import Catalogs
from spark_client.capturing.datasets.database_queries import resolve
from spark_client.capturing.datasets.schemas import find_field, merge_schemas
from spark_client.capturing.datasets.sources import DatabaseQuery, LeafSource, find_datasets
from spark_client.capturing.datasets.statistics import count_writes
from spark_client.capturing.datasets.targets import Target, find_sink, find_targets
from spark_client.capturing.datasets.versions import (
    NO_VERSIONS,
    ReadVersions,
    Versions,
    committed,
    read_at,
    with_before,
)
from spark_client.capturing.model import Dataset, Execution, StreamStart, Write
from spark_client.capturing.plans.columns import PlanWalk, TooLarge
from spark_client.capturing.plans.operators import Relation, plans_of
from spark_client.capturing.plans.plan import Node
from spark_client.capturing.plans.row_changes import relate_rows
from spark_client.capturing.plans.row_statements import RowChange
from spark_client.capturing.plans.values import IDENTITY, NOTHING, SOMEHOW, Dependency, Value, unknown

K = TypeVar("K")
_METADATA = "_metadata"
_COMPUTED = "JDBCRelation: computed by the database"
_CHECKPOINTS = ("checkpoint", "localCheckpoint")
# Leaves that stand for a plan elsewhere.
_REFERENCES = ("CTERelationRef", "UnionLoopRef")


class UnknownTarget(Exception):
    """Write whose target has no name; the message names the command and the reason."""


class Extractor:
    """Extractor of writes, in their order; remembers checkpoints and streams, whose plans Spark forgets."""

    def __init__(self, catalogs: Catalogs) -> None:
        self._catalogs = catalogs
        self._checkpoints = _Checkpoints()
        self._versions = ReadVersions(catalogs.default_fs)

    def read_write(self, execution: Execution) -> list[Write]:
        """Return the writes of an execution: mostly none, several where a statement has several INSERTs.

        Raises:
            UnknownTarget: a write's target has no name.
        """
        if execution.action in _CHECKPOINTS:
            self._versions.add_part(execution)
            self._checkpoint(execution)
            return []
        found = find_targets(execution.plan, self._catalogs, dynamic=execution.dynamic_overwrite)
        targets = [candidate for candidate in found if not _was_there(candidate, execution)]
        nameless = [candidate.unknown or candidate.command for candidate in targets if candidate.output is None]
        if nameless:
            raise UnknownTarget("; ".join(nameless))
        versions = self._versions.of(execution)
        return [
            replace(self._write(execution, target, output, versions), written=how_much, number=number)
            for number, (target, how_much) in enumerate(zip(targets, count_writes(targets, execution), strict=True))
            if (output := committed(target.output, execution.commit, self._catalogs.default_fs)) is not None
        ]

    def locate(self, versions: Mapping[str, str | None]) -> Versions:
        """Return by dataset the versions that are known by path."""
        return self._versions.locate(versions)

    def read_stream(self, start: StreamStart) -> Write | None:
        """Return a stream's write into its sink, None if that writes nothing; remember the query for its batches.

        Raises:
            UnknownTarget: the sink has no name.
        """
        query = start.plan.node("inputQuery")
        at_ms = start.started_ms
        whole = Execution(0, 0, "stream", at_ms, at_ms, start.tier, query or start.plan, stream=start.run_id)
        if start.tier != "tables":
            self._checkpoint(whole)
        target = find_sink(start.plan, start.options, self._catalogs)
        if target is None:
            return None
        if target.output is None:
            raise UnknownTarget(target.unknown or target.command)
        return self._write(whole, target, target.output)

    def _write(self, execution: Execution, target: Target, output: Dataset, versions: Versions = NO_VERSIONS) -> Write:
        reading = _Reading(self._catalogs, self._checkpoints, target.query, target.rows)
        write = Write(
            execution_id=execution.id,
            command=target.command,
            started_ms=execution.started_ms,
            ended_ms=execution.ended_ms,
            output=output,
            inputs=(*read_at(reading.inputs(), versions), *target.inputs),
            tier=execution.tier,
            change=target.change,
            failure=execution.failure,
            sql=execution.sql,
            unknown_inputs=tuple(reading.unknown_inputs()),
            stream=execution.stream,
        )
        if target.rows is not None:
            changed = _changed(write, target.rows, reading)
            before = with_before(versions, output.id, execution.commit)
            return replace(changed, inputs=tuple(read_at(changed.inputs, before)))
        if execution.tier == "tables" or target.query is None:
            return replace(write, tier="tables")
        if target.unknown is not None:
            return replace(write, unknown={(name,): target.unknown for name in target.names})
        try:
            relation = PlanWalk(reading.leaf).relation(target.query)
        except TooLarge:
            return replace(write, tier="tables")
        made = _OutputColumns(target.names, relation.values, target.generated)
        return replace(write, columns=ColumnLineage(made.fields, _sources_of(relation.rows)), unknown=made.unknown)

    def _checkpoint(self, execution: Execution) -> None:
        reading = _Reading(self._catalogs, self._checkpoints, execution.plan)
        try:
            relation = PlanWalk(reading.leaf).relation(execution.plan)
        except TooLarge:
            return
        read = read_at(reading.inputs(), self.locate(execution.read_versions))
        self._checkpoints.remember(relation, list(read), list(reading.unknown_inputs()))


def _changed(write: Write, rows: RowChange, reading: _Reading) -> Write:
    """Return the write of a statement that changes rows; expressions without kinds do not show what they keep."""
    before = () if write.output.id in {item.id for item in write.inputs} else (replace(write.output, version=None),)
    unread = replace(write, tier="tables", inputs=(*write.inputs, *before))
    if write.tier != "full":
        return unread
    try:
        changed = relate_rows(rows, write.output.id, reading.leaf)
    except TooLarge:
        return unread
    clauses = [_OutputColumns(tuple(made), list(made.values()), ()) for made in changed.columns]
    columns = merge_columns(
        [ColumnLineage(dataset_level=_sources_of(changed.rows)), *(ColumnLineage(item.fields) for item in clauses)]
    )
    unknown = {path: reason for item in clauses for path, reason in item.unknown.items()}
    inputs = unread.inputs if changed.of_before else write.inputs
    return replace(write, columns=columns, unknown=unknown, inputs=inputs)


def _was_there(target: Target, execution: Execution) -> bool:
    """True if the write only happens where nothing exists, and something existed."""
    return target.unless_there and execution.failure is None and not execution.had_jobs


class _OutputColumns:
    """Values as columns of a dataset: by path the sources of each, or why they are unknown."""

    def __init__(self, names: Sequence[str], values: Sequence[Value], generated: Iterable[str]) -> None:
        self.fields: dict[FieldPath, Sources] = {(name,): {} for name in generated}
        self.unknown: dict[FieldPath, str] = {}
        # Columns that share a value share its sources.
        self._sources: dict[int, Sources] = {}
        for name, value in zip(names, values, strict=False):
            self._add((name,), value)

    def _add(self, path: FieldPath, value: Value) -> None:
        for name, inner in value.fields.items():
            self._add((*path, name), inner)
        if value.unknown:
            self.unknown[path] = "; ".join(sorted(value.unknown))
        if value.made_of or not (value.fields or value.unknown):
            if id(value) not in self._sources:
                self._sources[id(value)] = _sources_of(value.made_of)
            self.fields[path] = self._sources[id(value)]


def _sources_of(dependencies: Iterable[Dependency]) -> Sources:
    """Return by source all transformations of its dependencies."""
    found: dict[ColumnSource, set[Transformation]] = {}
    for dependency in dependencies:
        found.setdefault(dependency.source, set()).add(dependency.how)
    return {source: frozenset(hows) for source, hows in found.items()}


class _Reading:
    """Reading of a query: its leaves without the table whose rows it changes."""

    def __init__(
        self, catalogs: Catalogs, checkpoints: _Checkpoints, query: Node | None, rows: RowChange | None = None
    ) -> None:
        self._catalogs = catalogs
        self._checkpoints = checkpoints
        leaves = [] if query is None else [node for node in _reachable(query) if _is_leaf(node)]
        self._leaves = [leaf for leaf in leaves if rows is None or not rows.is_target(leaf)]
        self._read: dict[int, LeafSource] = {}
        for leaf in self._leaves:
            checkpoints.meet(leaf)

    def inputs(self) -> Iterator[Dataset]:
        """Yield the datasets, each once; those of checkpointed frames too."""
        found: dict[DatasetId, Dataset] = {}
        for leaf in self._leaves:
            remembered = self._checkpoints.find(leaf)
            for dataset in remembered.inputs if remembered else self._find(leaf).datasets:
                known = found.setdefault(dataset.id, dataset)
                if known.version != dataset.version:  # read at several versions
                    found[dataset.id] = replace(known, version=None)
        yield from found.values()

    def unknown_inputs(self) -> Iterator[str]:
        """Yield why there are inputs without a name, each reason once; inputs of checkpointed frames too."""
        found: dict[str, None] = {}
        for leaf in self._leaves:
            remembered = self._checkpoints.find(leaf)
            found |= dict.fromkeys(remembered.unknown_inputs if remembered else self._find(leaf).unknown_inputs)
        yield from found

    def leaf(self, node: Node) -> Relation:
        """Return the columns of a leaf's datasets."""
        remembered = self._checkpoints.find(node)
        if remembered:
            return remembered.relation(_ids(node))
        read = self._find(node)
        if read.query is not None:
            return _columns_of_query(read.query, _outputs(node))
        hidden = _hidden(node)
        outputs = _outputs(node)
        values = (NOTHING if output.text("name") == hidden else _column(output, read) for output in outputs)
        return Relation(
            tuple((output.text("exprId") or "", value) for output, value in zip(outputs, values, strict=True))
        )

    def _find(self, leaf: Node) -> LeafSource:
        if leaf.number not in self._read:
            self._read[leaf.number] = find_datasets(leaf, self._catalogs)
        return self._read[leaf.number]


def _column(attribute: Node, read: LeafSource) -> Value:
    name = attribute.text("name")
    if read.unknown is not None or name is None:
        return unknown(read.unknown or f"{attribute.kind}: without a name")
    if not read.datasets:
        return NOTHING
    how = SOMEHOW if attribute.kind == "References" else IDENTITY
    if read.merged:
        return _merged((name,), read.datasets, how)
    return Value(frozenset(Dependency(ColumnSource(dataset.id, (name,)), how) for dataset in read.datasets))


def _merged(path: FieldPath, datasets: Sequence[Dataset], how: Transformation) -> Value:
    """Return a column of datasets read as one: of those that have it, down to its fields where these differ."""
    having = {dataset.id: field for dataset in datasets if (field := find_field(dataset.schema, path)) is not None}
    names = [sorted(inside.name.lower() for inside in field.fields) for field in having.values()]
    if any(each != names[0] for each in names):
        inside = {
            dataset.name: _merged((*path, dataset.name), datasets, how)
            for dataset in merge_schemas([f.fields for f in having.values()])
        }
        return Value(fields=inside)
    without = [dataset.id.name for dataset in datasets if not dataset.schema]
    reasons = [f"HadoopFsRelation: whether {name} has it is not known" for name in without[:1]]
    return Value(
        frozenset(Dependency(ColumnSource(dataset, path), how) for dataset in having), unknown=frozenset(reasons)
    )


def _columns_of_query(query: DatabaseQuery, outputs: Sequence[Node]) -> Relation:
    """Return the columns of a query that a database runs; a column that is not resolved is unknown."""
    ids = [output.text("exprId") or "" for output in outputs]
    plan = resolve(query.plan, [output.text("name") or "" for output in outputs], _table_of_database)
    relation = Relation() if plan is None else PlanWalk(lambda leaf: _columns_of(leaf, query.url)).relation(plan)
    values = [
        replace(output, unknown=frozenset({_COMPUTED})) if output.unknown else output for output in relation.values
    ]
    if len(values) != len(ids):
        values = [unknown(_COMPUTED)] * len(ids)
    return Relation(tuple(zip(ids, values, strict=True)), relation.rows)


def _table_of_database(parts: Sequence[str]) -> Node:
    leaf = Node(0, "DatabaseTable")
    leaf.values = {"schema": None, "name": ".".join(parts)}
    return leaf


def _columns_of(table: Node, url: str) -> Relation:
    dataset = jdbc.find_table(url, table.text("name") or "")
    names = [
        (output.text("exprId") or "", jdbc.find_column(url, output.text("name") or ""))
        for output in table.nodes("output")
    ]
    if dataset is None:
        return Relation(tuple((output, unknown(_COMPUTED)) for output, _ in names))
    sources = [(output, ColumnSource(dataset, (name,))) for output, name in names]
    return Relation(tuple((output, Value(frozenset({Dependency(source, IDENTITY)}))) for output, source in sources))


def _hidden(leaf: Node) -> str | None:
    """Return the metadata column that Spark adds to files' own on demand: their paths, sizes and times."""
    relation = leaf.values.get("relation")
    schema = relation.get("schema") if isinstance(relation, dict) else None
    return None if not isinstance(schema, str) or f'"name":"{_METADATA}"' in schema else _METADATA


def _outputs(leaf: Node) -> list[Node]:
    return leaf.nodes("output") or leaf.nodes("dataCols", "partitionCols")


def _ids(leaf: Node) -> tuple[str, ...]:
    return tuple(output.text("exprId") or "" for output in _outputs(leaf))


def _is_leaf(node: Node) -> bool:
    return "schema" in node.values and node.kind not in _REFERENCES and not plans_of(node)


def _reachable(root: Node) -> Iterator[Node]:
    """Yield a node and all nodes below it, each once."""
    seen, left = {root.number}, [root]
    while left:
        node = left.pop()
        yield node
        for child in () if _is_leaf(node) else node.below:
            if child.number not in seen:
                seen.add(child.number)
                left.append(child)


class _Checkpoint(NamedTuple):
    values: list[Value]
    rows: frozenset[Dependency]
    inputs: list[Dataset]
    unknown_inputs: list[str]

    def relation(self, ids: Iterable[str]) -> Relation:
        """Return the frame, with columns of these ids."""
        return Relation(tuple(zip(ids, self.values, strict=False)), self.rows)


class _Checkpoints:
    """Sources of the latest checkpointed frames.

    Spark forgets their plans, but their columns keep their ids. Where a frame is joined with itself, one side gets new
    ids, but both sides read one RDD.
    """

    def __init__(self, frames_max: int = 500) -> None:
        self._by_ids: OrderedDict[tuple[str, ...], _Checkpoint] = OrderedDict()
        self._by_rdd: OrderedDict[str, _Checkpoint] = OrderedDict()
        self._max = frames_max

    def remember(self, relation: Relation, inputs: list[Dataset], unknown_inputs: list[str]) -> None:
        """Remember a frame that was checkpointed."""
        ids = tuple(name for name, _ in relation.columns)
        _put(self._by_ids, ids, _Checkpoint(relation.values, relation.rows, inputs, unknown_inputs), self._max)

    def meet(self, leaf: Node) -> None:
        """Note the RDD of a frame whose columns still have their ids."""
        known, rdd = self._by_ids.get(_ids(leaf)), leaf.text("rdd.id")
        if known is not None and rdd is not None:
            _put(self._by_rdd, rdd, known, self._max)

    def find(self, leaf: Node) -> _Checkpoint | None:
        """Return the checkpoint that a leaf reads."""
        return self._by_ids.get(_ids(leaf)) or self._by_rdd.get(leaf.text("rdd.id") or "")


def _put(into: OrderedDict[K, _Checkpoint], key: K, checkpoint: _Checkpoint, most: int) -> None:
    into[key] = checkpoint
    into.move_to_end(key)
    while len(into) > most:
        into.popitem(last=False)
