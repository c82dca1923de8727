"""Leaves of a query's plan: the read datasets, and their columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from headwater_model.columns import ColumnSource, Transformation
from headwater_model.ids import DatasetId, FieldPath
from spark_client.capturing.datasets.catalogs import Catalogs
from spark_client.capturing.datasets.leaf_source import LeafSource
from spark_client.capturing.datasets.schemas import find_field, merge_schemas
from spark_client.capturing.datasets.sources import find_datasets, find_record_column
from spark_client.capturing.latest import Latest
from spark_client.capturing.model import RDD_ACTION, Dataset
from spark_client.capturing.parts import part_of_leaf
from spark_client.capturing.plans.added_columns import added_columns
from spark_client.capturing.plans.expression_rules import variable_key
from spark_client.capturing.plans.operators import RowsLineage, plans_of
from spark_client.capturing.plans.plan import Node
from spark_client.capturing.plans.row_statements import RowChange
from spark_client.capturing.plans.values import IDENTITY, NOTHING, SOMEHOW, Dependency, Value, merge_values, unknown
from spark_client.capturing.plans.walk import PlanWalk

_FRAMES_MAX = 500
# References to a plan elsewhere in the tree, no leaves.
_REFERENCES = ("CTERelationRef", "UnionLoopRef")


class Variable(NamedTuple):
    """Variable of a session: its latest value, and the inputs of this value."""

    value: Value
    inputs: Sequence[Dataset] = ()
    unknown_inputs: Sequence[str] = ()


def _unmet(reference: Node) -> Variable:
    """Make the unknown value of a variable set before the capture, or by a cloned session."""
    reason = f"{variable_key(reference)}: it was set before the capture"
    return Variable(unknown(reason), unknown_inputs=(reason,))


class QueryLeaves:
    """Leaves of a query, without the table of its changed rows (`rows`).

    For a batch of a streaming query, `stream` is the run id. `variables` has the session's variables by their keys.
    """

    def __init__(
        self,
        catalogs: Catalogs,
        checkpoints: Checkpoints,
        query: Node | None,
        rows: RowChange | None = None,
        stream: str | None = None,
        variables: Mapping[str, Variable] | None = None,
    ) -> None:
        self._catalogs = catalogs
        self._checkpoints = checkpoints
        self._stream = stream
        self._known_variables = variables or {}
        nodes = [] if query is None else list(_reachable(query))
        leaves = [node for node in nodes if _is_leaf(node)]
        self._leaves = [leaf for leaf in leaves if rows is None or not rows.is_target(leaf)]
        self._variables = {
            key: self._known_variables.get(key) or _unmet(node)
            for node in nodes
            if node.kind == "VariableReference"
            for key in [variable_key(node)]
        }
        self._read: dict[int, LeafSource] = {}
        self._of_parts: dict[int, Checkpoint] = {}
        for leaf in self._leaves:
            checkpoints.meet(leaf, stream)

    @property
    def variables(self) -> Mapping[str, Value]:
        """Values of the variables in the query, by their keys."""
        return {key: variable.value for key, variable in self._variables.items()}

    def relation(self, plan: Node) -> RowsLineage:
        """Read the columns of a plan of this query, and the dependencies of its rows.

        Raises:
            TooLarge: see `PlanWalk`.
        """
        return PlanWalk(self.leaf, self.variables).relation(plan)

    def expression(self, expression: Node) -> Value:
        """Evaluate an expression without columns."""
        return PlanWalk(self.leaf, self.variables).over().value(expression)

    def inputs(self) -> Iterator[Dataset]:
        """Yield each dataset once, with the inputs of checkpointed frames and variables."""
        datasets: dict[DatasetId, Dataset] = {}
        for source in self._sources():
            for dataset in source.datasets if isinstance(source, LeafSource) else source.inputs:
                known = datasets.setdefault(dataset.id, dataset)
                if known.version != dataset.version:  # read at several versions
                    datasets[dataset.id] = replace(known, version=None)
        yield from datasets.values()

    def unknown_inputs(self) -> Iterator[str]:
        """Yield each reason for inputs without a name once, with the reasons of frames and variables."""
        yield from dict.fromkeys(reason for source in self._sources() for reason in source.unknown_inputs)

    def _sources(self) -> Iterator[Checkpoint | LeafSource | Variable]:
        waiting, seen = list(reversed(self._leaves)), {leaf.number for leaf in self._leaves}
        # An RDD may have the rows of frames: their leaves stand inside its leaf.
        while waiting:
            leaf = waiting.pop()
            remembered = self._remembered(leaf)
            inside = [] if remembered else [node for node in leaf.nodes("leaves") if node.kind not in _REFERENCES]
            waiting += [node for node in reversed(inside) if node.number not in seen]
            seen |= {node.number for node in inside}
            yield remembered or (replace(self._find(leaf), unknown=None) if inside else self._find(leaf))
        yield from self._variables.values()

    def leaf(self, node: Node) -> RowsLineage:
        """Read the columns of a leaf's datasets."""
        remembered = self._remembered(node)
        if remembered:
            return remembered.relation(_ids(node))
        read = self._find(node)
        outputs = _outputs(node)
        if read.columns is not None:
            return read.columns(outputs)
        added = {*added_columns(node), find_record_column(node), *read.absent}
        values = (NOTHING if output.text("name") in added else _column(output, read) for output in outputs)
        return RowsLineage(
            tuple((output.text("exprId") or "", value) for output, value in zip(outputs, values, strict=True))
        )

    def find_leaf(self, columns: Sequence[str]) -> DatasetId | None:
        """Find the dataset of the leaf with these column ids; None for no dataset, or several."""
        for leaf in self._leaves:
            if not set(columns).isdisjoint(_ids(leaf)):
                datasets = self._find(leaf).datasets
                return datasets[0].id if len(datasets) == 1 else None
        return None

    def read(self, plan: Node) -> Checkpoint:
        """Read a frame inside a leaf of this query, by its plan.

        Raises:
            TooLarge: see `PlanWalk`.
        """
        reading = QueryLeaves(self._catalogs, self._checkpoints, plan, None, self._stream, self._known_variables)
        relation = reading.relation(plan)
        return Checkpoint(relation.values, relation.rows, list(reading.inputs()), list(reading.unknown_inputs()))

    def _remembered(self, leaf: Node) -> Checkpoint | None:
        """Find the remembered frame of a leaf: a checkpoint, or a frame of a part."""
        checkpoint, part = self._checkpoints.find(leaf), part_of_leaf(leaf.values)
        if checkpoint is not None or part is None:
            return checkpoint
        if leaf.number not in self._of_parts:
            self._of_parts[leaf.number] = part.load("plans").read_leaf(leaf, self._catalogs, self.read)
        return self._of_parts[leaf.number]

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
    """Trace a column of merged datasets to the datasets with this column."""
    having = {dataset.id: field for dataset in datasets if (field := find_field(dataset.schema, path)) is not None}
    names = [sorted(inside.name.lower() for inside in field.fields) for field in having.values()]
    # The datasets' structs differ: trace each field by itself.
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


def _outputs(leaf: Node) -> list[Node]:
    return leaf.nodes("output") or leaf.nodes("dataCols", "partitionCols")


def _ids(leaf: Node) -> tuple[str, ...]:
    return tuple(output.text("exprId") or "" for output in _outputs(leaf))


def _is_leaf(node: Node) -> bool:
    if node.kind == RDD_ACTION or part_of_leaf(node.values) is not None:
        return True
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


class Checkpoint(NamedTuple):
    """Checkpointed frame: its columns, the dependencies of its rows, and its inputs."""

    values: list[Value]
    rows: frozenset[Dependency]
    inputs: list[Dataset]
    unknown_inputs: list[str]

    def relation(self, ids: Iterable[str]) -> RowsLineage:
        """Make the relation of the frame, with these ids for its columns."""
        return RowsLineage(tuple(zip(ids, self.values, strict=False)), self.rows)

    def merged(self, other: Checkpoint) -> Checkpoint:
        """Merge with another frame of as many columns; the result may be either frame."""
        return Checkpoint(
            [merge_values(pair) for pair in zip(self.values, other.values, strict=True)],
            self.rows | other.rows,
            list(dict.fromkeys([*self.inputs, *other.inputs])),
            list(dict.fromkeys([*self.unknown_inputs, *other.unknown_inputs])),
        )


class _Pending:
    """Checkpoints with the same column ids, merged, until their RDDs are met."""

    __slots__ = ("checkpoint", "unmet")

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint
        self.unmet = 1

    def add(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = self.checkpoint.merged(checkpoint)
        self.unmet += 1


class Checkpoints:
    """Sources of the latest checkpointed frames, for leaves with an RDD; Spark forgets the plans of the frames.

    The RDD's id names its frame, also in a self-join, where a side gets new column ids. A lazy checkpoint has no RDD
    yet: its column ids name it until its RDD is met. Several frames may have the same column ids; an RDD may then be
    any of the frames. A batch of a stream is a new RDD with the column ids of the stream's query.
    """

    def __init__(self) -> None:
        self._by_ids: Latest[tuple[str, ...], _Pending] = Latest(_FRAMES_MAX)
        self._by_rdd: Latest[str, Checkpoint] = Latest(_FRAMES_MAX)
        self._streams: Latest[str, tuple[tuple[str, ...], Checkpoint]] = Latest(_FRAMES_MAX)

    def remember(
        self, ids: tuple[str, ...], checkpoint: Checkpoint, rdd: str | None, stream: str | None = None
    ) -> None:
        """Remember a checkpointed frame, or the query of a stream.

        `rdd` is the id of the frame's RDD; None for a lazy checkpoint. `stream` is a stream's run id.
        """
        if stream is not None:
            self._streams[stream] = (ids, checkpoint)
        elif rdd is not None:
            self._by_rdd[rdd] = checkpoint
        elif (pending := self._by_ids.get(ids)) is not None and pending.unmet:
            pending.add(checkpoint)
        else:
            self._by_ids[ids] = _Pending(checkpoint)

    def meet(self, leaf: Node, stream: str | None = None) -> None:
        """Note the RDD of a frame by the leaf's column ids, or of a batch of this stream."""
        rdd = leaf.text("rdd.id")
        if rdd is None:
            return
        if rdd in self._by_rdd:
            self._by_rdd.move_to_end(rdd)
            return
        ids, batch = self._streams.get(stream or "", ((), None))
        if batch is not None and ids == _ids(leaf):
            self._by_rdd[rdd] = batch
        elif (pending := self._by_ids.get(_ids(leaf))) is not None:
            pending.unmet = max(0, pending.unmet - 1)
            self._by_rdd[rdd] = pending.checkpoint

    def find(self, leaf: Node) -> Checkpoint | None:
        """Find the checkpoint behind a leaf; None for a leaf without a remembered RDD."""
        self.meet(leaf)
        return self._by_rdd.get(leaf.text("rdd.id") or "")
