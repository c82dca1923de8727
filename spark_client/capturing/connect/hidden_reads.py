"""Reads without a name in the statement or frame: of variables, and inside functions defined in SQL.

Spark's analyzed plan shows both: a variable by its name, the body of a function in place of its call.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from spark_client.capturing.connect.plan_texts import PlanText
from spark_client.capturing.connect.reads import Read, UnknownRead, VariableRead, messages_in, table_read
from spark_client.capturing.plans.functions import FUNCTIONS
from spark_client.capturing.plans.plan import kinds

VARIABLE = re.compile(r"variablereference\(system\.session\.(`(?:[^`]|``)+`|\w+)=")
_RELATION = re.compile(
    r"(?:Relation (?P<relation>[^\s\[]*)\[|RelationV2\[.*?\] (?P<v2>\S+)|HiveTableRelation \[(?P<hive>`.*?`), )"
)
_VIEW = re.compile(r"View \((?P<name>`.*?`), \[")
# A call of a function in a parsed plan (`'f(`), and in SQL (`f(`).
_CALLED = re.compile(r"'([A-Za-z_][\w.]*)\(")
_CALL = re.compile(r"([A-Za-z_][\w.`]*)\s*\(")
_WORD = re.compile(r"[A-Za-z_]\w*")
# Words of SQL before a parenthesis without a call: `x IN (1)`.
_NO_CALLS = kinds(
    """
    and array as between by case cast char decimal else filter in interval like map not or over partition struct then
    try_cast varchar when where
    """
)
_EXPRESSION = "spark.connect.Expression"
_ROWS = frozenset({"spark.connect.LocalRelation", "google.protobuf.Any"})


def variable_name(text: str) -> str:
    """Parse the name of a variable in a plan or statement; in lower case.

    >>> [variable_name(text) for text in ("Farthest", "`a.b`", "system.session.farthest")]
    ['farthest', 'a.b', 'farthest']
    """
    return table_read(text).name[-1].lower()


def variables_in(root: PlanText) -> Iterator[VariableRead]:
    """Yield the variables of an analyzed plan, each once."""
    names = (match[1] for node in root.walk() for match in VARIABLE.finditer(node.text))
    yield from (VariableRead(name) for name in dict.fromkeys(variable_name(name) for name in names))


def calls_unknown(parsed: PlanText) -> bool:
    """True if a parsed plan calls a table function, or a function outside of Spark's own."""
    return any(
        "UnresolvedTableValuedFunction" in node.text or _is_unknown(_CALLED.findall(node.text))
        for node in parsed.walk()
    )


def tables_in(root: PlanText, known: Collection[str], files: int) -> Iterator[Read]:
    """Yield the reads of an analyzed plan beside its known tables and files.

    A view of the catalog counts, not the tables inside. `known`: whole names in lower case. `files`: the number of
    known reads of files.
    """
    names = list(_named_in(root))
    for name in filter(None, dict.fromkeys(names)):
        read = table_read(name)
        if ".".join(read.name).lower() not in known:
            yield read
    if names.count("") > files:
        yield UnknownRead("SQL: files that a function reads")


def _named_in(root: PlanText) -> Iterator[str]:
    """Yield the names of tables and views, with repetitions; an empty name for files."""
    left = [root]
    while left:
        node = left.pop()
        if (view := _VIEW.match(node.text)) is not None:
            yield view["name"]
            continue
        if (relation := _RELATION.match(node.text)) is not None:
            yield relation["relation"] or relation["v2"] or relation["hive"] or ""
        left += [*node.inside, *node.below]


def may_hide(relation: Any, variables: Collection[str]) -> bool:
    """True if a frame's expressions may read a variable, or a table in a function or subquery."""
    left = [relation]
    while left:
        message = left.pop()
        if message.DESCRIPTOR.full_name == _EXPRESSION and _expression_hides(message, variables):
            return True
        left += [inside for inside in messages_in(message) if inside.DESCRIPTOR.full_name not in _ROWS]
    return False


def _expression_hides(message: Any, variables: Collection[str]) -> bool:
    kind = message.WhichOneof("expr_type")
    if kind == "expression_string":
        return _text_hides(message.expression_string.expression, variables)
    if kind == "unresolved_attribute":
        return variable_name(message.unresolved_attribute.unparsed_identifier) in variables
    if kind in ("unresolved_function", "call_function"):
        return _is_unknown([getattr(message, kind).function_name])
    return False


def _text_hides(text: str, variables: Collection[str]) -> bool:
    words = {word.lower() for word in _WORD.findall(text)}
    names = {name.lower() for name in variables if name in text.lower()}
    return "select" in words or bool(names) or _is_unknown(_CALL.findall(text))


def _is_unknown(called: Sequence[str]) -> bool:
    return any(name.lower() not in FUNCTIONS and name.lower() not in _NO_CALLS for name in called)
