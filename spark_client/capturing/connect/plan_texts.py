r"""Parsed plans in the output of `EXPLAIN EXTENDED`: the names of a statement's writes and reads.

Only Spark's own parser knows its SQL, and a client without a JVM can reach it by `EXPLAIN`. The parsed plan has nothing
of the catalog in it, so it does not change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from spark_client.capturing.connect.reads import Read, SourceRead, TableRead, UnknownRead

_SECTION = re.compile(r"== Parsed Logical Plan ==\n(.*?)(?:\n\n== |\Z)", re.DOTALL)
_ANALYZED = re.compile(r"== Analyzed Logical Plan ==\n(.*?)(?:\n\n== |\Z)", re.DOTALL)
# Watermark of a column: `at#1-T60000ms`.
_WATERMARK = re.compile(r"(#\d+L?)-T\d+ms")
_BELOW = re.compile(r"[: ]*[:+]- ")
# `:  ` and three spaces are the indentation by nodes above; `:- ` and `+- ` begin a node.
# A `~` marks the nodes of a stream.
_LINE = re.compile(r"((?:[: ] {2})*)(?:[:+]- )~?(.*)")
_TYPE = re.compile(r"(?!.*udt)[\w<>,:()]+|interval [\w ]+")
_KIND = re.compile(r"'?(\w+)")
_RELATION = re.compile(r"'?Unresolved(?:Relation|Table|TableOrView|View|Identifier|Namespace) \[(.*?)\](?:,|$)")
_CTE = re.compile(r"CTE \[(.*)\]")
_LOCATION = re.compile(
    r"Storage\(Location: (.*?)(?:, (?:Serde Library|InputFormat|OutputFormat|Compressed|Storage Properties)\b|\)[,$])"
)
_FORMAT_IN_SQL = re.compile(r"\w[\w.]*, (?=.*/)")


@dataclass(slots=True)
class PlanText:
    """Node of a plan: its line without the indentation, and the nodes below it.

    Nodes `inside` are subqueries of its expressions, or the definitions of a CTE.
    """

    text: str
    depth: int = 0
    below: list[PlanText] = field(default_factory=list)
    inside: list[PlanText] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """Class of the node."""
        match = _KIND.match(self.text)
        return match[1] if match else ""

    @property
    def name(self) -> tuple[str, ...]:
        """Name in the line; parts with commas in them are split."""
        match = _RELATION.search(self.text)
        return tuple(match[1].split(", ")) if match else ()

    def walk(self) -> Iterator[PlanText]:
        """Yield the node, and all nodes below and inside it."""
        left = [self]
        while left:
            node = left.pop()
            yield node
            left += [*node.inside, *node.below]


def parse_plan_text(explained: str) -> PlanText | None:
    """Parse the parsed plan in the output of `EXPLAIN EXTENDED`; None if missing."""
    section = _SECTION.search(explained)
    if section is None:
        return None
    return _tree(section[1].split("\n"))


def parse_analyzed_text(explained: str) -> PlanText | None:
    """Parse the analyzed plan in the output of `EXPLAIN EXTENDED`; None if missing."""
    section = _ANALYZED.search(explained)
    lines = _WATERMARK.sub(r"\1", section[1]).split("\n") if section else []
    if len(lines) > 1 and not _BELOW.match(lines[1]):  # the first line has the columns
        del lines[0]
    return _tree(lines) if lines else None


def schema_in(explained: str, names: Sequence[str]) -> str:
    r"""Read the schema of a query's columns in the output of `EXPLAIN EXTENDED`, in SQL's words.

    Empty if a type is cut, or has names to quote in SQL.

    >>> schema_in("== Analyzed Logical Plan ==\na: int, b, c: struct<d:string>\nProject [...]", ["a", "b, c"])
    '`a` int, `b, c` struct<d:string>'
    """
    rest, parts = explained.partition("== Analyzed Logical Plan ==\n")[2].partition("\n")[0], []
    for name, following in zip(names, [*names[1:], None], strict=True):
        type_, comma, more = rest.removeprefix(f"{name}: ").partition(f", {following}: ")
        if not rest.startswith(f"{name}: ") or _TYPE.fullmatch(type_) is None or bool(comma) is (following is None):
            return ""
        parts.append(f"`{name.replace('`', '``')}` {type_}")
        rest = f"{following}: {more}"
    return ", ".join(parts)


def _tree(lines: list[str]) -> PlanText:
    first, *lines = lines
    root = PlanText(first.removeprefix("~"))
    above = [root]
    for line in lines:
        match = _LINE.fullmatch(line)
        if match is None:  # the text of the node before it goes on
            continue
        node = PlanText(match[2], len(match[1]) // 3 + 1)
        while above[-1].depth >= node.depth:
            above.pop()
        parent = above[-1]
        (parent.below if node.depth == parent.depth + 1 else parent.inside).append(node)
        above.append(node)
    return root


def has_ctes(root: PlanText) -> bool:
    """True if a parsed plan has CTEs, at any depth."""
    return any(_CTE.fullmatch(node.text) for node in root.walk())


def reads_in(root: PlanText, *, recursive: bool = False) -> Iterator[Read]:
    """Yield the reads of a plan; a known CTE's name is no table.

    `recursive`: a CTE may be known in its own definition.
    """
    left: list[tuple[PlanText, frozenset[str]]] = [(root, frozenset())]
    while left:
        node, known = left.pop()
        if (match := _CTE.fullmatch(node.text)) is not None:
            definitions = []
            for name, definition in zip(match[1].lower().split(", "), node.inside, strict=False):
                definitions.append((definition, known | {name} if recursive else known))
                known |= {name}
            left += [*((child, known) for child in node.below), *reversed(definitions)]
            continue
        if (read := _read(node, known)) is not None:
            yield read
        left += [(child, known) for child in reversed([*node.inside, *node.below])]


def _read(node: PlanText, known: frozenset[str]) -> Read | None:
    if node.kind == "LogicalRDD":
        return UnknownRead("LogicalRDD: made of an RDD")
    if node.kind == "PlanWithUnresolvedIdentifier":
        return UnknownRead("IDENTIFIER: a name that is computed")
    # `CHANGES FROM VERSION 1` prints its relation in the same line.
    if node.kind not in ("UnresolvedRelation", "RelationChanges") or (
        len(node.name) == 1 and node.name[0].lower() in known
    ):
        return None
    return relation_read(node.text)


def relation_read(text: str) -> Read | None:
    """Parse the relation in a node: a table, or a path with its format (``SELECT * FROM parquet.`/data/f` ``)."""
    match = _RELATION.search(text)
    if match is None:
        return None
    if _FORMAT_IN_SQL.match(match[1]):
        format_, _, path = match[1].partition(", ")
        return SourceRead(format_, (path,))
    return TableRead(tuple(match[1].split(", ")))


def location_in(text: str) -> str | None:
    """Find the location of an `INSERT OVERWRITE DIRECTORY`."""
    match = _LOCATION.search(text)
    return match[1] if match else None
