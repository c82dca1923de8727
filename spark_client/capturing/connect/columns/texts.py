r"""Expressions as Spark prints them in an analyzed plan, where each reference has the id of its column: `total#7`.

A literal is printed without quotes, and may look like anything. A `#` in a literal or a name makes ids doubtful: such
a text is not read (`LiteralRisks`). Marks and words of expressions in a literal make the use of references doubtful:
such a text is read for its references alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from spark_client.capturing.connect.columns.frames import Nodes, Typed
from spark_client.capturing.connect.hidden_reads import VARIABLE as SESSION
from spark_client.capturing.connect.hidden_reads import variable_name
from spark_client.capturing.connect.literal_risks import LiteralRisks
from spark_client.capturing.connect.snapshots import Column, Unreadable
from spark_client.capturing.plans.plan import Node

_ID = re.compile(r"#(\d+)(L?)")
_SUBQUERY = re.compile(r"(scalar|lateral|list|exists)(?:-subquery)?#(\d+) \[[^\]]*\]")
_LAMBDA = re.compile(r"lambda (\w+)#(\d+)(L?)")
# Marks of a reference, a subquery, a variable (of a lambda or the session), and a Python function's id.
REFERENCE, PLAN, VARIABLE, PYTHON = "\x01", "\x02", "\x03", "\x04"
MARK = re.compile(r"[\x01\x02\x03](?P<kind>[a-z]*)(?P<id>\d+)(?:~(?P<number>\d+))?;")
_OF_SESSION = "session"
# The id of a range's column, missing in the range's own text.
RANGE = "0"


class Named(NamedTuple):
    """Expression of a list: a reference, or the child of an alias, with the alias's name and id."""

    text: str
    name: str | None = None
    id: str | None = None
    is_long: bool = False


class Texts:
    """Texts of a plan; `columns` are the columns in scope, by their ids in the text."""

    def __init__(self, nodes: Nodes, risks: LiteralRisks) -> None:
        self.nodes = nodes
        self.columns: dict[str, Column] = {}
        # Names of references, as written.
        self.spelled: list[str] = []
        self.risks = risks
        # Ids of the program's functions in the keys of a group, while its aggregates are read.
        self.keys: frozenset[str] | None = None
        self._variables: dict[str, Node] = {}
        self._session: list[Node] = []

    def marked(self, text: str) -> str:
        """Replace references, subqueries and variables by marks.

        Raises:
            Unreadable: the names of a reference and its column differ.
        """
        count = -1

        def plan(match: re.Match[str]) -> str:
            nonlocal count
            count += 1
            return f"{PLAN}{match[1]}{count};"

        text = _SUBQUERY.sub(plan, self._without_session(text))
        text = _LAMBDA.sub(lambda match: f"{VARIABLE}{match[2]};", text)
        pieces: list[str] = []
        end = 0
        for reference in _ID.finditer(text):
            key = reference[1]
            column = self.columns.get(key)
            # A range's text has no id, so an unknown `id#5` is the range's column.
            if column is None and RANGE in self.columns and text[: reference.start()].endswith("id"):
                key, column = RANGE, self.columns[RANGE]
            if column is None:
                continue
            before = text[end : reference.start()]
            name = column.name or ""
            if not before.lower().endswith(name.lower()):
                raise Unreadable(f"a reference to {name} under another name")
            self.spelled.append(before[len(before) - len(name) :])
            pieces += [before[: len(before) - len(name)], f"{REFERENCE}{key}~{len(self.spelled) - 1};"]
            end = reference.end()
        return "".join(pieces) + text[end:]

    def _without_session(self, text: str) -> str:
        """Replace the session's variables, printed with their values, by marks."""
        pieces, end = [], 0
        while (variable := SESSION.search(text, end)) is not None:
            mark = f"{VARIABLE}{_OF_SESSION}{len(self._session)};"
            self._session.append(_session_variable(self.nodes, variable[1]))
            pieces += [text[end : variable.start()], mark]
            end = _end_of_group(text, variable.end())
        return "".join(pieces) + text[end:]

    def named(self, text: str) -> tuple[list[Named], str]:
        """Read a marked list from behind its bracket: the items, and the text behind the list.

        Raises:
            Unreadable: an item is neither a reference nor an alias.
        """
        items: list[Named] = []
        while not text.startswith("]"):
            item, text = self._item(text)
            items.append(item)
            if text.startswith(", "):
                text = text[2:]
            elif not text.startswith("]"):
                raise Unreadable("a list in the text of a plan")
        return items, text[1:]

    def _item(self, text: str) -> tuple[Named, str]:
        match = MARK.match(text)
        if match is not None and text.startswith(REFERENCE) and text[match.end() :].startswith((", ", "]")):
            return Named(match[0]), text[match.end() :]
        index = 0
        while (ends := _ID.search(text, index)) is not None:
            before = text[: ends.start()]
            expression, alias, name = before.partition(" AS ")
            if alias and self.risks.parts:
                expression, name = before, before.rpartition(" AS ")[2]
            if alias and VARIABLE in name:
                raise Unreadable("a column named by a variable")
            if alias:
                return Named(expression, name, ends[1], bool(ends[2])), text[ends.end() :]
            if not before.endswith(")"):
                break
            own = f"{before}{PYTHON}{ends[1]};"
            text, index = f"{own}{text[ends.end() :]}", len(own)
        raise Unreadable("a list in the text of a plan")

    def reference(self, id_: str) -> Typed:
        """Make a reference to the column with an id of the text."""
        column = self.columns.get(id_)
        if column is None:
            raise Unreadable("a reference to nothing")
        return self.nodes.reference(column)

    def bare(self, mark: str) -> tuple[str, Typed]:
        """Read the id of a reference's mark, and the reference under its written name."""
        match = MARK.fullmatch(mark)
        if match is None or match["number"] is None:
            raise Unreadable("a list in the text of a plan")
        return match["id"], self.reference(match["id"])._replace(name=self.spelled[int(match["number"])])

    def references(self, text: str, plans: Sequence[Node]) -> Typed:
        """Read the references of an expression alone.

        Raises:
            Unreadable: the expression has a subquery.
        """
        if PLAN in text or plans:
            raise Unreadable("an expression with a subquery")
        marks = list(MARK.finditer(text))
        ids = [mark["id"] for mark in marks if mark[0].startswith(REFERENCE)]
        children = [self.reference(id_).node for id_ in dict.fromkeys(ids)]
        children += [self._session[int(mark["id"])] for mark in marks if mark["kind"] == _OF_SESSION]
        return Typed(self.nodes.node("DatabaseFunction", children=children) if children else None)

    def variable(self, id_: str, kind: str) -> Node:
        """Find a variable of the session, or of a lambda."""
        if kind == _OF_SESSION:
            return self._session[int(id_)]
        if id_ not in self._variables:
            self._variables[id_] = self.nodes.node("NamedLambdaVariable", exprId=self.nodes.new_id(), name="variable")
        return self._variables[id_]


def _session_variable(nodes: Nodes, name: str) -> Node:
    identifier = {"namespace": ["session"], "name": variable_name(name)}
    return nodes.node("VariableReference", catalog={"name": "system"}, identifier=identifier)


def _end_of_group(text: str, at: int) -> int:
    """Find the place behind the parenthesis that ends a group; texts in quotes do not count.

    >>> _end_of_group("='it)' + f(x)) AS y", 1)
    14
    """
    depth, quoted = 1, False
    while depth and at < len(text):
        if quoted and text[at] == "\\":
            at += 1
        elif quoted:
            quoted = text[at] != "'"
        else:
            quoted = text[at] == "'"
            depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return at
