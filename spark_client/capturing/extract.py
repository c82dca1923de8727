"""Extraction of an execution's writes: outputs, inputs, and the sources of each column."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from headwater_model.columns import ColumnLineage, ColumnSource, Sources, Transformation, merge_columns
from headwater_model.ids import FieldPath
from spark_client.capturing.datasets.catalogs import Catalogs
from spark_client.capturing.datasets.scans import scanned
from spark_client.capturing.datasets.statement_texts import find_in_text
from spark_client.capturing.datasets.statistics import count_writes
from spark_client.capturing.datasets.target import Target
from spark_client.capturing.datasets.targets import find_targets
from spark_client.capturing.datasets.versions import (
    NO_VERSIONS,
    ReadVersions,
    Versions,
    committed,
    read_at,
    with_before,
)
from spark_client.capturing.leaves import Checkpoint, Checkpoints, QueryLeaves
from spark_client.capturing.model import (
    CALL,
    RDD_ACTION,
    RDD_SAVES,
    RENAME,
    Dataset,
    Execution,
    Read,
    UnknownTarget,
    Write,
)
from spark_client.capturing.parts import part_of_plan
from spark_client.capturing.plans.plan import Node
from spark_client.capturing.plans.row_changes import relate_rows
from spark_client.capturing.plans.row_statements import RowChange
from spark_client.capturing.plans.values import Dependency, TooLarge, Value
from spark_client.capturing.variables import DECLARES, SETS, Variables, read_variables

# Delta's log beside a table, read for the state of the table.
_DELTAS_LOG = "/_delta_log"
# Ends of Spark's names of actions, as in `collectAsArrowToPython`.
_TO_PYTHON = re.compile(r"(?:AsArrow)?ToPython$")
# Saves with a batch of Python's rows in each record.
_SAVES_OF_BATCHES = ("saveAsPickleFile",)
_CHECKPOINTS = ("checkpoint", "localCheckpoint")
_TOO_LARGE = "a plan that exceeds planMaxNodes, planMaxChars or planMaxMillis"
# Action of the plan of a whole stream.
STREAM = "stream"


class Extractor:
    """Extractor of writes, in their order; remembers plans of checkpoints, streams and variables, as Spark does not."""

    def __init__(self, catalogs: Catalogs) -> None:
        self.catalogs = catalogs
        self._checkpoints = Checkpoints()
        self._versions = ReadVersions(catalogs)
        self._variables = Variables()

    def read(self, execution: Execution) -> Sequence[Read]:
        """Extract the writes of an execution, or its reads; an empty list if neither has a name.

        Raises:
            UnknownTarget: a write's target has no name.
        """
        if (part := part_of_plan(execution.plan.kind)) is not None:
            writes: list[Write] = part.load("plans").read_writes(execution, self)
            return writes
        # Renames and calls are actions without an RDD.
        if execution.action == RENAME and execution.plan.kind == RDD_ACTION:
            return self._rename(execution)
        if execution.action == CALL and execution.plan.kind == RDD_ACTION:
            return self._call(execution)
        if execution.plan.kind == RDD_ACTION:
            result = self._action(execution)
        elif execution.is_read:
            result = self._read_all(execution, _TO_PYTHON.sub("", execution.action) or "toLocalIterator")
        else:
            return self.read_write(execution)
        return [result] if isinstance(result, Write) or result.inputs else []

    def read_write(self, execution: Execution) -> list[Write]:
        """Extract the writes of an execution: mostly none, several for a statement of several INSERTs.

        Raises:
            UnknownTarget: a write's target has no name.
        """
        # Checkpoints and variables write nothing, but later queries read them.
        if execution.action in _CHECKPOINTS:
            self._versions.add_part(execution)
            self.checkpoint(execution)
            return []
        if execution.plan.kind in (DECLARES, SETS):
            self._set(execution)
            return []
        candidates = find_targets(execution.plan, self.catalogs, dynamic=execution.dynamic_overwrite)
        targets = [candidate for candidate in candidates if not _was_there(candidate, execution)]
        nameless = [candidate.unknown or candidate.command for candidate in targets if candidate.output is None]
        versions = self._versions.of(execution)
        # A single target without a name makes the statement's writes unknown: its reads are reported alone.
        if nameless:
            plans = [candidate.query for candidate in targets if candidate.query is not None]
            raise UnknownTarget(self.nameless(execution, targets[0].command, "; ".join(nameless), plans, versions))
        return [
            replace(self.write(execution, target, output, versions), written=how_much, number=number)
            for number, (target, how_much) in enumerate(zip(targets, count_writes(targets, execution), strict=True))
            if (output := committed(target.output, execution.commit, self.catalogs)) is not None
        ]

    def locate(self, versions: Mapping[str, str | None]) -> Versions:
        """Map versions by path to versions by dataset."""
        return self._versions.locate(versions)

    def nameless(self, execution: Execution, command: str, why: str, plans: Iterable[Node], versions: Versions) -> Read:
        """Read the inputs of a write without a named target; `why` is the reason."""
        reads = [self.read_plan(execution, command, plan, versions) for plan in plans]
        return replace(
            self.read_plan(execution, command, None, versions),
            inputs=tuple(dict.fromkeys(dataset for read in reads for dataset in read.inputs)),
            unknown_inputs=tuple(dict.fromkeys(reason for read in reads for reason in read.unknown_inputs)),
            unknown_output=why,
        )

    def read_plan(self, execution: Execution, command: str, plan: Node | None, versions: Versions) -> Read:
        """Read the inputs of a plan of an execution."""
        read = self._described(execution, command, self.reading(execution, plan), versions)
        return replace(
            read, inputs=tuple(item for item in read.inputs if _DELTAS_LOG not in item.id.name), tier="tables"
        )

    def _described(self, execution: Execution, command: str, reading: QueryLeaves, versions: Versions) -> Read:
        return Read(
            execution_id=execution.id,
            command=command,
            started_ms=execution.started_ms,
            ended_ms=execution.ended_ms,
            inputs=tuple(read_at(reading.inputs(), versions)),
            tier=execution.tier,
            failure=execution.failure,
            sql=execution.sql,
            unknown_inputs=tuple(reading.unknown_inputs()),
            stream=execution.stream,
            scanned=scanned(execution, self.catalogs, reading.find_leaf),
        )

    def _read_all(self, execution: Execution, command: str) -> Read:
        return self.read_plan(execution, command, execution.plan, self.locate(execution.read_versions))

    def _action(self, execution: Execution) -> Read:
        """Extract the write of an action that saves an RDD, or the reads of any action."""
        read = self._read_all(execution, execution.action)
        if execution.action not in RDD_SAVES:
            return read
        path = execution.plan.text("path")
        output = self.catalogs.find_path(path) if path else None
        if output is None:
            raise UnknownTarget(replace(read, unknown_output=f"{execution.action}: a target that nobody can name"))
        written = execution.task_outputs
        if execution.action in _SAVES_OF_BATCHES:
            written = replace(written, rows=None)
        return without_columns(write_of(read, output=Dataset(output), written=written), "rows of an RDD")

    def _rename(self, execution: Execution) -> list[Write]:
        """Extract the rename of a path; counted if the application has met the path before."""
        paths = (execution.plan.text("path") or "").split("\n")
        before, after = (self.catalogs.find_path(path) for path in paths)
        if before is None or after is None or before == after:
            return []
        read = replace(self._read_all(execution, RENAME), inputs=(Dataset(before),), unknown_inputs=())
        return [write_of(read, output=Dataset(after), change="RENAME", renamed_from=before, if_met=True)]

    def _call(self, execution: Execution) -> list[Write]:
        """Extract the write of a procedure by its text. The plan's path is the current catalog, a line end, the text.

        Raises:
            UnknownTarget: the procedure, or its table, has no name.
        """
        catalog, _, text = (execution.plan.text("path") or "").partition("\n")
        call = replace(execution, sql=text)
        is_such, target = find_in_text(text, self.catalogs, lambda: (catalog,))
        if target is None and is_such:
            return []
        if target is None or target.output is None:
            why = target.unknown if target else None
            raise UnknownTarget(self.nameless(call, CALL, why or "CALL: a call that nobody knows", [], NO_VERSIONS))
        return [self.write(call, target, target.output)]

    def write(self, execution: Execution, target: Target, output: Dataset, versions: Versions = NO_VERSIONS) -> Write:
        """Read the inputs and columns of a target's write, with the versions of the inputs."""
        reading = self.reading(execution, target.query, target.rows)
        read = self._described(execution, target.command, reading, versions)
        write = write_of(
            replace(read, inputs=(*read.inputs, *target.inputs)),
            output=output,
            change=target.change,
            if_met=target.if_met,
            effect=target.effect,
            added=target.added,
        )
        # A change of rows: the table is a source itself, at the version before.
        if target.rows is not None:
            changed = _changed(write, target.rows, reading)
            before = with_before(versions, output.id, execution.commit)
            return replace(changed, inputs=tuple(read_at(changed.inputs, before)))
        # Writes without a readable query have no columns, or unknown columns.
        if write.without_rows:
            return replace(write, tier="tables") if target.inputs else write
        if execution.tier == "tables" or target.query is None:
            return without_columns(write, _TOO_LARGE if target.query is not None else f"{target.command}: no query")
        if target.unknown is not None:
            return replace(write, unknown={(name,): target.unknown for name in target.names})
        try:
            relation = reading.relation(target.query)
        except TooLarge as reason:
            return without_columns(write, str(reason))
        outputs = OutputColumns(target.names, relation.values, target.generated)
        return replace(write, columns=ColumnLineage(outputs.fields, sources_of(relation.rows)), unknown=outputs.unknown)

    def reading(self, execution: Execution, query: Node | None, rows: RowChange | None = None) -> QueryLeaves:
        """Find the leaves of a query of an execution."""
        variables = self._variables.of(execution.session)
        return QueryLeaves(self.catalogs, self._checkpoints, query, rows, execution.stream, variables)

    def _set(self, execution: Execution) -> None:
        if execution.failure is None:
            read = execution.plan.node("sourceQuery") or execution.plan.node("defaultExpr")
            variables = read_variables(execution, self.reading(execution, read))
            self._variables.put(execution.session, variables)

    def checkpoint(self, execution: Execution) -> None:
        """Remember the sources of a plan, for leaves with its rows."""
        reading = self.reading(execution, execution.plan)
        try:
            relation = reading.relation(execution.plan)
        except TooLarge:
            return
        inputs = list(read_at(reading.inputs(), self.locate(execution.read_versions)))
        checkpoint = Checkpoint(relation.values, relation.rows, inputs, list(reading.unknown_inputs()))
        stream = execution.stream if execution.action == STREAM else None
        self._checkpoints.remember(tuple(name for name, _ in relation.columns), checkpoint, execution.last_rdd, stream)


def write_of(read: Read, **written: Any) -> Write:
    """Make a write with the inputs of a read."""
    values: dict[str, Any] = {each.name: getattr(read, each.name) for each in fields(read)}
    return Write(**values, **written)


def without_columns(write: Write, reason: str) -> Write:
    """Remove the columns of a write, with the reason: `rows of an RDD`."""
    return replace(write, tier="tables", tier_reason=reason)


def _changed(write: Write, rows: RowChange, reading: QueryLeaves) -> Write:
    before = () if write.output.id in {item.id for item in write.inputs} else (replace(write.output, version=None),)
    unread = replace(write, inputs=(*write.inputs, *before))
    # Expressions without kinds do not show the kept columns.
    if write.tier != "full":
        return without_columns(unread, _TOO_LARGE)
    try:
        changed = relate_rows(rows, write.output.id, reading.leaf, reading.variables)
    except TooLarge as reason:
        return without_columns(unread, str(reason))
    clauses = [OutputColumns(tuple(values), list(values.values()), ()) for values in changed.columns]
    columns = merge_columns(
        [ColumnLineage(dataset_level=sources_of(changed.rows)), *(ColumnLineage(item.fields) for item in clauses)]
    )
    unknown = {path: reason for item in clauses for path, reason in item.unknown.items()}
    inputs = unread.inputs if changed.of_before else write.inputs
    return replace(write, columns=columns, unknown=unknown, inputs=inputs)


def _was_there(target: Target, execution: Execution) -> bool:
    """Check for a write that was skipped, since its target existed."""
    return target.unless_there and execution.failure is None and not execution.had_jobs


class OutputColumns:
    """Columns of a dataset, made of values: by path the sources, or the reason for unknown sources."""

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
                self._sources[id(value)] = sources_of(value.made_of)
            self.fields[path] = self._sources[id(value)]


def sources_of(dependencies: Iterable[Dependency]) -> Sources:
    """Collect the transformations of dependencies by their source."""
    by_source: dict[ColumnSource, set[Transformation]] = {}
    for dependency in dependencies:
        by_source.setdefault(dependency.source, set()).add(dependency.how)
    return {source: frozenset(hows) for source, hows in by_source.items()}
