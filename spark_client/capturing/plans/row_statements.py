"""Statements MERGE, UPDATE and DELETE in a command: the set columns, their new values, and the conditions on rows.

Delta's and Hudi's commands keep the written statement. Spark rewrites it to a query for new rows, read back here
(org.apache.spark.sql.catalyst.analysis: RewriteMergeIntoTable and its like, in 3.5 to 4.3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from spark_client.capturing.plans.added_columns import added_columns
from spark_client.capturing.plans.plan import Node

# Column of the operation in Spark's rewritten rows, and its number for a deleted row
# (org.apache.spark.sql.catalyst.util.RowDeltaUtils), in Spark 3.5 the only mark of a deleted row.
_OPERATION, _DELETED = "__row_operation", "1"

Does: TypeAlias = Literal["UPDATE", "INSERT", "DELETE"]
_AROUND_CASTS = ("Alias", "CheckOverflowInTableWrite", "CheckOverflowInTableInsert")
_DELTA_CLAUSES: Mapping[str, Does] = {"UpdateClause": "UPDATE", "InsertClause": "INSERT", "DeleteClause": "DELETE"}
_SPARK_ACTIONS: Mapping[str, Does] = {"UpdateAction": "UPDATE", "InsertAction": "INSERT", "DeleteAction": "DELETE"}
HUDI_DELETE = "DeleteHoodieTableCommand"
# Columns with their new values; None is a literal.
Assigned: TypeAlias = tuple[tuple[str, Node | None], ...]


@dataclass(frozen=True, slots=True)
class Clause:
    """Change of the rows of a condition; None for all rows."""

    does: Does
    condition: Node | None = None
    assigned: Assigned = ()


@dataclass(frozen=True, slots=True)
class RowChange:
    """Statement for a change of rows in place.

    Attributes:
        target: plan of the existing rows.
        named: numbers of the leaves with the changed table.
        source, on: of a MERGE, the plan of the source rows, and the conditions of the join.
    """

    target: Node
    clauses: tuple[Clause, ...]
    named: frozenset[int]
    source: Node | None = None
    on: tuple[Node, ...] = ()

    def is_target(self, leaf: Node) -> bool:
        """Check for the changed table among the leaves; all leaves beside are inputs."""
        return _is_target(leaf, self.named)


def find_row_change(command: Node) -> RowChange | None:
    """Find the statement of a command; None without a change of rows, or for an unknown form."""
    rule = _RULES.get(command.kind)
    return rule(command) if rule else None


def _delta_update(command: Node) -> RowChange | None:
    target = command.node("target")
    if target is None:
        return None
    # Delta has an expression for each column; a column without SET is itself.
    expressions = map(_before_cast, _each(command.values.get("updateExpressions")))
    assigned = tuple(zip(_names(target), expressions, strict=False))
    return RowChange(target, (Clause("UPDATE", command.node("condition"), assigned),), _leaves(target))


def _before_cast(expression: Node | None) -> Node | None:
    """Find the assigned expression below Delta's own cast to the column's type."""
    inside = expression
    while inside is not None and inside.kind in _AROUND_CASTS:
        inside = inside.node("child")
    added = inside is not None and inside.kind == "Cast" and inside.values.get("ofUser") is False
    return inside.node("child") if inside is not None and added and inside.values.get("flat") is True else expression


def _delete(command: Node) -> RowChange | None:
    target = command.node("table") or command.node("target")  # of Spark's `DeleteFromTable`, of Delta's `DeleteCommand`
    if target is None:
        return None
    return RowChange(target, (Clause("DELETE", command.node("condition")),), _leaves(target))


def _hudi_delete(command: Node) -> RowChange | None:
    query = command.node("query")  # the deleted rows, in Hudi 1.2; before, the command keeps a `DeleteFromTable`
    if query is None:
        return _delete(command.node("dft") or command)
    condition = query.node("condition") if query.kind == "Filter" else None
    return RowChange(query, (Clause("DELETE", condition),), _leaves(query))


def _delta_merge(command: Node) -> RowChange | None:
    """Read Delta's `MergeIntoCommand`: the written clauses, with stars as columns."""
    target, source = command.node("target"), command.node("source")
    if target is None or source is None:
        return None
    written = command.nodes("matchedClauses", "notMatchedClauses", "notMatchedBySourceClauses")
    clauses = _all(map(_delta_clause, written))
    on = tuple(command.nodes("condition"))
    return RowChange(target, clauses, _leaves(target), source, on) if clauses else None


def _delta_clause(clause: Node) -> Clause | None:
    does = next((does for name, does in _DELTA_CLAUSES.items() if clause.kind.endswith(name)), None)
    actions = clause.nodes("actions", "cols")
    assigned = tuple(
        (".".join(action.values.get("targetColNameParts") or ()), _before_cast(action.node("expr")))
        for action in actions
    )
    return Clause(does, clause.node("condition") or clause.node("cond"), assigned) if does else None


def _spark_update(command: Node) -> RowChange | None:
    """Read Spark's `UpdateTable`, kept in Hudi's command."""
    statement = command.node("ut")
    target = _leaf(table) if statement is not None and (table := statement.node("table")) is not None else None
    if statement is None or target is None:
        return None
    clause = _assigning("UPDATE", statement)
    # Hudi's query has a leaf of its own for the table.
    named = _leaves(target, *command.nodes("query"))
    return RowChange(target, (clause,), named) if clause else None


def _spark_merge(command: Node) -> RowChange | None:
    """Read Spark's `MergeIntoTable`, kept in Hudi's command, with stars as columns."""
    statement = command.node("mergeInto")
    table, source = (statement.node(name) if statement else None for name in ("targetTable", "sourceTable"))
    target = _leaf(table) if table is not None else None
    if statement is None or target is None or source is None:
        return None
    actions = statement.nodes("matchedActions", "notMatchedActions", "notMatchedBySourceActions")
    clauses = _all(_assigning(_SPARK_ACTIONS.get(action.kind), action) for action in actions)
    on = tuple(statement.nodes("mergeCondition"))
    return RowChange(target, clauses, _leaves(target), source, on) if clauses else None


def _assigning(does: Does | None, action: Node) -> Clause | None:
    """Make a clause of assigned columns; None for an assigned field inside a column."""
    assigned = [(item.node("key"), item.node("value")) for item in action.nodes("assignments")]
    if does is None or any(key is None or key.kind != "AttributeReference" for key, _ in assigned):
        return None
    columns = tuple(((key.text("name") or "") if key else "", value) for key, value in assigned)
    return Clause(does, action.node("condition"), columns)


def _rewritten(command: Node) -> RowChange | None:
    """Read back Spark's `ReplaceData` (a copy of whole groups of rows) or `WriteDelta` (a change for each row)."""
    query, table = command.node("query"), command.node("table")
    if query is None or table is None:
        return None
    if query.kind == "MergeRows":
        return _merged(command)
    target, chosen, named = _leaf(query), command.node("condition"), _leaves(*command.nodes("table", "originalTable"))
    if target is not None and _operation(table) == "DELETE":
        return RowChange(target, (Clause("DELETE", chosen),), named)
    assigned = _known(table, _updated(query, whole=command.kind == "ReplaceData"))
    if target is None or not assigned:
        return None
    return RowChange(target, (Clause("UPDATE", chosen, assigned),), named)


def _merged(command: Node) -> RowChange | None:
    """Read back a MERGE, rewritten to `MergeRows` over a join; a MERGE of inserts alone is an append."""
    query, table = command.node("query"), command.node("table")
    join = query.node("child") if query is not None else None
    if query is None or table is None or query.kind != "MergeRows" or join is None:
        return None
    # The table is a side of the join, the source is opposite.
    named = _leaves(*command.nodes("table", "originalTable"))
    sides = join.nodes("left", "right")
    target = next((side for side in sides if (leaf := _leaf(side)) is not None and _is_target(leaf, named)), None)
    source = next((side for side in sides if side is not target), None)
    clauses = _all(_instructions(query, table))
    if target is None or clauses is None:
        return None
    # Conditions on the table alone may have moved into a filter.
    filters = [node for part in _path(target) if part.kind == "Filter" for node in part.nodes("condition")]
    on = (*join.nodes("condition"), *filters)
    return RowChange(target, clauses, named, source, on)


def _instructions(query: Node, table: Node) -> Iterator[Clause | None]:
    names = [output.text("name") or "" for output in query.nodes("output")]
    for instruction in query.nodes("matchedInstructions", "notMatchedBySourceInstructions"):
        yield _instruction(instruction, names, table)
    for instruction in query.nodes("notMatchedInstructions"):
        yield Clause(
            "INSERT", instruction.node("condition"), _known(table, _rows(names, instruction.values.get("output")))
        )


def _instruction(instruction: Node, names: Sequence[str], table: Node) -> Clause | None:
    """Make an instruction's clause: `Discard` deletes, `Keep` updates or deletes, `Split` replaces a row."""
    operation = instruction.text("output.head.value") if names[0] == _OPERATION else ""
    if instruction.kind == "MergeRows$Discard" or (instruction.kind == "MergeRows$Keep" and operation == _DELETED):
        return Clause("DELETE", instruction.node("condition"))
    if instruction.kind not in ("MergeRows$Keep", "MergeRows$Split") or (
        instruction.kind == "MergeRows$Keep" and operation is None
    ):
        return None
    output = instruction.values.get("otherOutput") or instruction.values.get("output")
    return Clause("UPDATE", instruction.node("condition"), _known(table, _rows(names, output)))


def _updated(query: Node, *, whole: bool) -> Assigned:
    """Read back the assignments of an UPDATE; for `whole` groups, `if(condition, new, old)` has the kept value, too."""
    if query.kind == "Expand":  # the deleted row, and its new row
        names = [item.text("name") or "" for item in query.nodes("output")]
        return _rows(names, (query.values.get("projections") or [None])[-1])
    path = _path(query)
    while path[-1].nodes("children"):
        path += _path(path[-1].nodes("children")[0])
    # Spark 4.1 puts the operation into a projection of its own: skip it.
    named = ([item for item in node.nodes("projectList") if item.kind == "Alias"] for node in path)
    aliases = next((items for items in named if any(item.text("name") != _OPERATION for item in items)), [])
    pairs = ((item.text("name") or "", item.node("child")) for item in aliases)
    return tuple(
        (name, item.node("trueValue") if whole and item and item.kind == "If" else item) for name, item in pairs
    )


def _all(clauses: Iterable[Clause | None]) -> tuple[Clause, ...] | None:
    """List the clauses; None with an unknown clause, since half a statement is wrong."""
    listed = tuple(clauses)
    known = tuple(clause for clause in listed if clause is not None)
    return known if known and len(known) == len(listed) else None


def _rows(names: Sequence[str], expressions: object) -> Assigned:
    return tuple(zip(names, _each(expressions), strict=False))


def _known(table: Node, assigned: Assigned) -> Assigned:
    # Rewritten rows have more columns than the table, for the writing source.
    names = {item.text("name") for item in table.nodes("output")} - added_columns(table)
    return tuple(item for item in assigned if item[0] in names)


def _each(expressions: object) -> Iterator[Node | None]:
    for expression in expressions if isinstance(expressions, list) else ():
        yield expression if isinstance(expression, Node) else None


def _operation(table: Node) -> object:
    return table.at("table", "operation.command")


def _is_target(leaf: Node, named: frozenset[int]) -> bool:
    # Spark reads the changed table by a relation of its own, with the operation.
    return leaf.number in named or _operation(leaf) is not None


def _path(plan: Node) -> list[Node]:
    """List a plan and the chain of its only children."""
    path = [plan]
    while (child := path[-1].node("child")) is not None:
        path.append(child)
    return path


def _leaf(plan: Node) -> Node | None:
    """Find the leaf of a plan without joins; of a union the first leaf."""
    last = _path(plan)[-1]
    while last.nodes("children"):
        last = _path(last.nodes("children")[0])[-1]
    return last if last.nodes("output") and not last.nodes("left", "right") else None


def _leaves(*plans: Node) -> frozenset[int]:
    return frozenset(leaf.number for plan in plans if (leaf := _leaf(plan)) is not None)


def _names(target: Node) -> list[str]:
    """Name the columns of a plan of projections and a leaf."""
    named = next((node for node in _path(target) if node.nodes("projectList", "output")), target)
    return [column.text("name") or "" for column in named.nodes("projectList") or named.nodes("output")]


_RULES: Mapping[str, Callable[[Node], RowChange | None]] = {
    "ReplaceData": _rewritten,
    "WriteDelta": _rewritten,
    "AppendData": _merged,
    "InsertOnlyMerge": _merged,
    "DeleteFromTable": _delete,
    "UpdateCommand": _delta_update,
    "DeleteCommand": _delete,
    "MergeIntoCommand": _delta_merge,
    "UpdateHoodieTableCommand": _spark_update,
    HUDI_DELETE: _hudi_delete,
    "MergeIntoHoodieTableCommand": _spark_merge,
}
