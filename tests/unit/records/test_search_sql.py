"""A search as SQL: each condition once, and no value that is read as anything but itself."""

import re

import duckdb
from hypothesis import given
from hypothesis import strategies as st

from headwater.records.search.archive import literal, render_sql
from headwater.records.search.criteria import Horizon, SearchCriteria


def test_all_conditions_are_one_where_clause():
    searched = SearchCriteria("r'", "n'", "READ'", "s3://b'/", 10, 20)

    assert render_sql(searched, Horizon("2025-11-20", 0, "2025-11-01")) == (
        "SELECT root_id, node_id, parent_id, action_taken, storage_location, recorded_at, run_id, "
        "CAST(metadata AS JSON) AS metadata, day FROM records "
        "WHERE day <= '2025-11-20' AND day >= '2025-11-01' AND root_id = 'r''' AND node_id = 'n''' "
        "AND action_taken = 'READ''' AND starts_with(storage_location, 's3://b''/') "
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
