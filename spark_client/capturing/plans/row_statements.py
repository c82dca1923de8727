"""MERGE, UPDATE and DELETE as a command has them: which columns they set to what, of which rows.

Delta's commands say it as it was written. Spark rewrites the statement to a query that makes the rows anew, which is
read back here (org.apache.spark.sql.catalyst.analysis: RewriteMergeIntoTable and its like, in 3.5 to 4.3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from spark_client.capturing.plans.plan import Node

# What Spark's rewriting adds to rows for the source that writes them, and its number for a row that is deleted
# (org.apache.spark.sql.catalyst.util.RowDeltaUtils); Spark 3.5 tells it by nothing else.
_OPERATION, _DELETED = "__row_operation", "1"

Does: TypeAlias = Literal["UPDATE", "INSERT", "DELETE"]
_DELTA_CLAUSES: Mapping[str, Does] = {"UpdateClause": "UPDATE", "InsertClause": "INSERT", "DeleteClause": "DELETE"}
# Columns, and the expression that each is set to: None is a literal.
Assigned: TypeAlias = tuple[tuple[str, Node | None], ...]


@dataclass(frozen=True, slots=True)
class Clause:
    """What becomes of the rows that a condition chooses (None: of all)."""

    does: Does
    condition: Node | None = None
    assigned: Assigned = ()


@dataclass(frozen=True, slots=True)
class RowChange:
    """A statement that changes rows in place.

    Attributes:
        target: the plan that reads the rows that are there.
        source: of a MERGE, the plan whose rows are compared with them, on these conditions.
        named: the leaves, by number, by which the statement names the table.
    """

    target: Node
    clauses: tuple[Clause, ...]
    named: frozenset[int]
    source: Node | None = None
    on: tuple[Node, ...] = ()

    def is_target(self, leaf: Node) -> bool:
        """Whether a leaf is there because the table is changed, not because somebody reads it."""
        return _is_target(leaf, self.named)


def find_row_change(command: Node) -> RowChange | None:
    """What a command says; None if it changes no rows, or says so in words that nobody knows."""
    rule = _RULES.get(command.kind)
    return rule(command) if rule else None


def _delta_update(command: Node) -> RowChange | None:
    """Delta's `UpdateCommand`: an expression for each column, that of one which is not set is the column itself."""
    target = command.node("target")
    if target is None:
        return None
    expressions = _each(command.values.get("updateExpressions"))
    assigned = tuple(zip(_names(target), expressions, strict=False))
    return RowChange(target, (Clause("UPDATE", command.node("condition"), assigned),), _leaves(target))


def _delete(command: Node) -> RowChange | None:
    """Spark's `DeleteFromTable`, which the source does by itself, and Delta's `DeleteCommand`."""
    target = command.node("table") or command.node("target")
    if target is None:
        return None
    return RowChange(target, (Clause("DELETE", command.node("condition")),), _leaves(target))


def _delta_merge(command: Node) -> RowChange | None:
    """Delta's `MergeIntoCommand`: clauses as they were written, stars among them as columns."""
    target, source = command.node("target"), command.node("source")
    if target is None or source is None:
        return None
    told = command.nodes("matchedClauses", "notMatchedClauses", "notMatchedBySourceClauses")
    clauses = _all(map(_delta_clause, told))
    on = tuple(command.nodes("condition"))
    return RowChange(target, clauses, _leaves(target), source, on) if clauses else None


def _delta_clause(told: Node) -> Clause | None:
    does = next((does for name, does in _DELTA_CLAUSES.items() if told.kind.endswith(name)), None)
    actions = told.nodes("actions", "cols")
    assigned = tuple((".".join(one.values.get("targetColNameParts") or ()), one.node("expr")) for one in actions)
    return Clause(does, told.node("condition") or told.node("cond"), assigned) if does else None


def _rewritten(command: Node) -> RowChange | None:
    """Spark's `ReplaceData` (whole groups of rows are written anew) and `WriteDelta` (what becomes of each row)."""
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
    """A MERGE, rewritten to `MergeRows` over a join; also one that only inserts, whatever command it then is."""
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
    # What is asked of the table alone may have gone from the condition into a filter.
    filters = [node for part in _path(target) if part.kind == "Filter" for node in part.nodes("condition")]
    on = (*join.nodes("condition"), *filters)
    return RowChange(target, clauses, named, source, on)


def _instructions(query: Node, table: Node) -> Iterator[Clause | None]:
    names = [one.text("name") or "" for one in query.nodes("output")]
    for told in query.nodes("matchedInstructions", "notMatchedBySourceInstructions"):
        yield _instruction(told, names, table)
    for told in query.nodes("notMatchedInstructions"):
        yield Clause("INSERT", told.node("condition"), _known(table, _rows(names, told.values.get("output"))))


def _instruction(told: Node, names: Sequence[str], table: Node) -> Clause | None:
    """`Discard` deletes; `Keep` updates, if it does not delete; `Split` deletes a row and writes another for it."""
    operation = told.text("output.head.value") if names[0] == _OPERATION else ""
    if told.kind == "MergeRows$Discard" or (told.kind == "MergeRows$Keep" and operation == _DELETED):
        return Clause("DELETE", told.node("condition"))
    if told.kind not in ("MergeRows$Keep", "MergeRows$Split") or (told.kind == "MergeRows$Keep" and operation is None):
        return None
    made = told.values.get("otherOutput") or told.values.get("output")
    return Clause("UPDATE", told.node("condition"), _known(table, _rows(names, made)))


def _updated(query: Node, *, whole: bool) -> Assigned:
    """What an UPDATE makes of rows; of `whole` groups it says for each column what it is where nothing is updated."""
    if query.kind == "Expand":  # the row that is deleted, and the one for it
        names = [one.text("name") or "" for one in query.nodes("output")]
        return _rows(names, (query.values.get("projections") or [None])[-1])
    path = _path(query)
    while path[-1].nodes("children"):
        path += _path(path[-1].nodes("children")[0])
    # Spark 4.1 puts the operation into a projection of its own.
    named = ([one for one in node.nodes("projectList") if one.kind == "Alias"] for node in path)
    aliases = next((found for found in named if any(one.text("name") != _OPERATION for one in found)), [])
    made = ((one.text("name") or "", one.node("child")) for one in aliases)
    return tuple((name, one.node("trueValue") if whole and one and one.kind == "If" else one) for name, one in made)


def _all(clauses: Iterable[Clause | None]) -> tuple[Clause, ...] | None:
    """The clauses; None if there is one that nobody knows, for half a statement is told by no one."""
    found = tuple(clauses)
    known = tuple(clause for clause in found if clause is not None)
    return known if known and len(known) == len(found) else None


def _rows(names: Sequence[str], expressions: object) -> Assigned:
    return tuple(zip(names, _each(expressions), strict=False))


def _known(table: Node, assigned: Assigned) -> Assigned:
    """Of the table's columns alone: rewritten rows have others, for the source that writes them."""
    names = {one.text("name") for one in table.nodes("output")}
    return tuple(one for one in assigned if one[0] in names)


def _each(expressions: object) -> Iterator[Node | None]:
    for one in expressions if isinstance(expressions, list) else ():
        yield one if isinstance(one, Node) else None


def _operation(table: Node) -> object:
    told = table.values.get("table")
    return told.get("operation.command") if isinstance(told, Mapping) else None


def _is_target(leaf: Node, named: frozenset[int]) -> bool:
    """Spark reads the table of a rewritten statement by a relation that is made for the change."""
    return leaf.number in named or _operation(leaf) is not None


def _path(plan: Node) -> list[Node]:
    """A plan, what it is made of, and so on, while that is one plan."""
    path = [plan]
    while (child := path[-1].node("child")) is not None:
        path.append(child)
    return path


def _leaf(plan: Node) -> Node | None:
    """What a plan reads, if it is one leaf; of a union the first."""
    last = _path(plan)[-1]
    while last.nodes("children"):
        last = _path(last.nodes("children")[0])[-1]
    return last if last.nodes("output") and not last.nodes("left", "right") else None


def _leaves(*plans: Node) -> frozenset[int]:
    return frozenset(leaf.number for plan in plans if (leaf := _leaf(plan)) is not None)


def _names(target: Node) -> list[str]:
    """The columns of a plan that does no more to them than naming them."""
    named = next((node for node in _path(target) if node.nodes("projectList", "output")), target)
    return [one.text("name") or "" for one in named.nodes("projectList") or named.nodes("output")]


_RULES: Mapping[str, Callable[[Node], RowChange | None]] = {
    "ReplaceData": _rewritten,
    "WriteDelta": _rewritten,
    "AppendData": _merged,
    "InsertOnlyMerge": _merged,
    "DeleteFromTable": _delete,
    "UpdateCommand": _delta_update,
    "DeleteCommand": _delete,
    "MergeIntoCommand": _delta_merge,
}
