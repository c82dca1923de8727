"""Captured columns are compared with those that an oracle finds in the text of the same query."""

from __future__ import annotations

import pytest

from comparisons.oracle import QueryLineage, read_lineage
from comparisons.reported import of_lines
from comparisons.tpc_score import QueryResult, corrected, list_differences, render

TABLES = {"sales": {"shop": "int", "amount": "double", "day": "date"}, "shops": {"id": "int", "city": "string"}}


@pytest.mark.parametrize(
    ("sql", "sources"),
    [
        ("SELECT city FROM sales JOIN shops ON shop = id WHERE day > '2013-01-01'", {"shops.city"}),
        ("SELECT sum(CASE WHEN city = 'x' THEN amount END) FROM sales, shops", {"shops.city", "sales.amount"}),
        ("SELECT rank() OVER (PARTITION BY shop ORDER BY amount) FROM sales", {"sales.shop", "sales.amount"}),
        (
            "WITH s AS (SELECT amount AS a FROM sales) SELECT a FROM s UNION ALL SELECT id FROM shops",
            {"sales.amount", "shops.id"},
        ),
        ("SELECT (SELECT max(amount) FROM sales WHERE shop = id) FROM shops", {"sales.amount"}),
        ("SELECT count(*) FROM sales", set()),
    ],
)
def test_the_oracle_finds_the_columns_that_make_a_column(sql: str, sources: set[str]) -> None:
    (column,) = read_lineage(sql, TABLES).columns
    assert {".".join(source) for source in column} == sources


def test_a_column_of_no_table_is_refused() -> None:
    with pytest.raises(Exception, match="nowhere"):
        read_lineage("SELECT nowhere FROM sales", TABLES)


def a_result(*lines: str, query: str = "q1", name: str = "total") -> QueryResult:
    """Return a result of one column, made of `sales.amount` by the oracle."""
    lineage = QueryLineage((frozenset({("sales", "amount")}),), frozenset({"sales"}))
    return QueryResult("TPC", query, [name], lineage, {"ours": of_lines(["out:", *lines, "inputs: sales"])})


def test_a_column_with_other_sources_is_unexplained() -> None:
    lines = list(render([a_result("c0 <- sales.day IDENTITY", "* <- sales.shop FILTER")], ["TPC"]))
    assert lines[2] == "| TPC | 1 | 1 | 0 | 0 | 0 | 0 | 1 |"
    assert lines[-1] == "| ours | 0 | 0 | 0 | 1 | 1 |"


def test_kinds_and_what_decides_on_rows_alone_are_not_compared() -> None:
    lines = list(render([a_result("c0 <- sales.amount AGGREGATION", "* <- sales.shop FILTER")], ["TPC"]))
    assert lines[2] == "| TPC | 1 | 1 | 1 | 0 | 0 | 0 | 0 |"


def test_every_difference_says_who_is_right_and_why() -> None:
    differences = list(list_differences([a_result("c0 <- sales.day IDENTITY")]))
    assert differences == ["TPC [ours] q1 total: + sales.day, - sales.amount (unexplained: )"]


def test_where_capture_is_right_the_oracle_is_corrected() -> None:
    result = a_result("c0 <- nothing", query="q27", name="g_state")
    wrong = result._replace(found=QueryLineage((frozenset({("store", "s_state")}),), frozenset({"sales"})))
    assert corrected(wrong).found.columns == (frozenset(),)
    assert corrected(result).found.columns == result.found.columns
