"""Statements known by their text alone: procedures (`CALL`), and Delta's `RESTORE`, `CLONE` and `CONVERT TO DELTA`.

Spark 4 runs a procedure while it analyzes the `CALL`, without an execution. On Spark Connect, `EXPLAIN` parses Spark's
own grammar: without Delta's statements, and with `CALL` from Spark 4 on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from spark_client.capturing.datasets.catalogs import Catalogs
from spark_client.capturing.datasets.sources import FORMATS_OF_FILES
from spark_client.capturing.datasets.sql_names import parse_name
from spark_client.capturing.datasets.table_formats import call_of, dataset_of
from spark_client.capturing.datasets.target import Target
from spark_client.capturing.model import Change, Dataset

_PART = r"(?:`(?:[^`]|``)+`|\w+)"
_NAME = rf"{_PART}(?:\.{_PART})*"
# Blanks and comments before a statement.
LEAD = r"(?:\s|--[^\n]*(?:\n|$)|/\*.*?\*/)*"
_ARGUMENT = re.compile(
    r"\s*(?:(?P<name>\w+)\s*=>\s*)?"
    r"(?:'(?P<text>(?:[^'\\]|'')*)'|\"(?P<quoted>[^\"\\]*)\"|(?P<other>(?:\w+\([^()]*\)|[^,()'\"])+))\s*(?:,|$)"
)
# Names of the first positional arguments.
_POSITIONS = {"add_files": ("table", "source_table"), "snapshot": ("source_table", "table")}


def find_in_text(text: str, catalogs: Catalogs, current: Callable[[], Sequence[str]]) -> tuple[bool, Target | None]:
    """Parse such a statement into `(True, its changed table)`, any text beside into `(False, None)`.

    `current` returns the current catalog and database.

    >>> is_such, target = find_in_text("CALL system.migrate('db.t')", Catalogs(), lambda: ("ice", "db"))
    >>> is_such, target.unknown
    (True, 'CALL migrate: a table that nobody can name')
    """
    for pattern, rule in _RULES.items():
        if (match := pattern.fullmatch(text)) is not None:
            return True, rule(match, catalogs, tuple(current()))
    return False, None


def _call(match: re.Match[str], catalogs: Catalogs, current: tuple[str, ...]) -> Target | None:
    *catalog, _, procedure = ("", *(parse_name(match["name"]) or ()))[-3:]
    of = next(filter(None, catalog), None) or next(iter(current), None)
    return call_of("Call", procedure, of, _arguments(match["arguments"], procedure), catalogs)


def _arguments(text: str, procedure: str) -> Mapping[str, str]:
    """Parse the texts among a procedure's arguments, by their names; an unreadable list of arguments gives none."""
    values: dict[str, str] = {}
    positions, at, index = _POSITIONS.get(procedure.lower(), ("table",)), 0, 0
    while at < len(text) and (match := _ARGUMENT.match(text, at)) is not None:
        name = match["name"] or next(iter(positions[index : index + 1]), "")
        if (value := match["quoted"] if match["text"] is None else match["text"].replace("''", "'")) is not None:
            values[name.lower()] = value
        at, index = match.end(), index + 1
    return values if at >= len(text) else {}


def _restore(match: re.Match[str], catalogs: Catalogs, current: tuple[str, ...]) -> Target:
    table = _table(match["table"], catalogs, current)
    version = match["version"] if match["version"] and match["version"].isdigit() else None
    before = (replace(table, version=version),) if table else ()
    return _target("RestoreTableCommand", table, before, "restore", "OVERWRITE")


def _clone(match: re.Match[str], catalogs: Catalogs, current: tuple[str, ...]) -> Target:
    source, table = (_table(match[name], catalogs, current) for name in ("source", "table"))
    change: Change = "OVERWRITE" if match["replaces"] else "CREATE"
    return _target("CreateDeltaTableCommand", table, (source,) if source else (), "clone", change)


def _convert(match: re.Match[str], catalogs: Catalogs, current: tuple[str, ...]) -> Target:
    table = _table(match["table"], catalogs, current)
    return _target("ConvertToDeltaCommand", table, (table,) if table else (), "convert", None)


def _target(
    command: str, table: Dataset | None, inputs: tuple[Dataset, ...], effect: str, change: Change | None
) -> Target:
    known = table if inputs else None
    why = None if known else f"{command}: a table that nobody can name"
    return Target(command, known, change=change, effect=effect, inputs=inputs, unknown=why)


def _table(name: str, catalogs: Catalogs, current: tuple[str, ...]) -> Dataset | None:
    parts = parse_name(name) or [name]
    is_path = len(parts) == 2 and parts[0].lower() in FORMATS_OF_FILES
    if len(parts) == 1:
        name = ".".join(f"`{part.replace('`', '``')}`" for part in (*current[1:], *parts))
    return dataset_of(name, None if is_path else next(iter(current), None), catalogs)


_RULES: Mapping[re.Pattern[str], Callable[[re.Match[str], Catalogs, tuple[str, ...]], Target | None]] = {
    re.compile(rf"{LEAD}{words}[\s;]*", re.IGNORECASE | re.DOTALL): rule
    for words, rule in {
        rf"CALL\s+(?P<name>{_NAME})\s*\((?P<arguments>.*)\)": _call,
        rf"RESTORE\s+(?:TABLE\s+)?(?P<table>{_NAME})\s+(?:TO\s+)?"
        r"(?:VERSION\s+AS\s+OF\s+(?P<version>\d+)|TIMESTAMP\s.*)": _restore,
        rf"(?:CREATE|(?P<replaces>(?:CREATE\s+OR\s+)?REPLACE))\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(?P<table>{_NAME})\s+"
        rf"(?:SHALLOW\s+|DEEP\s+)?CLONE\s+(?P<source>{_NAME})(?:\s.*)?": _clone,
        rf"CONVERT\s+TO\s+DELTA\s+(?P<table>{_NAME})(?:\s.*)?": _convert,
    }.items()
}
