"""Columns' sources of TPC's queries: reported by a capture, found by the oracle, and why they differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from benchmarks.peers.oracle import QueryLineage, Sources
from benchmarks.peers.reported import WHOLE, Lineage
from benchmarks.tables import render_table

OURS, ORACLE, CONVENTION, UNEXPLAINED = "ours right", "oracle right", "convention", "unexplained"
EQUAL = "equal"


class QueryResult(NamedTuple):
    """Query with its output columns' names, what the oracle found, and what each capture reported."""

    benchmark: str
    query: str
    names: Sequence[str]
    found: QueryLineage
    reported: Mapping[str, Lineage]


class Difference(NamedTuple):
    """Output column with the sources that a capture reported and the oracle did not find (`more`), and the reverse."""

    query: str
    column: str
    more: Sources
    less: Sources

    def __str__(self) -> str:
        signed = [
            f"{sign} {'.'.join(column)}"
            for sign, part in (("+", self.more), ("-", self.less))
            for column in sorted(part)
        ]
        return f"{self.query} {self.column}: {', '.join(signed)}"


def output_name(number: int) -> str:
    """Return the name that an output column is written by: names in the queries may repeat.

    >>> output_name(0)
    'c0'
    """
    return f"c{number}"


def sources_of(lineage: Lineage, number: int) -> Sources:
    """Return the columns that a column's values, and only its values, come from or depend on."""
    column = (output_name(number),)
    return frozenset((edge.of_dataset, edge.of_column[0]) for edge in lineage.edges if edge.column == column != WHOLE)


def differences_of(result: QueryResult, capture: str) -> Iterator[Difference | None]:
    """Yield each output column's difference, None where there is none."""
    for number, (name, sources) in enumerate(zip(result.names, result.found.columns, strict=True)):
        reported = sources_of(result.reported[capture], number)
        more, less = reported - sources, sources - reported
        yield Difference(result.query, name, more, less) if more or less else None


def explain(difference: Difference) -> tuple[str, str]:
    """Return who is right about a difference between our capture and the oracle, and why.

    >>> explain(Difference("q1", "a", frozenset({("t", "b")}), frozenset()))
    ('unexplained', '')
    """
    for verdict, reason, lines in EXPLAINED:
        if str(difference) in lines:
            return verdict, reason
    return UNEXPLAINED, ""


# Each difference was read beside its query. A difference that is not here is unexplained, and fails the command.
EXPLAINED: tuple[tuple[str, str, frozenset[str]], ...] = (
    (
        CONVENTION,
        "the rows that a scalar subquery counts or averages are chosen by this column, which decides the value and is "
        "not in it: capture reports it as INDIRECT, the oracle leaves the filters of subqueries out as it does others",
        frozenset(f"q9 bucket{number}: + store_sales.ss_quantity" for number in range(1, 6)),
    ),
    (
        OURS,
        "grouping(x) is 0 or 1 by the level that a row is grouped at, whatever x holds: the oracle takes its argument "
        "for a source",
        frozenset(
            {
                "q27 g_state: - store.s_state",
                "q36 lochierarchy: - item.i_category, - item.i_class",
                "q36 rank_within_parent: - item.i_class",
                "q70 lochierarchy: - store.s_county, - store.s_state",
                "q70 rank_within_parent: - store.s_county",
                "q86 lochierarchy: - item.i_category, - item.i_class",
                "q86 rank_within_parent: - item.i_class",
            }
        ),
    ),
)


def render(results: Sequence[QueryResult], benchmarks: Sequence[str]) -> Iterator[str]:
    """Yield a table of our capture beside the oracle, then one of every capture."""
    words = (EQUAL, OURS, ORACLE, CONVENTION, UNEXPLAINED)
    rows = []
    for benchmark in benchmarks:
        of_benchmark = [result for result in results if result.benchmark == benchmark]
        count = Counter(word for result in of_benchmark for word in _verdicts(result))
        rows.append((benchmark, *map(str, (len(of_benchmark), count.total(), *(count[word] for word in words)))))
    yield from render_table(("", "queries", "output columns", *words), "l" + "r" * 7, rows)
    yield ""
    yield from _render_captures(results)


def _verdicts(result: QueryResult) -> Iterator[str]:
    for difference in differences_of(result, "ours"):
        yield EQUAL if difference is None else explain(difference)[0]


def _render_captures(results: Sequence[QueryResult]) -> Iterator[str]:
    """Yield each capture's columns that are as the oracle has them where it is right, and queries whose tables are."""
    rows = []
    for capture in results[0].reported:
        count = Counter(
            _how(difference) for result in results for difference in differences_of(corrected(result), capture)
        )
        tables = sum(tables_of(result, capture) == result.found.tables for result in results)
        rows.append((capture, *(str(count[word]) for word in ("equal", "more", "less", "both")), str(tables)))
    columns = ("columns beside the corrected oracle", "equal", "more", "less", "both", "queries with the same inputs")
    yield from render_table(columns, "lrrrrr", rows)


def corrected(result: QueryResult) -> QueryResult:
    """Return the result with the columns of the oracle as our capture has them where that is right."""
    pairs = zip(result.found.columns, differences_of(result, "ours"), strict=True)
    columns = (
        (sources | difference.more) - difference.less if difference and explain(difference)[0] == OURS else sources
        for sources, difference in pairs
    )
    return result._replace(found=result.found._replace(columns=tuple(columns)))


def _how(difference: Difference | None) -> str:
    if difference is None:
        return "equal"
    if difference.more and difference.less:
        return "both"
    return "more" if difference.more else "less"


def tables_of(result: QueryResult, capture: str) -> frozenset[str]:
    """Return the tables that a capture reported as read."""
    return frozenset(names[1] for names in result.reported[capture].datasets if len(names) > 1)


def list_differences(results: Sequence[QueryResult]) -> Iterator[str]:
    """Yield every difference of every capture; ours with who is right and why."""
    for capture in results[0].reported:
        for result in results:
            for difference in filter(None, differences_of(result, capture)):
                verdict, reason = explain(difference) if capture == "ours" else ("", "")
                yield f"{result.benchmark} [{capture}] {difference}{f' ({verdict}: {reason})' if verdict else ''}"
            if (tables := tables_of(result, capture)) != result.found.tables:
                more, less = sorted(tables - result.found.tables), sorted(result.found.tables - tables)
                yield f"{result.benchmark} [{capture}] {result.query} inputs: more {more}, less {less}"
