"""The map and the columns of the emissions pipeline: opened, walked, compared and saved."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest

from tests.explorer.pages import CHECKED, ESTIMATED, HOSTILE, node
from tests.explorer.stories import JOBS, LAKE, a_dataset, a_facet, a_run, run_of


def test_a_node_that_is_opened_stays_where_it_is(open_view, pipeline):
    page = open_view(pipeline, f"map?node={CHECKED}", size=(1920, 1080))
    opened = node(page, "estimated")
    opened.wait_for()
    before = opened.bounding_box()
    page.get_by_role("button", name=re.compile("downstream of estimated")).click()
    node(page, "marts.airline_report").wait_for()
    after = opened.bounding_box()
    assert max(abs(before[side] - after[side]) for side in "xy") < 1
    assert "open=down" in page.url


def test_a_link_by_another_name_of_a_dataset_opens_its_map_and_columns(open_view, deployed):
    table = a_dataset("checked", [("flight", "string")], {"flight": [("raw", "flight")]})
    table["facets"]["symlinks"] = a_facet(identifiers=[{"namespace": LAKE, "name": "shop.checked", "type": "TABLE"}])
    deployed.load(*a_run("check", 1, [a_dataset("raw", [("flight", "string")])], [table]))
    own = quote(f"{LAKE}:checked", safe="")

    page = open_view(deployed, f"map?node=dataset:{LAKE}:shop.checked&depth=2")
    page.wait_for_url(lambda url: f"node=dataset%3A{own}&depth=2" in url)
    page.locator(".is-focus", has_text="checked").wait_for()

    page = open_view(deployed, f"columns?node=datasetField:{LAKE}:shop.checked:flight")
    page.wait_for_url(lambda url: f"node=datasetField%3A{own}%3Aflight" in url)
    page.get_by_role("complementary", name="about flight").wait_for()


def test_the_map_of_a_dag_draws_its_failed_tasks_and_folds_the_others_by_state(open_view, deployed):
    started = {"parent": a_facet(run={"runId": run_of("nightly")}, job={"namespace": JOBS, "name": "nightly"})}
    deployed.load(*a_run("nightly", 20, number=1, state="FAIL"))
    for number in range(12):
        state = "FAIL" if number in {4, 11} else "COMPLETE"
        deployed.load(*a_run(f"task {number:02}", 20, [a_dataset("raw")], state=state, run_facets=started))
    page = open_view(deployed, f"map?node=job:{JOBS}:nightly")
    node(page, "task 04").wait_for()
    node(page, "task 11").wait_for()
    node(page, "10 completed").click()
    panel = page.get_by_role("complementary", name="10 completed")
    panel.get_by_role("link", name="List the tasks").click()
    page.get_by_text("2 of 12 tasks failed").wait_for()
    first = page.get_by_role("region", name="tasks", exact=True).get_by_role("row").nth(1)
    first.get_by_text("failed").wait_for()


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


def test_back_undoes_a_selection_and_a_depth(open_view, pipeline):
    page = open_view(pipeline, f"map?node={CHECKED}")
    node(page, "estimated").click()
    page.get_by_role("complementary", name="about estimated").wait_for()
    page.get_by_role("button", name="show more").click()
    page.wait_for_url("**depth=2**")
    page.go_back()
    page.get_by_text("depth 1").wait_for()
    page.get_by_role("complementary", name="about estimated").wait_for()
    page.go_back()
    page.get_by_role("complementary", name="about estimated").wait_for(state="hidden")


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


def test_why_says_that_a_job_failed_after_the_dataset_was_written(open_view, deployed):
    deployed.load(*a_run("load", 18, [a_dataset("raw")], [a_dataset("loaded")]))
    deployed.load(*a_run("sum", 19, [a_dataset("loaded")], [a_dataset("sums")]))
    deployed.load(*a_run("load", 20, [a_dataset("raw")], [a_dataset("loaded")], state="FAIL"))
    sums = f"dataset:{LAKE}:sums"
    page = open_view(deployed, f"map?node={sums}&sel={sums}&why=1")
    page.get_by_text("after this was written").wait_for()


@pytest.mark.slow
def test_a_job_that_waits_for_another_is_drawn_apart_from_data_by_a_switch(open_view, pipeline):
    page = open_view(pipeline, "map?node=job:bi:bi.dashboard_of_emissions_per_airline_and_day")
    node(page, "airline_and_day").first.wait_for()
    assert node(page, "ops.rejections").count() == 0
    page.get_by_role("button", name="Show", exact=True).click()
    page.get_by_role("button", name="Dependencies").click()
    node(page, "ops.rejections").wait_for()
    assert page.locator(".react-flow__edge.is-control").count() == 1
    assert "dependencies=1" in page.url
    node(page, "ops.rejections").click()
    page.get_by_role("heading", name="Waited for by 1").wait_for()


def test_a_fold_is_searched_and_what_is_drawn_of_it_survives_a_reload(open_view, estate):
    page = open_view(estate, f"map?node=dataset:{LAKE}:grown")
    node(page, "9 more").click()
    panel = page.get_by_role("complementary", name="9 more")
    panel.get_by_role("textbox").fill("new.a")
    panel.get_by_role("button", name="draw new.a").click()
    node(page, "new.a").first.wait_for()
    node(page, "8 more").wait_for()
    page.reload()
    node(page, "new.a").first.wait_for()


@pytest.mark.slow
def test_a_hub_of_thousands_is_folded_in_four_requests(open_view, hub):
    page = open_view(hub, f"map?node=dataset:{LAKE}:hub")
    fold = node(page, "about 2,595 more")
    fold.wait_for()
    page.wait_for_load_state("networkidle")
    assert len(page.watch.calls) <= 4
    assert page.locator(".react-flow__node").count() < 20


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


def test_the_picture_and_the_list_of_a_map_are_downloads(open_view, pipeline):
    page = open_view(pipeline, f"map?node={quote(HOSTILE, safe='')}")
    node(page, "failed").wait_for()
    texts = {}
    for kind in ("Picture as SVG", "List as CSV", "Picture as PNG", "Slide as PNG, 16:9"):
        page.get_by_role("button", name="Export").click()
        with page.expect_download() as download:
            page.get_by_role("button", name=kind).click()
        texts[kind] = download.value.path().read_bytes()
    assert texts["Picture as SVG"].startswith(b"<svg")
    assert b"<script" not in texts["Picture as SVG"]
    assert b'font-family="Inter, Arial, &quot;Liberation Sans&quot;, Helvetica, sans-serif"' in texts["Picture as SVG"]
    assert re.search(rb">as of [\d: -]{19} UTC</text>.*>failed</text>", texts["Picture as SVG"])
    assert texts["Picture as PNG"].startswith(b"\x89PNG")
    assert b"\"'=cmd <img" in texts["List as CSV"]


def test_a_job_with_a_single_output_is_on_its_line_and_a_click_selects_it(open_view, pipeline):
    page = open_view(pipeline, f"map?node={CHECKED}", size=(1440, 900))
    job = node(page, "emissions.estimate")
    job.click()
    page.get_by_role("complementary", name="about emissions.estimate").wait_for()
    assert [job.bounding_box()[side] <= 24 for side in ("width", "height")] == [True, True]
    assert (
        page.locator(".round-job.health-fresh")
        .first.get_attribute("title")
        .startswith("emissions.estimate\ncompleted ")
    )
    page.get_by_role("button", name="Show", exact=True).click()
    page.get_by_role("button", name="Jobs on lines").click()
    page.locator(".box.of-job", has_text="emissions.estimate").wait_for()
