"""Effect of an SQL statement on datasets, and on names in later statements, by its parsed plan."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from spark_client.capturing.connect.plan_texts import PlanText, location_in, reads_in, relation_read
from spark_client.capturing.connect.reads import Read, SourceRead, TableRead, source_read, table_read
from spark_client.capturing.datasets.sql_names import parse_name
from spark_client.capturing.datasets.statement_texts import LEAD
from spark_client.capturing.datasets.statements import KEEPS_ROWS, RULES
from spark_client.capturing.model import Change

_QUERY = r"\(*(?:WITH|FROM|SELECT|TABLE|VALUES|MAP|REDUCE)\b"
# Statements with writes or names, safe to explain. `EXPLAIN` would run an EXECUTE IMMEDIATE.
_EXPLAINABLE = re.compile(
    rf"{LEAD}(?:{_QUERY}|\(*(?:INSERT|CREATE|REPLACE|MERGE|UPDATE|DELETE|LOAD|CACHE|DROP|ALTER|TRUNCATE|DECLARE|"
    r"SET\s+VAR(?:IABLE)?)\b)",
    re.IGNORECASE | re.DOTALL,
)
_IS_QUERY = re.compile(f"{LEAD}{_QUERY}", re.IGNORECASE | re.DOTALL)
# Statements without a change of rows or columns; `EXPLAIN` cannot parse all of them.
_KEEPS = re.compile(
    rf"{LEAD}(?:(?:USE|SET(?!\s+VAR)|RESET|SHOW|DESC|DESCRIBE|EXPLAIN|LIST|ADD|ANALYZE|REFRESH|UNCACHE|CLEAR|COMMENT|MSCK"
    r"|GRANT|REVOKE|OPTIMIZE|VACUUM|REORG|GENERATE|OPEN|FETCH|CLOSE)\b.*"
    r"|ALTER\s+TABLE\s+\S+\s+(?:(?:ADD|DROP|REPLACE)\s+(?:PARTITION\s+FIELD|CONSTRAINT)|WRITE|(?:SET|DROP)\s+IDENTIFIER"
    r"|(?:CREATE|REPLACE|DROP)\s+(?:OR\s+REPLACE\s+)?(?:BRANCH|TAG))\b.*|)",
    re.IGNORECASE | re.DOTALL,
)
_USE = re.compile(r"\s*USE\s+(?:(?:NAMESPACE|DATABASE|SCHEMA)\s+)?(\S.*?)\s*;?\s*", re.IGNORECASE | re.DOTALL)
_RECURSIVE = re.compile(r"\bWITH\s+RECURSIVE\b", re.IGNORECASE)
# The rest of an INSERT after its table: columns, written partitions, true if it overwrites.
_INSERT = re.compile(r"\], \[[^\]]*\], (?:true|false)(?P<spec>(?:, \[.*?\])*), (?P<overwrite>true|false)\b")
_LOAD = re.compile(r"'?LoadData (?P<path>.*), (?P<local>true|false), (?P<overwrite>true|false)(?:, .*)?")
_TEMPORARY = re.compile(r"'?CreateViewCommand (?P<name>.*?), .*, (?P<where>Local|Global)TempView, ", re.DOTALL)
_CACHED = re.compile(r"'?CacheTableAsSelect (?P<name>.*?), ")
_USING = re.compile(
    r"CreateTempViewUsing \[tableIdent:(?P<name>\S+) .*?provider:(?P<format>\S+)(?: Map\((?P<map>.*)\))?"
)
# A statement as a literal text, and the variables for its result.
_IMMEDIATE = re.compile(
    r"\s*EXECUTE\s+IMMEDIATE\s+(?:'(?P<one>[^'\\]*(?:''[^'\\]*)*)'|\"(?P<two>[^\"\\]*)\")(?:\s+INTO\s+(?P<into>[^()]+?))?\s*;?\s*",
    re.IGNORECASE,
)
_PAIR = re.compile(r"(?:^|, )([\w.]+) -> ")


@dataclass(frozen=True, slots=True)
class Statement:
    """Write of a statement.

    Attributes:
        kind: its class in the parsed plan.
        target: None for a target without a name.
        reads: its reads; the target too, where rows of it are changed.
        change: its effect on the target as a whole.
        by_partition: an overwrite of whole partitions alone, if the session is set so.
    """

    kind: str
    target: Read | None
    reads: tuple[Read, ...]
    change: Change | None = None
    by_partition: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """Temporary view: a name for a query from now on."""

    name: tuple[str, ...]
    reads: tuple[Read, ...]


def is_explainable(text: str) -> bool:
    """True if `EXPLAIN` shows a statement's writes or names without running it.

    >>> [is_explainable(text) for text in ("/* 1 */ INSERT INTO t SELECT 1", "EXECUTE IMMEDIATE 'DROP TABLE t'")]
    [True, False]
    """
    return _EXPLAINABLE.match(text) is not None


def keeps_rows(text: str) -> bool:
    """True if a statement changes no rows or columns, by its text alone.

    >>> [keeps_rows(text) for text in ("VACUUM t", "ALTER TABLE t CREATE TAG a", "COPY INTO t FROM 's3://lake'")]
    [True, True, False]
    """
    return _KEEPS.fullmatch(text) is not None


def is_recursive(text: str) -> bool:
    """True if a CTE may read itself: `WITH RECURSIVE`."""
    return _RECURSIVE.search(text) is not None


def find_database(text: str) -> tuple[str, ...] | None:
    """Find the catalog or database of a `USE`; empty without a plain name, None without a `USE`.

    >>> find_database("USE derby.`APP`"), find_database("use identifier(:x)"), find_database("USER")
    (('derby', 'APP'), (), None)
    """
    match = _USE.fullmatch(text)
    return None if match is None else tuple(parse_name(match[1]) or ())


def find_immediate(text: str) -> tuple[str, tuple[str, ...]] | None:
    """Find the literal statement of an `EXECUTE IMMEDIATE`, and the variables for its result.

    None for a computed text, for parameters, and without an `EXECUTE IMMEDIATE`.

    >>> find_immediate("EXECUTE IMMEDIATE 'SELECT 1, 2' INTO x, y"), find_immediate("EXECUTE IMMEDIATE v")
    (('SELECT 1, 2', ('x', 'y')), None)
    """
    match = _IMMEDIATE.fullmatch(text)
    if match is None or re.search(r"\bUSING\b", match["into"] or "", re.IGNORECASE):
        return None
    into = tuple(filter(None, map(str.strip, (match["into"] or "").split(","))))
    return (match["one"].replace("''", "'") if match["two"] is None else match["two"]), into


def find_statements(root: PlanText, *, recursive: bool = False) -> Iterator[Statement | View | PlanText]:
    """Yield the writes of a statement, several where its INSERTs share a FROM, or its temporary view.

    A command without a query comes as it is, for the rules of a driver's commands (`datasets.statements`).
    """
    commands = list(_commands_in(root))
    for command in commands:
        reads = tuple(reads_in(command if len(commands) > 1 else root, recursive=recursive))
        rule = _RULES.get(command.kind)
        statement = rule(command, reads) if rule is not None else command
        if statement is not None:
            yield statement


def is_kept(command: PlanText, analyzed: PlanText | None, text: str) -> bool:
    """True for a query, or a class of command without a rule and without a change of rows and columns."""
    kinds = [plan.kind for plan in (command, analyzed) if plan is not None and plan.kind not in RULES]
    return any(KEEPS_ROWS.fullmatch(kind) for kind in kinds) or _IS_QUERY.match(text) is not None


def _commands_in(root: PlanText) -> Iterator[PlanText]:
    inside = root.below if root.kind in ("CTE", "Union") else []
    if not any(child.kind in (*_RULES, "Union") for child in inside):
        yield root
    for child in inside:
        yield from _commands_in(child)


def _insert(command: PlanText, reads: tuple[Read, ...]) -> Statement:
    match = _INSERT.search(command.text)
    spec = match["spec"] if match else ""
    overwrites = match is not None and match["overwrite"] == "true"
    part = "=Some(" in spec or "=None" in spec or "replacewhere" in command.text.lower()
    change: Change | None = "OVERWRITE" if overwrites and not part else None
    return Statement(command.kind, relation_read(command.text), reads, change, by_partition=overwrites)


def _created(command: PlanText, reads: tuple[Read, ...]) -> Statement:
    target = TableRead(command.below[0].name) if command.below and command.below[0].name else None
    return Statement(command.kind, target, reads, "OVERWRITE" if command.kind.startswith("Replace") else "CREATE")


def _folder(command: PlanText, reads: tuple[Read, ...]) -> Statement:
    location = location_in(command.text)
    target = SourceRead("", (location,)) if location else None
    return Statement(command.kind, target, reads, "OVERWRITE" if command.text.endswith(", true") else None)


def _rows(command: PlanText, reads: tuple[Read, ...]) -> Statement:
    """Parse a MERGE, UPDATE or DELETE; its first child is the table."""
    target = next(reads_in(command.below[0]), None) if command.below else None
    return Statement(command.kind, target, reads)


def _load(command: PlanText, reads: tuple[Read, ...]) -> Statement:
    match = _LOAD.match(command.text)
    target = TableRead(command.below[0].name) if command.below and command.below[0].name else None
    if match is None:
        return Statement(command.kind, target, reads)
    path = f"file:{match['path']}" if match["local"] == "true" and ":" not in match["path"] else match["path"]
    change: Change | None = "OVERWRITE" if match["overwrite"] == "true" else None
    return Statement(command.kind, target, (SourceRead("", (path,)),), change)


def _view(command: PlanText, reads: tuple[Read, ...]) -> View | None:
    match = _TEMPORARY.match(command.text)
    if match is None:
        return None
    name = table_read(match["name"]).name
    return View(("global_temp", *name[-1:]) if match["where"] == "Global" else name, reads)


def _cached(command: PlanText, reads: tuple[Read, ...]) -> View | None:
    match = _CACHED.match(command.text)
    return View(table_read(match["name"]).name, reads) if match else None


def _view_of_source(command: PlanText, _: tuple[Read, ...]) -> View | None:
    match = _USING.match(command.text)
    if match is None:
        return None
    pieces = _PAIR.split(match["map"] or "")[1:]
    options = dict(zip(pieces[::2], pieces[1::2], strict=True))
    return View(table_read(match["name"]).name, (source_read(match["format"], (), options),))


def _catalog_view(command: PlanText, reads: tuple[Read, ...]) -> Statement | None:
    return Statement(command.kind, TableRead(command.below[0].name), reads) if command.below else None


_RULES: dict[str, Callable[[PlanText, tuple[Read, ...]], Statement | View | None]] = {
    "InsertIntoStatement": _insert,
    "CreateTableAsSelect": _created,
    "ReplaceTableAsSelect": _created,
    "InsertIntoDir": _folder,
    "MergeIntoTable": _rows,
    "UpdateTable": _rows,
    "DeleteFromTable": _rows,
    "LoadData": _load,
    "CreateViewCommand": _view,
    "CreateView": _catalog_view,
    "AlterViewAs": _catalog_view,
    "CacheTableAsSelect": _cached,
    "CreateTempViewUsing": _view_of_source,
}
