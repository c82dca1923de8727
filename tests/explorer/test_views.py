"""The views of the explorer in a browser: shown, used and shared."""

from __future__ import annotations

import re
from urllib.parse import quote, urlencode

import pytest

from tests.explorer.axe import serious_faults
from tests.explorer.stories import ATTACK, JOBS, LAKE, run_of

CHECKED, ESTIMATED = f"dataset:{LAKE}:checked", f"dataset:{LAKE}:estimated"
REJECTED = f"dataset:{LAKE}:rejected"
CO2 = f"datasetField:{LAKE}:estimated:co2_kg"
REPORT = "job:marts:marts.airline_report"
HOSTILE = f"job:ns {ATTACK}:=cmd {ATTACK}"

VIEWS = {
    "": "Broken",
    "search?q=check": "emissions.check",
    f"map?node={CHECKED}": "emissions.estimate",
    f"map?node={ESTIMATED}&list=1&vs=2025-11-18T12:00:00Z": "+ 2 added",
    f"columns?node={CO2}": "3.16 * fuel_kg",
    f"columns?node={ESTIMATED}&list=1": "checked.distance",
    f"impact?node={CHECKED}": "public.co2_by_day",
    f"impact?node={CO2}": "co2_t",
    f"dataset?node={CHECKED}": "distance",
    f"dataset?node={CHECKED}&tab=versions": "+ contact",
    f"dataset?node={ESTIMATED}&tab=columns": "checked.seats",
    f"dataset?node={CHECKED}&tab=facets": "schema",
    f"dataset?node={REJECTED}&tab=tests": "not_null of flight",
    f"map?node={REJECTED}&sel={REJECTED}": "3, expected 0",
    f"job?node={REPORT}": "No space left on device",
    f"job?node=job:{JOBS}:emissions.estimate&tab=code": "0.03 * distance * seats",
    f"job?node=job:{JOBS}:emissions.check&tab=versions": "rejected",
    f"run?id={run_of('marts.airline_report', 20)}": "No space left on device",
    f"run?id={run_of('emissions.check', 20)}&vs={run_of('emissions.check', 19)}": "another version",
    "search?tag=pii": "passenger_email",
    "usage?tag=pii&start=1763000000&end=1764000000": "catalog",
    f"usage?node=datasetField:{LAKE}:raw:passenger_email&start=1763000000&end=1764000000": "masked",
    "tests": "not_null of flight",
    f"tests?namespace={LAKE}": "All namespaces",
    "feed": "+ contact",
    "feed?kind=JOB_FAILS&namespace=marts&days=31": "marts.airline_report",
    "coverage": "By namespace",
    f"coverage?namespace={JOBS}&level=columns": "Outputs with columns",
    "no-such-view": "There is no such view",
    "dataset?node=dataset:s3://nowhere:nothing": "Not found",
}
REFUSALS = ("status of 401", "status of 403")
NOT_FOUND = "the server responded with a status of 404"


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: re.sub(r"\W+", "-", view)[:60])
def test_a_view_opens_by_its_address_and_survives_a_reload(open_view, pipeline, view):
    page = open_view(pipeline, view, expected=(NOT_FOUND,) if "nowhere" in view else ())
    page.get_by_text(VIEWS[view]).first.wait_for()
    page.reload()
    page.get_by_text(VIEWS[view]).first.wait_for()


def test_a_level_of_coverage_narrows_the_jobs_and_their_names_lead_on(open_view, pipeline):
    page = open_view(pipeline, "coverage", bypass_csp=True)
    levels = page.get_by_role("group", name="what a job reports")
    columns = levels.get_by_role("button", name=re.compile("^Columns"))
    number = int(columns.inner_text().split()[-1])
    columns.click()
    page.get_by_role("heading", name="Columns", exact=True).wait_for()
    rows = page.get_by_role("region", name="jobs").get_by_role("row").all()[1:]
    assert len(rows) == number > 0
    assert all("Columns" in row.inner_text() for row in rows)
    assert serious_faults(page) == []
    rows[0].get_by_role("link").first.click()
    page.wait_for_url("**/explore/job?**")


def test_a_failing_test_of_the_start_leads_to_its_dataset_and_to_its_run(open_view, pipeline):
    page = open_view(pipeline, bypass_csp=True)
    page.get_by_role("link", name="failing tests").click()
    row = page.get_by_role("region", name="failing tests").get_by_role("row").filter(has_text="not_null of flight")
    row.get_by_text("3", exact=True).wait_for()
    assert serious_faults(page) == []
    row.get_by_role("link", name="run").click()
    page.wait_for_url("**/explore/run?**")
    page.go_back()
    row.get_by_role("link", name="rejected").click()
    page.wait_for_url("**/explore/dataset?**tab=tests")


def test_what_changed_is_on_the_start_and_leads_to_the_feed_by_day_kind_and_namespace(open_view, pipeline):
    page = open_view(pipeline, bypass_csp=True)
    changed = page.get_by_role("region", name="changed")
    changed.get_by_role("listitem").filter(has_text="airline_report").get_by_text("fails, 1 run, since").wait_for()
    changed.get_by_role("link", name=re.compile("by day")).click()
    page.wait_for_url("**/explore/feed")
    of_day = page.get_by_role("region", name="2025-11-18").get_by_role("listitem")
    of_day.filter(has_text="checked").get_by_text("+ contact").wait_for()
    assert serious_faults(page) == []
    page.get_by_role("button", name="Schemas").click()
    page.get_by_text("1 change.").wait_for()
    page.get_by_role("combobox", name="namespace").select_option("marts")
    page.get_by_text("Nothing new, dropped, changed or failing in these days.").wait_for()
    assert page.url.endswith("/feed?kind=SCHEMA_CHANGED&namespace=marts")
    page.get_by_role("combobox", name="namespace").select_option(LAKE)
    page.get_by_role("link", name="checked").click()
    page.wait_for_url("**/explore/dataset?**tab=versions")


def node(page, name):
    return page.locator(".react-flow__node", has_text=name)


def test_a_column_is_found_by_a_part_of_its_name_and_its_path_is_one_click_away(open_view, pipeline):
    page = open_view(pipeline)
    page.get_by_role("combobox", name="Find").fill("co2_k")
    page.get_by_role("option", name="co2_kg").click()
    page.get_by_text("3.16 * fuel_kg").first.wait_for()
    assert page.url.endswith(f"/explore/columns?{urlencode({'node': CO2})}")


def test_an_owner_and_a_tag_are_filters_of_the_search(open_view, pipeline):
    page = open_view(pipeline)
    box = page.get_by_role("combobox", name="Find")
    box.fill("owner:team:emissions")
    page.get_by_role("option", name="estimated").wait_for()
    box.fill("tag:tier:gold estim")
    page.get_by_role("option", name="All that is tagged “tier:gold” and has “estim”").click()
    page.get_by_text("1 jobs and datasets").wait_for()
    page.get_by_role("link", name="estimated", exact=True).wait_for()


def test_the_slash_goes_to_the_search_and_escape_leaves_it(open_view, pipeline):
    page = open_view(pipeline, f"map?node={CHECKED}")
    node(page, "emissions.check").wait_for()
    page.keyboard.press("/")
    page.keyboard.type("estim")
    page.get_by_role("option", name="emissions.estimate").wait_for()
    page.keyboard.press("Escape")
    assert page.get_by_role("listbox").is_hidden()


def test_a_node_that_is_opened_stays_where_it_is(open_view, pipeline):
    page = open_view(pipeline, f"map?node={CHECKED}", size=(1920, 1080))
    opened = node(page, "estimated")
    opened.wait_for()
    before = opened.bounding_box()
    page.get_by_role("button", name=re.compile("downstream of estimated")).click()
    node(page, "marts.airline_report").wait_for()
    after = opened.bounding_box()
    assert (abs(before["x"] - after["x"]), abs(before["y"] - after["y"])) < (1, 1)
    assert "open=down" in page.url


def test_back_and_forward_go_from_map_to_map(open_view, pipeline):
    page = open_view(pipeline, f"map?node={CHECKED}")
    node(page, "estimated").click()
    page.get_by_role("link", name="Centre here").click()
    node(page, "marts.co2_by_day").wait_for()
    page.go_back()
    node(page, "emissions.check").wait_for()
    assert quote(CHECKED, safe="") in page.url
    page.go_forward()
    node(page, "marts.co2_by_day").wait_for()


def test_the_keyboard_alone_walks_selects_opens_and_lists(open_view, pipeline):
    page = open_view(pipeline, f"map?node={CHECKED}")
    node(page, "estimated").wait_for()
    page.keyboard.press("ArrowRight")
    page.get_by_role("complementary", name="about emissions.estimate").wait_for()
    page.keyboard.press("ArrowRight")
    page.get_by_role("complementary", name="about estimated").wait_for()
    page.keyboard.press("e")
    node(page, "marts.airline_report").wait_for()
    page.keyboard.press("l")
    page.get_by_role("region", name="nodes of the map").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("complementary", name="about estimated").wait_for(state="hidden")
    page.keyboard.press("c")
    page.get_by_text("Choose a column to see its whole path").wait_for()


def test_why_names_the_nearest_failure_with_its_error(open_view, pipeline):
    page = open_view(
        pipeline,
        f"map?node=dataset:postgres://marts.example:5432:public.airline_report&sel=dataset:{'postgres://marts.example:5432'}:public.airline_report",
    )
    page.get_by_role("button", name="Why?").click()
    page.get_by_text("Nearest trouble upstream").wait_for()
    page.get_by_text("No space left on device").wait_for()


def test_a_run_names_the_part_that_it_read_and_why_its_lineage_is_incomplete(open_view, pipeline):
    page = open_view(pipeline, f"run?id={run_of('ops.rejections', 20)}")
    page.get_by_text("day=2025-11-20").wait_for()
    page.get_by_text("its producer could not read all of it (facet extractionError)").wait_for()


def test_the_map_marks_a_job_whose_last_run_reported_incomplete_lineage(open_view, pipeline):
    page = open_view(pipeline, "map?node=job:ops:ops.rejections&sel=job:ops:ops.rejections")
    page.get_by_text("the run could not report all of it").wait_for()


def test_a_job_that_waits_for_another_is_drawn_apart_from_data_by_a_switch(open_view, pipeline):
    page = open_view(pipeline, "map?node=job:bi:bi.dashboard_of_emissions_per_airline_and_day")
    node(page, "airline_and_day").first.wait_for()
    assert node(page, "ops.rejections").count() == 0
    page.get_by_role("button", name="Dependencies").click()
    node(page, "ops.rejections").wait_for()
    assert page.locator(".react-flow__edge.is-control").count() == 1
    assert "dependencies=1" in page.url
    node(page, "ops.rejections").click()
    page.get_by_role("heading", name="Waited for by 1").wait_for()


def test_a_failed_run_is_compared_with_the_last_good_one(open_view, pipeline):
    page = open_view(pipeline, f"run?id={run_of('marts.airline_report', 20)}")
    page.get_by_role("link", name="Against the last good run").click()
    page.get_by_text("Two runs side by side").wait_for()
    assert run_of("marts.airline_report", 19) in page.url
    page.goto(f"{pipeline.url}/explore/job?node={REPORT}")
    page.get_by_role("link", name="against the last good one").wait_for()


def test_impact_names_the_owners_with_a_message_to_each(open_view, pipeline):
    page = open_view(pipeline, f"impact?node={CHECKED}")
    owners = page.get_by_role("region", name="whom it reaches")
    row = owners.get_by_role("row", name="team:emissions")
    row.wait_for()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    row.get_by_role("button", name="copy as message").click()
    row.get_by_role("button", name="copied").wait_for()
    message = page.evaluate("navigator.clipboard.readText()")
    assert message.startswith("To team:emissions: a change of checked reaches 1 dataset of yours")


def test_a_dataset_says_who_writes_and_who_reads_it(open_view, pipeline):
    page = open_view(pipeline, f"dataset?node={ESTIMATED}")
    page.get_by_role("link", name="read by 2 jobs").wait_for()
    page.get_by_text("Written by").get_by_role("link", name="emissions.estimate").wait_for()


def test_what_a_failed_job_was_to_write_is_marked_as_late(open_view, pipeline):
    page = open_view(pipeline, f"map?node={REPORT}")
    node(page, "airline_report").locator(".written.changed").wait_for()


def test_a_hub_is_folded_and_its_fold_is_searched(open_view, hub):
    hub.requested.clear()
    page = open_view(hub, f"map?node=dataset:{LAKE}:hub")
    fold = node(page, "about 2,595 more")
    fold.wait_for()
    page.wait_for_load_state("networkidle")
    assert len(hub.requested) <= 3
    assert page.locator(".react-flow__node").count() < 20

    fold.click()
    panel = page.get_by_role("complementary", name="about 2,595 more")
    panel.get_by_label("neighbours").get_by_role("listitem").nth(99).wait_for()
    panel.get_by_role("textbox").fill("0123")
    panel.get_by_role("button", name="draw reader.0123").click()
    node(page, "reader.0123").wait_for()
    node(page, "about 2,594 more").wait_for()
    page.reload()
    node(page, "reader.0123").wait_for()


def test_what_is_hidden_at_the_border_is_counted_and_opens(open_view, pipeline):
    page = open_view(pipeline, f"map?node=job:{JOBS}:emissions.land")
    button = page.get_by_role("button", name="show 1 more upstream of emissions.check")
    button.click()
    node(page, "planes").wait_for()
    button.wait_for(state="detached")


def test_a_map_takes_at_most_three_requests(open_view, pipeline):
    pipeline.requested.clear()
    page = open_view(pipeline, f"map?node={CHECKED}&depth=3")
    node(page, "emissions.check").wait_for()
    page.wait_for_load_state("networkidle")
    assert len(pipeline.requested) <= 3


def test_a_truncated_response_is_shown_as_one(open_view, hub):
    page = open_view(hub, f"impact?node=dataset:{LAKE}:hub")
    page.get_by_text("The report is truncated").wait_for()
    assert page.get_by_role("status").filter(has_text="jobs").is_visible()


def test_a_failure_names_the_call_and_is_tried_again(open_view, pipeline):
    pipeline.refuse("/api/v1/lineage", 503, times=3)
    page = open_view(pipeline, f"map?node={CHECKED}", expected=("status of 503",))
    alert = page.get_by_role("alert")
    alert.wait_for()
    assert "busy for now" in alert.inner_text()
    assert "GET /api/v1/lineage?nodeId=" in alert.inner_text()
    page.get_by_role("button", name="Try again").click()
    node(page, "emissions.check").wait_for()


def test_a_token_is_typed_where_one_is_needed_and_kept_in_memory_alone(open_view, pipeline):
    pipeline.refuse("/api/v1/lineage", 401)
    page = open_view(pipeline, f"map?node={CHECKED}", expected=("status of 401",))
    dialog = page.get_by_role("dialog", name="token")
    dialog.get_by_label("Token", exact=True).fill("tok-secret")
    dialog.get_by_role("button", name="Use it").click()
    node(page, "emissions.check").wait_for()
    assert pipeline.tokens[-1] == "Bearer tok-secret"
    assert "tok-secret" not in page.url
    stored = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
    assert "tok-secret" not in stored


def give_token(page, text):
    dialog = page.get_by_role("dialog", name="token")
    dialog.get_by_label("Token", exact=True).fill(text)
    dialog.get_by_role("button", name="Use it").click()


def test_with_a_token_for_one_namespace_a_search_names_it_and_records_are_not_offered(open_view, guarded):
    page = open_view(guarded, "search?q=estim", expected=REFUSALS)
    give_token(page, guarded.new_token("read", namespaces=[JOBS]))
    page.get_by_role("link", name="emissions.estimate").wait_for()
    assert page.get_by_role("link", name="estimated", exact=True).count() == 0
    assert {f"namespace={JOBS}" in path for path in guarded.requested if path.startswith("/api/v1/search")} == {True}
    assert page.get_by_role("link", name="Records").count() == 0
    # The address of a view that the token does not open says what it needs.
    page.evaluate("history.pushState(null, '', 'record?root=flights')")
    page.get_by_text("needs the scope records").wait_for()


def test_a_token_for_records_alone_is_offered_records(open_view, guarded):
    page = open_view(guarded, expected=REFUSALS)
    give_token(page, guarded.new_token("records", roots=["flights"]))
    page.get_by_role("region", name="work").wait_for(state="detached")
    page.get_by_role("combobox", name="Find").fill("UA1545")
    page.get_by_role("option", name="among records").wait_for()


def test_a_response_that_lies_elsewhere_is_followed(open_view, pipeline):
    pipeline.refuse("/api/v1/lineage", 303, Location=f"lineage?nodeId={quote(CHECKED)}&depth=2")
    node(open_view(pipeline, f"map?node={CHECKED}"), "emissions.check").wait_for()


def test_ticks_are_the_changes_of_the_graph_and_lead_to_the_graph_of_then(open_view, pipeline):
    page = open_view(pipeline, f"map?node={ESTIMATED}")
    # The report came on the third day; a run that changes nothing is no tick.
    report = page.get_by_role("button", name=re.compile(r"\+ 2 nodes.*, 2025-11-19 09:21:00 UTC"))
    report.wait_for()
    assert page.get_by_role("button", name=re.compile("2025-11-20")).count() == 0
    report.click()
    page.get_by_text("As of 2025-11-19 09:21:00 UTC.").wait_for()
    node(page, "marts.airline_report").wait_for()
    page.keyboard.press("[")
    node(page, "marts.airline_report").wait_for(state="detached")


def test_columns_that_changed_since_a_time_are_marked_on_both_sides(open_view, pipeline):
    page = open_view(pipeline, f"columns?node={CHECKED}&vs=2025-11-17T06:30:00Z")

    def changed(name):
        button = page.get_by_role("button", name=name).first
        button.wait_for()
        return "is-added" in button.get_attribute("class")

    page.get_by_text("0 changed").wait_for()
    assert changed(re.compile("contact"))
    # The estimate ran half an hour later: all that it made of these columns is new.
    assert changed(re.compile("fuel_kg"))


@pytest.mark.parametrize(
    "view", ["map?node={}", "job?node={}", "job?node={}&tab=code", "job?node={}&tab=facets", "impact?node={}"]
)
def test_what_events_say_is_text(open_view, pipeline, view):
    page = open_view(pipeline, view.format(quote(HOSTILE, safe="")))
    page.get_by_text("onerror").first.wait_for()
    page.wait_for_load_state("networkidle")
    assert page.locator('img[src="x"]').count() == 0
    assert page.locator('[href^="javascript:"]').count() == 0
    assert page.title() not in ("1", "2")


def test_a_run_shows_its_events_as_they_were_sent_oldest_first(open_view, pipeline):
    page = open_view(pipeline, f"run?id={run_of('marts.airline_report', 20)}")
    page.get_by_text("As they were sent, oldest first").click()
    events = page.locator("details details")
    events.last.wait_for()
    assert [text.split()[0] for text in events.all_inner_texts()] == ["START", "FAIL"]
    events.last.click()
    page.get_by_text('"eventType": "FAIL"').wait_for()


def test_the_picture_and_the_list_of_a_map_are_downloads(open_view, pipeline):
    page = open_view(pipeline, f"map?node={quote(HOSTILE, safe='')}")
    node(page, "failed").wait_for()
    texts = {}
    for kind in ("Picture as SVG", "List as CSV", "Picture as PNG"):
        page.get_by_role("button", name="Export").click()
        with page.expect_download() as download:
            page.get_by_role("button", name=kind).click()
        texts[kind] = download.value.path().read_bytes()
    assert texts["Picture as SVG"].startswith(b"<svg")
    assert b"<script" not in texts["Picture as SVG"]
    assert texts["Picture as PNG"].startswith(b"\x89PNG")
    assert b"\"'=cmd <img" in texts["List as CSV"]


LOOKED_AT = {
    "start": "",
    "search": "search?q=check",
    "map": f"map?node={ESTIMATED}&sel={REPORT}&list=1",
    "comparison": f"map?node={ESTIMATED}&vs=2025-11-18T12:00:00Z&at=2025-11-20T12:00:00Z",
    "columns": f"columns?node={CO2}",
    "job": f"job?node={REPORT}",
    "dataset": f"dataset?node={ESTIMATED}",
    "run": f"run?id={run_of('marts.airline_report', 20)}",
    "impact": f"impact?node={CHECKED}",
    "usage": "usage?tag=pii&start=1763000000&end=1764000000",
}


@pytest.mark.parametrize("view", LOOKED_AT)
def test_axe_finds_nothing_serious(open_view, pipeline, view):
    page = open_view(pipeline, LOOKED_AT[view], bypass_csp=True)
    assert serious_faults(page) == []


def test_a_large_screen_has_no_bar_to_scroll_sideways(open_view, pipeline):
    for size in ((1280, 720), (1920, 1080), (640, 360)):
        page = open_view(pipeline, f"dataset?node={CHECKED}", size=size)
        page.get_by_text("distance").first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
