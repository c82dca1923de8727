"""Writes of a `spark.sql` command (a query runs later), and its effect on names and variables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from spark_client.capturing.connect.columns.lineage import Into
from spark_client.capturing.connect.commanded import Commanded
from spark_client.capturing.connect.hidden_reads import VARIABLE, variable_name
from spark_client.capturing.connect.plan_texts import PlanText, parse_analyzed_text, reads_in
from spark_client.capturing.connect.reads import QueryRead, is_frame, reads_of
from spark_client.capturing.connect.reads import Read as NamedRead
from spark_client.capturing.connect.server import statement_of
from spark_client.capturing.connect.snapshots import Snapshot
from spark_client.capturing.connect.sql_commands import (
    as_view,
    command_writes,
    unknown_statement,
    view_write,
    writes_by_text,
)
from spark_client.capturing.connect.sql_statements import (
    Statement,
    View,
    find_database,
    find_immediate,
    find_statements,
    is_explainable,
    is_recursive,
)
from spark_client.capturing.model import UnknownTarget, Write
from spark_client.capturing.plans.values import NOTHING, Value, decided_by, unknown

# Statements that may put a new table under an old name.
_CHANGES_TABLES = re.compile(
    r"\s*(?:CREATE|REPLACE|DROP|ALTER|REFRESH|MSCK|UNCACHE|BEGIN|EXECUTE|CALL|RESTORE|CONVERT)\b", re.IGNORECASE
)
# Statements that write the rows of a query, by their class in the parsed plan.
_OF_A_QUERY = frozenset({"InsertIntoStatement", "InsertIntoDir", "CreateTableAsSelect", "ReplaceTableAsSelect"})
_VIEWS = ("CreateView", "AlterViewAs")
# Statements without a plan: the server alone knows their effect.
_OPAQUE = re.compile(r"\s*(BEGIN|EXECUTE\s+IMMEDIATE)\b", re.IGNORECASE)
_LITERAL = re.compile(r"'[^']*'|\"[^\"]*\"")
_ASSIGNS = ("CreateVariable", "SetVariable")


def sql_writes(commanded: Commanded) -> list[Write]:
    """Find the writes of a `spark.sql` command, and follow its changes of names and variables.

    Raises:
        UnknownTarget: a write's target has no name, or the server alone knows the statement's effect.
    """
    message, relation = statement_of(commanded.message)
    around = [read for read in reads_of(relation) if isinstance(read, QueryRead)]
    frames = around[0].frames if around else frozenset()
    tables = [read for read in reads_of(relation) if not isinstance(read, QueryRead)]
    return _writes_of(commanded, message, frames, tables)


def _writes_of(
    commanded: Commanded, message: Any, frames: frozenset[str] = frozenset(), tables: Sequence[NamedRead] = ()
) -> list[Write]:
    session, text = commanded.session, message.query
    if commanded.done and (database := find_database(text)) is not None:
        session.move(database)
    if commanded.done and _CHANGES_TABLES.match(text):
        session.forget_tables()
    if (immediate := find_immediate(text)) is not None:
        inside = type(message)(query=immediate[0])
        return _into(commanded, inside, immediate[1]) if immediate[1] else _writes_of(commanded, inside)
    if (match := _OPAQUE.match(text)) is not None:
        return _opaque(commanded, text, "script" if match[1].upper() == "BEGIN" else "EXECUTE IMMEDIATE")
    if (by_text := writes_by_text(commanded, text)) is not None:
        return by_text
    root = session.plan(message) if is_explainable(text) else None
    if root is None:
        return unknown_statement(commanded, text, "a statement that nobody knows")
    if root.kind in _ASSIGNS:
        return _assigned(commanded, message, root)
    return _statements(commanded, message, root, frames, tables)


def _statements(
    commanded: Commanded, message: Any, root: PlanText, frames: frozenset[str], tables: Sequence[NamedRead]
) -> list[Write]:
    session, text = commanded.session, message.query
    columns = commanded.statements(message)
    statements = list(find_statements(root, recursive=is_recursive(text)))
    # A plan without the program's frames cannot be analyzed.
    analyzed = None if frames else parse_analyzed_text(session.explained(message))
    writes: list[Write] = []
    for place, statement in enumerate(statements):
        if isinstance(statement, PlanText):
            writes += command_writes(commanded, statement, analyzed, text)
            continue
        reads = tuple(_without(statement.reads, frames, tables))
        if analyzed is not None:
            target = [statement.target] if isinstance(statement, Statement) and statement.target else []
            hidden = session.hidden(_command(analyzed, place, len(statements)), root, [*reads, *target])
            reads = (*reads, *hidden)
        written = _write(commanded, replace(statement, reads=reads), text, columns, len(writes))
        writes += [written] if written else []
    return writes


def _write(
    commanded: Commanded,
    statement: Statement | View,
    text: str,
    columns: Sequence[tuple[Snapshot, Into]],
    number: int,
) -> Write | None:
    """Make the write of a statement with a query; None for a temporary view, noted in the session."""
    snapshot = columns[0][0] if len(columns) == 1 else None
    statement = as_view(commanded, statement)
    if isinstance(statement, View):
        if commanded.done:
            commanded.session.put_view(statement.name, statement.reads, snapshot)
        return None
    if statement.kind in _VIEWS:
        return view_write(commanded, statement, text, snapshot)
    write = commanded.write(replace(statement, kind=f"SQL {statement.kind}"), sql=text, number=number)
    known = columns[number] if number < len(columns) and statement.kind in _OF_A_QUERY else None
    return commanded.named(write, *known) if known else write


def _command(analyzed: PlanText, place: int, count: int) -> PlanText:
    """Pick the plan of a statement among several with a shared FROM; the whole plan, if not side by side."""
    side_by_side = analyzed.kind == "Union" and len(analyzed.below) == count
    return analyzed.below[place] if side_by_side and count > 1 else analyzed


def _opaque(commanded: Commanded, text: str, kind: str) -> list[Write]:
    """Refuse a script or an EXECUTE IMMEDIATE; a statement with INTO only sets variables.

    Raises:
        UnknownTarget: the statement may have written.
    """
    why = "on Spark Connect, what it reads and writes is not seen"
    commanded.session.doubt(text, f"{kind}: {why}")
    if kind != "script" and re.search(r"\bINTO\b", _LITERAL.sub("", text), re.IGNORECASE):
        return []
    raise UnknownTarget(commanded.opaque(kind, why, text))


def _into(commanded: Commanded, message: Any, names: Sequence[str]) -> list[Write]:
    """Note the variables of `EXECUTE IMMEDIATE 'SELECT 1, 2' INTO x, y`."""
    from pyspark.sql.connect import proto

    if commanded.done:
        relation = proto.Relation()
        relation.sql.CopyFrom(message)
        _put(commanded, names, [QueryRead(message)], commanded.snapshot(relation))
    return []


def _assigned(commanded: Commanded, message: Any, root: PlanText) -> list[Write]:
    """Note the variables of a `DECLARE` or `SET VAR`."""
    session = commanded.session
    analyzed = parse_analyzed_text(session.explained(message))
    if not commanded.done or analyzed is None:
        return []
    reads = list(reads_in(root, recursive=is_recursive(message.query)))
    if root.kind == "CreateVariable":
        reads += session.hidden(analyzed, root, reads)
        known = Snapshot((), tuple(NOTHING for _ in root.below))
        _put(commanded, [node.name[-1] for node in root.below], reads, None if reads else known)
        return []
    for query in (*analyzed.inside, *analyzed.below):
        reads += session.hidden(query, root, reads)
    columns = commanded.statements(message)
    names = [match[1] for match in VARIABLE.finditer(analyzed.text)]
    _put(commanded, names, reads, columns[0][0] if len(columns) == 1 else None)
    return []


def _put(commanded: Commanded, names: Sequence[str], reads: Sequence[NamedRead], snapshot: Snapshot | None) -> None:
    if snapshot is None or len(snapshot.values) != len(names):
        values = [unknown("SetVariable: a query whose columns are not read")] * len(names)
    else:
        values = [decided_by(value, Value(snapshot.rows)) for value in snapshot.values]
    expanded = list(commanded.session.expand(reads))
    for name, value in zip(names, values, strict=True):
        commanded.session.put_variable(variable_name(name), expanded, value)


def _without(reads: Iterable[NamedRead], frames: frozenset[str], tables: Sequence[NamedRead]) -> Iterable[NamedRead]:
    """Yield the reads of a statement, with the sources of the program's frames in their place."""
    for read in reads:
        yield from tables if is_frame(read, frames) else [read]
