"""Tokens: typed where one is needed, kept in memory, and offered what they open."""

from __future__ import annotations

import pytest

from tests.explorer.stories import JOBS
from tests.explorer.tokens import REFUSALS, give_token


def test_with_a_token_for_one_namespace_a_search_names_it_and_records_are_not_offered(open_view, guarded):
    page = open_view(guarded, "search?q=estim", expected=REFUSALS)
    give_token(page, guarded.new_token("read", namespaces=[JOBS]))
    page.get_by_role("link", name="emissions.estimate").wait_for()
    assert page.get_by_role("link", name="estimated", exact=True).count() == 0
    assert {f"namespace={JOBS}" in path for path in page.watch.paths() if path.startswith("/api/v1/search")} == {True}
    assert page.get_by_role("link", name="Records").count() == 0
    # The address of a view that the token does not open says what it needs.
    page.evaluate("history.pushState(null, '', 'record?root=flights')")
    page.get_by_text("needs the scope records").wait_for()


@pytest.mark.slow
def test_a_token_for_records_alone_is_offered_records(open_view, guarded):
    page = open_view(guarded, expected=REFUSALS)
    give_token(page, guarded.new_token("records", roots=["flights"]))
    page.get_by_role("region", name="work").wait_for(state="detached")
    page.get_by_role("combobox", name="Find").fill("UA1545")
    page.get_by_role("option", name="among records").wait_for()
