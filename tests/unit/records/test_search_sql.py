"""A search as SQL: each condition once, and no value that is read as anything but itself."""

import re

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.records.search.archive import literal, render_sql
from headwater.records.search.criteria import Horizon, SearchCriteria

HORIZON = Horizon("2025-11-20", 0)
HOSTILE = [
    "",
    "'",
    "''",
    "it's",
    "\\",
    "\\'",
    "' OR 1=1 --",
    "'; DROP TABLE records; --",
    "a\nb\r\tc",
    "\x00",
    "'\x00'",
    "\x7f\x1b[2J",
    "?",
    "$1 :x @y",
    "%_",
    "/* */ --",
    '"',
    "U&'\\0061'",
    "ü\U0001f6e9\u2028\ufeff",
    "\u2019\uff07",
    "x" * 2048,
]


def test_all_conditions_are_one_where_clause():
    searched = SearchCriteria("r", "n", "READ", "s3://b/", 10, 20)

    assert render_sql(searched, Horizon("2025-11-20", 0, "2025-11-01")) == (
        "SELECT root_id, node_id, parent_id, action_taken, storage_location, recorded_at, run_id, "
        "CAST(metadata AS JSON) AS metadata, day FROM records "
        "WHERE day <= '2025-11-20' AND day >= '2025-11-01' AND root_id = 'r' AND node_id = 'n' "
        "AND action_taken = 'READ' AND starts_with(storage_location, 's3://b/') "
        "AND recorded_at >= 10 AND recorded_at < 20 ORDER BY day, root_id, node_id LIMIT 100001"
    )


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_value_is_read_as_itself(text):
    assert duckdb.sql(f"SELECT {literal(text)}").fetchall() == [(text,)]


@given(st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("'\\;-/*")))
def test_a_literal_is_quoted_text_and_numbered_characters_alone(text):
    """As in Trino, whose string ends at the first quote that stands alone, and which knows no escapes in it."""
    quoted, numbered = r"'(?:[^'\x00-\x1f\x7f]|'')*'", r"chr\([0-9]{1,3}\)"

    assert re.fullmatch(
        rf"{quoted}|\((?:{quoted}|{numbered})(?: \|\| (?:{quoted}|{numbered}))*\)|{numbered}", literal(text)
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_value_finds_what_has_it_and_nothing_else(text):
    for name, column in (("root", "root_id"), ("node", "node_id"), ("action", "action_taken")):
        sql = render_sql(SearchCriteria(**{name: text}), HORIZON)
        assert _found(sql, **{column: text}) == [text]
        assert _found(sql, **{column: f"{text}x"}) == []


@pytest.mark.parametrize("text", HOSTILE)
def test_a_location_is_a_prefix_character_by_character(text):
    sql = render_sql(SearchCriteria(location=f"s3://{text}"), HORIZON)

    assert _found(sql, storage_location=f"s3://{text}/more") == [f"s3://{text}/more"]
    assert _found(sql, storage_location=f"S3://{text}") == []


def _found(sql, **row):
    """The value of the one row that is there, if the query finds it."""
    form = {
        "root_id": "r",
        "node_id": "n",
        "parent_id": "r",
        "action_taken": "A",
        "storage_location": "s3://",
        "recorded_at": 1,
        "run_id": None,
        "day": "2025-11-20",
        **row,
    }
    with duckdb.connect() as database:
        columns = ", ".join(f"{name} {'BIGINT' if name == 'recorded_at' else 'VARCHAR'}" for name in form)
        database.execute(f"CREATE TABLE records ({columns}, metadata MAP(VARCHAR, VARCHAR))")
        database.execute(f"INSERT INTO records VALUES ({', '.join('?' * len(form))}, NULL)", list(form.values()))
        result = database.execute(sql)
        names = [column[0] for column in result.description]
        return [cells[names.index(name)] for cells in result.fetchall() for name in row]
