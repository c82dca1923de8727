"""Statements MERGE, UPDATE and DELETE in a command: the columns that they set, to what, in which rows.

Delta's and Hudi's commands have them as they were written. Spark rewrites the statement to a query that makes the rows
anew, which is read back here (org.apache.spark.sql.catalyst.analysis: RewriteMergeIntoTable and its like, in 3.5 to
4.3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from spark_client.capturing.plans.plan import Node

# The column that Spark's rewriting adds to rows for the source that writes them, and its number for a deleted row
# (org.apache.spark.sql.catalyst.util.RowDeltaUtils); Spark 3.5 marks deleted rows by nothing else.
_OPERATION, _DELETED = "__row_operation", "1"

Does: TypeAlias = Literal["UPDATE", "INSERT", "DELETE"]
_AROUND_CASTS = ("Alias", "CheckOverflowInTableWrite", "CheckOverflowInTableInsert")
_DELTA_CLAUSES: Mapping[str, Does] = {"UpdateClause": "UPDATE", "InsertClause": "INSERT", "DeleteClause": "DELETE"}
_SPARK_ACTIONS: Mapping[str, Does] = {"UpdateAction": "UPDATE", "InsertAction": "INSERT", "DeleteAction": "DELETE"}
HUDI_DELETE = "DeleteHoodieTableCommand"
# Columns, and the expression that each is set to: None is a literal.
Assigned: TypeAlias = tuple[tuple[str, Node | None], ...]


@dataclass(frozen=True, slots=True)
class Clause:
    """Change of the rows that a condition chooses (None: of all)."""

    does: Does
    condition: Node | None = None
    assigned: Assigned = ()


@dataclass(frozen=True, slots=True)
class RowChange:
    """Statement that changes rows in place.

    Attributes:
        target: plan that reads the existing rows.
        source: of a MERGE, the plan whose rows are compared with them, on these conditions.
        named: leaves, by number, by which the statement names the table.
    """

    target: Node
    clauses: tuple[Clause, ...]
    named: frozenset[int]
    source: Node | None = None
    on: tuple[Node, ...] = ()

    def is_target(self, leaf: Node) -> bool:
        """True if a leaf is the changed table, not an input."""
        return _is_target(leaf, self.named)


def find_row_change(command: Node) -> RowChange | None:
    """Return the statement of a command; None if it changes no rows, or is of an unknown form."""
    rule = _RULES.get(command.kind)
    return rule(command) if rule else None


def _delta_update(command: Node) -> RowChange | None:
    """Return Delta's `UpdateCommand`: an expression for each column; a column that is not set is itself."""
    target = command.node("target")
    if target is None:
        return None
    expressions = map(_before_cast, _each(command.values.get("updateExpressions")))
    assigned = tuple(zip(_names(target), expressions, strict=False))
    return RowChange(target, (Clause("UPDATE", command.node("condition"), assigned),), _leaves(target))


def _before_cast(expression: Node | None) -> Node | None:
    """Return what is assigned, before the cast to the column's type that Delta adds, and does not mark as its own."""
    inside = expression
    while inside is not None and inside.kind in _AROUND_CASTS:
        inside = inside.node("child")
    added = inside is not None and inside.kind == "Cast" and inside.values.get("ofUser") is False
    return inside.node("child") if inside is not None and added and inside.values.get("flat") is True else expression


def _delete(command: Node) -> RowChange | None:
    """Return Spark's `DeleteFromTable`, which the source does by itself, or Delta's `DeleteCommand`."""
    target = command.node("table") or command.node("target")
    if target is None:
        return None
    return RowChange(target, (Clause("DELETE", command.node("condition")),), _leaves(target))


def _hudi_delete(command: Node) -> RowChange | None:
    """Return the `DeleteFromTable` that Hudi's command keeps, or in Hudi 1.2 a query of the rows that are deleted."""
    query = command.node("query")
    if query is None:
        return _delete(command.node("dft") or command)
    condition = query.node("condition") if query.kind == "Filter" else None
    return RowChange(query, (Clause("DELETE", condition),), _leaves(query))


def _delta_merge(command: Node) -> RowChange | None:
    """Return Delta's `MergeIntoCommand`: clauses as they were written, with stars as columns."""
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
    """Return Spark's own `UpdateTable`, which Hudi's command keeps; Hudi's own query reads the table by itself."""
    statement = command.node("ut")
    target = _leaf(table) if statement is not None and (table := statement.node("table")) is not None else None
    if statement is None or target is None:
        return None
    clause = _assigning("UPDATE", statement)
    named = _leaves(target, *command.nodes("query"))
    return RowChange(target, (clause,), named) if clause else None


def _spark_merge(command: Node) -> RowChange | None:
    """Return Spark's own `MergeIntoTable`, which Hudi's command keeps, with stars as columns."""
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
    """Return a clause of columns that are assigned; None if one of them is a field inside a column."""
    assigned = [(item.node("key"), item.node("value")) for item in action.nodes("assignments")]
    if does is None or any(key is None or key.kind != "AttributeReference" for key, _ in assigned):
        return None
    columns = tuple(((key.text("name") or "") if key else "", value) for key, value in assigned)
    return Clause(does, action.node("condition"), columns)


def _rewritten(command: Node) -> RowChange | None:
    """Return Spark's `ReplaceData` (whole groups of rows are written anew) or `WriteDelta` (a change for each row)."""
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
    """Return a MERGE, rewritten to `MergeRows` over a join; one that only inserts is another command."""
    query, table = command.node("query"), command.node("table")
    join = query.node("child") if query is not None else None
    if query is None or table is None or query.kind != "MergeRows" or join is None:
        return None
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
    """Return an instruction's clause: `Discard` deletes, `Keep` updates or deletes, `Split` replaces a row."""
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
    """Return what an UPDATE sets; of `whole` groups, each expression also says what rows that are not updated keep."""
    if query.kind == "Expand":  # the row that is deleted, and the one for it
        names = [item.text("name") or "" for item in query.nodes("output")]
        return _rows(names, (query.values.get("projections") or [None])[-1])
    path = _path(query)
    while path[-1].nodes("children"):
        path += _path(path[-1].nodes("children")[0])
    # Spark 4.1 puts the operation into a projection of its own.
    named = ([item for item in node.nodes("projectList") if item.kind == "Alias"] for node in path)
    aliases = next((items for items in named if any(item.text("name") != _OPERATION for item in items)), [])
    pairs = ((item.text("name") or "", item.node("child")) for item in aliases)
    return tuple(
        (name, item.node("trueValue") if whole and item and item.kind == "If" else item) for name, item in pairs
    )


def _all(clauses: Iterable[Clause | None]) -> tuple[Clause, ...] | None:
    """Return the clauses; None if one is unknown, since half a statement is wrong."""
    listed = tuple(clauses)
    known = tuple(clause for clause in listed if clause is not None)
    return known if known and len(known) == len(listed) else None


def _rows(names: Sequence[str], expressions: object) -> Assigned:
    return tuple(zip(names, _each(expressions), strict=False))


def _known(table: Node, assigned: Assigned) -> Assigned:
    """Return the assignments of the table's columns; rewritten rows have more, for the source that writes them."""
    names = {item.text("name") for item in table.nodes("output")}
    return tuple(item for item in assigned if item[0] in names)


def _each(expressions: object) -> Iterator[Node | None]:
    for expression in expressions if isinstance(expressions, list) else ():
        yield expression if isinstance(expression, Node) else None


def _operation(table: Node) -> object:
    return table.at("table", "operation.command")


def _is_target(leaf: Node, named: frozenset[int]) -> bool:
    """True if a leaf is the changed table; Spark reads it by a relation that is made for the change."""
    return leaf.number in named or _operation(leaf) is not None


def _path(plan: Node) -> list[Node]:
    """Return a plan and the chain of its only children."""
    path = [plan]
    while (child := path[-1].node("child")) is not None:
        path.append(child)
    return path


def _leaf(plan: Node) -> Node | None:
    """Return the leaf of a plan that has one; of a union the first."""
    last = _path(plan)[-1]
    while last.nodes("children"):
        last = _path(last.nodes("children")[0])[-1]
    return last if last.nodes("output") and not last.nodes("left", "right") else None


def _leaves(*plans: Node) -> frozenset[int]:
    return frozenset(leaf.number for plan in plans if (leaf := _leaf(plan)) is not None)


def _names(target: Node) -> list[str]:
    """Return the columns of a plan that at most renames them."""
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
