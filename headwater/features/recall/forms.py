"""The forms of a recall: text, CSV, and a delete plan of a statement for each table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from headwater.api.reports.tables import join_words, table
from headwater.cli.service import printable

# A version of a recall, as the API prints it.
Version: TypeAlias = Mapping[str, Any]
_COLUMNS = ("grade", "namespace", "name", "version", "part", "owners", "job", "run", "created", "repairedBy")

# The partition of rows without a value, in Hive's words.
_NULL = "__HIVE_DEFAULT_PARTITION__"
_UNQUOTED = re.compile(r"['`\\\x00-\x1f]")


def render_lines(versions: Iterable[Version]) -> Iterator[str]:
    """Yield a line for each version."""
    for each in versions:
        parts = [
            each["grade"],
            f"dataset:{each['namespace']}:{each['name']}",
            *map(print_entry, _entries(each)),
            f"run {each['run']} of {each['job']}",
        ]
        parts += [f"owners: {', '.join(each['owners'])}"] if each["owners"] else []
        parts += [f"replaced by run {each['repairedBy']}"] if each["repairedBy"] else []
        yield printable("  ".join(parts))


def render_csv(versions: Iterable[Version]) -> str:
    """Render a table with a row for each version."""
    rows = (
        {
            **each,
            "part": join_words(map(print_entry, _entries(each))),
            "owners": join_words(each["owners"]),
            "created": each["createdAt"],
            "repairedBy": each["repairedBy"] or "",
        }
        for each in versions
    )
    return table(_COLUMNS, rows)


def render_plan(versions: Iterable[Version]) -> Iterator[str]:
    """Yield a DELETE for each table, of the partitions with the load; without known partitions it deletes nothing."""
    tables: dict[tuple[str, str], list[Version]] = {}
    for each in versions:
        if not each["repairedBy"]:
            tables.setdefault((each["namespace"], each["name"]), []).append(each)
    for (namespace, dataset), of_table in tables.items():
        runs = ", ".join(sorted({each["run"] for each in of_table}))
        yield printable(f"-- {namespace}: runs {runs}")
        conditions = [_condition_of(each) for each in of_table]
        name = ".".join(f"`{part.replace('`', '``')}`" for part in _table_parts(dataset))
        if None in conditions:
            yield "-- the partitions with the load are unknown: write a condition of your own"
            conditions = ["FALSE"]
        condition = " OR ".join(dict.fromkeys(filter(None, conditions)))
        yield f"DELETE FROM {printable(name)} WHERE {condition};"  # noqa: S608 - names and values are quoted


def _condition_of(version: Version) -> str | None:
    """Make the SQL condition of a version's part; None if it names no partition by its columns.

    Identifiers are partitions, `day=2026-11-20/hour=5`, and dimensions columns: `{"day": "2026-11-20"}`.
    """
    conditions = [_condition(entry) for entry in _entries(version)]
    return None if not conditions or None in conditions else " OR ".join(filter(None, conditions))


def print_entry(entry: Any) -> str:
    """Print a partition: `day=2026-11-20/hour=5`; a location as it is.

    >>> print_entry({"day": "2026-11-20", "hour": "5"}), print_entry("s3://lake/day=1")
    ('day=2026-11-20/hour=5', 's3://lake/day=1')
    """
    return "/".join(f"{name}={value}" for name, value in entry.items()) if isinstance(entry, Mapping) else str(entry)


def _condition(entry: Any) -> str | None:
    if isinstance(entry, Mapping):
        pairs = [(name, str(value)) for name, value in entry.items()]
    else:
        split = [part.partition("=") for part in str(entry).split("/")]
        if not all(sign for _, sign, _ in split):
            return None
        pairs = [(name, value) for name, _, value in split]
    # Engines differ in how they escape a quote.
    if any(_UNQUOTED.search(name + value) for name, value in pairs):
        return None
    texts = (f"`{name}` IS NULL" if value == _NULL else f"`{name}` = '{value}'" for name, value in pairs)
    return f"({' AND '.join(texts)})"


def _entries(version: Version) -> Sequence[Any]:
    return next(iter((version["part"] or {}).values()), ())


def _table_parts(name: str) -> Sequence[str]:
    """Split a table's name at its dots; a path is a single part.

    >>> _table_parts("shop.orders"), _table_parts("lake/orders.csv")
    (['shop', 'orders'], ['lake/orders.csv'])
    """
    return [name] if "/" in name else name.split(".")
