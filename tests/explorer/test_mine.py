"""The reader as the page knows them: names kept in the browser, a token kept in memory, with the views it opens."""

from __future__ import annotations

import json

import pytest

from tests.explorer.pages import CHECKED, REFUSALS, give_token
from tests.explorer.stories import JOBS, LAKE

KEPT = "JSON.stringify({...localStorage})"
# After so many milliseconds a reader has looked at a view.
LOOKED = 2_500


def of_mine(page):
    return page.get_by_role("region", name="mine")


def test_what_was_looked_at_is_kept_and_what_does_not_exist_is_not(open_view, pipeline):
    page = open_view(pipeline, f"map?node=dataset:{LAKE}:nowhere", clock=True, expected=("404",))
    page.get_by_role("alert").wait_for()
    page.clock.fast_forward(LOOKED)
    page.goto(f"{pipeline.url}/explore/map?node={CHECKED}")
    page.get_by_text("emissions.check").first.wait_for()
    page.clock.fast_forward(LOOKED)
    page.goto(f"{pipeline.url}/explore/")
    of_mine(page).get_by_role("link", name="checked").wait_for()
    assert "nowhere" not in of_mine(page).inner_text()
    (kept,) = json.loads(page.evaluate(KEPT)).values()
    assert json.loads(kept) == {
        "pinned": [],
        "seen": [{"id": CHECKED, "namespace": LAKE, "name": "checked"}],
        "owner": "",
        "remembers": None,
    }
    of_mine(page).get_by_role("button", name="Forget all").click()
    assert page.evaluate("localStorage.length") == 0


@pytest.mark.slow
def test_who_does_not_want_it_leaves_no_names(open_view, pipeline):
    page = open_view(pipeline, clock=True)
    of_mine(page).get_by_role("checkbox", name="Keep what I look at").uncheck()
    page.goto(f"{pipeline.url}/explore/map?node={CHECKED}")
    page.get_by_text("emissions.check").first.wait_for()
    page.clock.fast_forward(LOOKED)
    assert "checked" not in page.evaluate(KEPT)


def test_a_token_is_never_kept_there_and_who_forgets_it_leaves_nothing(open_view, guarded):
    page = open_view(guarded, "job?node=job:emissions:emissions.check", fresh=True, expected=REFUSALS)
    text = guarded.new_token("read", namespaces=["*"])
    page.get_by_role("dialog", name="token").get_by_role("checkbox").check()
    give_token(page, text)
    page.get_by_role("button", name="Pin", exact=True).click()
    kept = page.evaluate(KEPT)
    assert "emissions.check" in kept
    assert text not in kept
    page.get_by_role("banner").get_by_role("button", name="read").click()
    page.get_by_role("button", name="Forget the token").click()
    assert page.evaluate("localStorage.length") == 0


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
