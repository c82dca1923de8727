"""Failures of requests and views: the header, the last picture and a way on stay."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest

from tests.explorer.pages import CHECKED, node
from tests.explorer.stories import JOBS, LAKE


def test_a_request_that_fails_leaves_the_picture(open_view, pipeline):
    page = open_view(pipeline, f"map?node={CHECKED}")
    page.watch.expected = ("status of 500",)
    node(page, "emissions.check").wait_for()
    pipeline.refuse("/api/v1/lineage", 500, times=3)
    page.get_by_role("button", name="show more", exact=True).click()
    notice = page.get_by_role("alert")
    notice.get_by_text("This did not load: the API responded with 500").wait_for()
    assert node(page, "emissions.check").is_visible()
    notice.get_by_role("button", name="Back").click()
    notice.wait_for(state="detached")
    assert "depth=" not in page.url
    node(page, "emissions.check").wait_for()


def test_offline_the_picture_stays_with_the_reason_and_loads_once_the_reader_is_back(open_view, pipeline):
    page = open_view(pipeline, f"map?node={CHECKED}", fresh=True)
    page.watch.expected = ("ERR_INTERNET_DISCONNECTED",)
    node(page, "emissions.check").wait_for()
    page.context.set_offline(True)
    page.get_by_role("button", name="show more", exact=True).click()
    notice = page.get_by_role("alert")
    notice.get_by_text("You are offline: this did not load.").wait_for()
    notice.get_by_role("button", name="Try again").click()
    notice.get_by_text("You are offline").wait_for()
    assert node(page, "emissions.check").is_visible()
    page.context.set_offline(False)
    notice.wait_for(state="detached")
    node(page, "emissions.check").wait_for()
    assert "depth=2" in page.url


def test_a_file_that_a_deployment_removed_reloads_the_page_once_and_is_then_named(open_view, pipeline):
    page = open_view(pipeline, "search?q=check")
    page.watch.expected = ("Failed to fetch", "404", "MissingFile", "dynamically imported")
    page.get_by_text("emissions.check").first.wait_for()
    loads = []
    page.on("load", lambda *_: loads.append(1))
    page.route(re.compile(r"/explore/impact-[^/]*\.js"), lambda route: route.fulfill(status=404, body="no file"))
    page.evaluate(f"history.pushState(null, '', 'impact?node={quote(CHECKED, safe='')}')")
    page.get_by_role("alert").get_by_text("A new version was deployed").wait_for()
    assert loads == [1]
    page.watch.faults.clear()


@pytest.mark.slow
def test_a_reader_who_declined_signs_in_later_and_sees_the_days_left(open_view, guarded):
    page = open_view(guarded, f"map?node={CHECKED}", expected=("status of 401", "status of 403"))
    dialog = page.get_by_role("dialog", name="token")
    dialog.get_by_role("button", name="Not now").click()
    page.get_by_role("alert").get_by_text("This page needs a token").wait_for()
    page.get_by_role("banner").get_by_role("button", name="Sign in").click()
    dialog.get_by_label("Token", exact=True).fill(guarded.new_token("read", namespaces=["*"], lifetime_s=90 * 86_400))
    dialog.get_by_role("button", name="Use it").click()
    node(page, "emissions.check").wait_for()
    # The API's clock stands still in November 2025.
    account = page.get_by_role("banner").get_by_role("button", name=re.compile(r"read · \d+ days left"))
    account.click()
    page.get_by_role("button", name="Forget the token").click()
    dialog.wait_for()


@pytest.mark.slow
def test_a_namespace_is_listed_in_short(open_view, pipeline):
    page = open_view(pipeline, f"search?namespace={JOBS}")
    page.get_by_role("link", name="emissions.check").wait_for()
    lists = [path for path in page.watch.paths() if path.startswith("/api/v1/namespaces/")]
    assert len(lists) == 2
    assert all("form=summary" in path for path in lists)


@pytest.mark.slow
def test_a_truncated_response_is_shown_as_one(open_view, hub):
    page = open_view(hub, f"impact?node=dataset:{LAKE}:hub")
    page.get_by_text("The report is truncated").wait_for()
    assert page.get_by_role("status").filter(has_text="jobs").is_visible()


@pytest.mark.slow
def test_a_response_that_lies_elsewhere_is_followed(open_view, pipeline):
    pipeline.refuse("/api/v1/lineage", 303, Location=f"lineage?nodeId={quote(CHECKED)}&depth=2")
    node(open_view(pipeline, f"map?node={CHECKED}"), "emissions.check").wait_for()
