"""Answers about the company that a view gives in one place: what changed, how many rows, who is part of what."""

from __future__ import annotations

import re

import pytest

from tests.explorer.pages import NODES, serious_faults
from tests.explorer.test_company import LAKE, REVENUE, WAREHOUSE

pytestmark = pytest.mark.slow

PAYMENTS = "job?node=job:spark:spark.silver_payments"
ORDERS = f"dataset?node=dataset:{LAKE}:silver/shop/orders"


def test_versions_of_a_dataset_show_the_changes_of_its_schema_first(open_view, company):
    page = open_view(company, f"{ORDERS}&tab=versions")
    page.get_by_text("amount: int → decimal(12,2)").wait_for()
    versions = page.get_by_role("group", name="versions")
    number = int(versions.get_by_role("link", name="Changes").inner_text().split()[-1])
    assert len(page.locator("main table tbody tr").all()) == number
    assert serious_faults(page) == []
    versions.get_by_role("link", name="All").click()
    page.wait_for_url("**all=1**")
    page.get_by_text("the first that is known here").wait_for()


def test_a_dataset_says_how_many_rows_its_writer_wrote(open_view, company):
    page = open_view(company, ORDERS)
    written = page.get_by_text("Written by").first
    written.get_by_role("img", name=re.compile(r"rows of the last runs, oldest first: \d")).wait_for()
    assert re.search(r"[\d,]+ rows", written.inner_text())


def test_two_runs_differ_in_a_table_of_what_each_read_and_made(open_view, company):
    page = open_view(company, PAYMENTS)
    page.get_by_role("link", name="against the last good one").first.click()
    differences = page.get_by_role("region", name="differences")
    differences.get_by_role("columnheader", name="The good one").wait_for()
    row = differences.get_by_role("row", name=re.compile(r"^made .*silver.shop.payments ", re.IGNORECASE))
    row.get_by_text("rows unknown").wait_for()
    assert re.search(r"[\d,]+ rows", row.get_by_role("cell").last.inner_text())
    assert serious_faults(page) == []


def test_a_run_names_the_run_that_started_it_and_that_one_the_runs_it_started(open_view, company):
    page = open_view(company, PAYMENTS)
    page.locator("main table tbody tr").first.get_by_role("link").first.click()
    page.get_by_text("Part of").wait_for()
    assert page.get_by_text("run_id", exact=True).count() == 0
    page.get_by_role("link", name=re.compile(r"^run [0-9a-f]{8}…$")).click()
    started = page.get_by_role("region", name="started runs")
    started.get_by_role("link", name="spark.silver_payments").wait_for()
    assert "failed" in started.get_by_role("row").nth(1).inner_text()


def test_names_are_narrowed_to_those_with_a_test_that_fails(open_view, pipeline):
    page = open_view(pipeline, "search?q=rejected")
    page.get_by_role("link", name="rejected", exact=True).wait_for()
    states = page.get_by_role("group", name="state of the tests")
    states.get_by_role("button", name="A test fails").click()
    page.get_by_role("status").filter(has_text="1 jobs and datasets").wait_for()
    assert page.url.endswith("/search?q=rejected&state=failing")
    states.get_by_role("button", name="A test warns").click()
    page.get_by_text("No test of these does so").wait_for()


def test_the_impact_of_a_column_is_narrowed_by_owner_and_effect_and_so_is_its_csv(open_view, company):
    column = f"datasetField:{LAKE}:bronze/shop/orders:customer_id"
    page = open_view(company, f"impact?node={column}")
    table = page.get_by_role("region", name="impact")
    row = table.get_by_role("row").filter(has=page.get_by_role("link", name="silver/shop/orders", exact=True))
    row.get_by_text("breaks").wait_for()
    row.get_by_text("customer_id", exact=True).wait_for()
    owners = page.get_by_role("region", name="whom it reaches")
    owners.get_by_role("button", name="team:shop").click()
    page.wait_for_url("**owner=team%3Ashop**")
    names = [line.get_by_role("link").first.inner_text() for line in table.get_by_role("row").all()[1:]]
    assert "silver/shop/orders" in names
    assert serious_faults(page) == []
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV").click()
    lines = download.value.path().read_text().splitlines()
    assert len(lines) == len(names) + 2
    owners.get_by_role("button", name="team:shop").click()
    owners.get_by_role("button", name=re.compile("breaks$")).click()
    page.wait_for_url("**effect=breaks**")


def test_the_page_of_a_dataset_says_why_it_is_old(open_view, company):
    # The address does not say where the namespace ends: the graph does, and no route is tried in vain.
    page = open_view(company, "dataset?node=dataset:dashboards:100:ceo morning", fresh=True)
    page.get_by_role("link", name="Why?").click()
    page.get_by_text("Nearest trouble upstream").wait_for()
    page.get_by_text("CANNOT_UP_CAST_DATATYPE").first.wait_for()


def test_times_of_a_hub_distinguish_nights_from_changes(open_view, company):
    page = open_view(company, f"map?node=dataset:{LAKE}:silver/reference/dim_date")
    ticks = page.get_by_role("region", name="time").locator(".tick")
    ticks.first.wait_for()
    assert "same" in ticks.last.get_attribute("class")
    assert "same" not in ticks.first.get_attribute("class")


def test_a_comparison_without_changes_is_a_sentence_and_leaves_the_picture(open_view, company):
    page = open_view(company, f"map?node=dataset:{LAKE}:silver/reference/dim_date&vs=2025-11-20T11:00:00Z")
    page.get_by_text("nothing that is drawn here came, went or changed").wait_for()
    page.get_by_text(re.compile("The last change was at 2025-11-(19|20) .* UTC")).wait_for()
    page.locator(".react-flow__node").first.wait_for()
    assert page.locator(".box.is-muted").count() == 0


def test_columns_that_changed_are_stepped_through_with_who_made_them(open_view, company):
    columns = f"columns?node=dataset:{LAKE}:silver/shop/orders"
    page = open_view(company, f"{columns}&vs=2025-11-19T03:00:00Z&depth=1")
    panel = page.get_by_role("complementary", name="changes")
    amount = panel.get_by_role("button", name="orders.amount")
    amount.wait_for()
    assert "int → decimal(12,2)" in amount.inner_text()
    panel.get_by_role("link", name="spark.silver_orders").wait_for()
    assert serious_faults(page) == []
    page.keyboard.press("ArrowDown")
    page.wait_for_url("**panel=changes**")
    assert panel.locator("[aria-current]").count() == 1
    page.get_by_role("region", name="time").wait_for()
    panel.get_by_role("button", name="close").click()
    page.get_by_role("button", name="Step through the changes").click()
    panel.wait_for()
    page.get_by_role("button", name="List the changes").click()
    table = page.get_by_role("region", name="lines of columns")
    table.get_by_role("columnheader", name="Change").wait_for()
    rows = table.get_by_role("row").all_inner_texts()[1:]
    assert any("int → decimal(12,2)" in row for row in rows)
    changed = [bool(re.search(r"\b(added|removed|changed)\b", row)) for row in rows]
    assert changed == sorted(changed, reverse=True)


def test_what_a_column_depends_on_indirectly_has_a_box_with_its_role(open_view, company):
    page = open_view(company, f"columns?node=datasetField:{WAREHOUSE}:nordwind.gold.revenue:amount&dir=up")
    page.locator(".of-columns").first.wait_for()
    assert page.locator(".of-indirect").filter(has_text="dim_date").count() == 0
    page.keyboard.press("i")
    page.get_by_text("2 indirect").wait_for()
    page.keyboard.press("f")
    box = page.locator(".react-flow__node .of-indirect")
    box.wait_for()
    assert "dim_date" in box.inner_text()
    assert "join · date" in box.inner_text()
    # Of the other, which has a card, the line alone is new.
    assert page.locator(".react-flow__edge.is-indirect").count() == 2


def test_the_end_of_a_long_title_is_seen_at_each_scale(open_view, company):
    page = open_view(company, f"map?node={REVENUE}&depth=2&boxes=1", size=(1440, 900))
    title = page.locator(".react-flow__node .of-job .title bdi", has_text="by_quarter")
    title.wait_for()
    assert title.inner_text().replace("\n", "") == "nordwind.marts.revenue_by_quarter"
    page.keyboard.press("f")
    title.filter(has_text="…").wait_for()
    assert title.inner_text().replace("\n", "").endswith("revenue_by_quarter")
    assert title.locator("xpath=../..").evaluate("(title) => title.scrollHeight <= title.clientHeight")


def test_the_small_picture_leaves_boxes_and_buttons_free(open_view, company):
    page = open_view(company, f"map?node={REVENUE}&depth=2", size=(1440, 900))
    small = page.locator(".react-flow__minimap")
    page.locator(NODES).nth(30).wait_for()
    # All is in sight, and would be covered.
    assert small.count() == 0
    page.get_by_role("button", name="zoom in").click()
    small.wait_for()
    box, buttons = small.bounding_box(), page.locator(".corner").bounding_box()
    assert box["y"] + box["height"] <= buttons["y"]


def test_datasets_of_columns_are_named_by_the_end_of_their_names(open_view, company):
    page = open_view(company, f"columns?node=datasetField:{WAREHOUSE}:nordwind.gold.revenue:amount")
    titles = page.locator(".of-columns .name > span:nth-child(2)")
    titles.first.wait_for()
    assert {"revenue_by_country", "fct_orders"} <= set(titles.all_inner_texts())
    whole = page.locator(".of-columns .name").all_inner_texts()
    assert len(set(whole)) == len(whole)
    cut = "(spans) => spans.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.innerText)"
    assert titles.evaluate_all(cut) == []


@pytest.mark.parametrize("width", [1024, 1440])
def test_a_list_of_columns_leaves_room_for_the_picture_and_keeps_the_colon_of_a_name(open_view, company, width):
    view = f"columns?node=datasetField:{WAREHOUSE}:nordwind.gold.revenue:amount&list=1"
    page = open_view(company, view, size=(width, 800))
    table = page.get_by_role("region", name="lines of columns")
    table.get_by_text("100:ceo morning.").first.wait_for()
    room = page.locator(".canvas").bounding_box()["width"]
    assert room > 0.4 * width
    table.get_by_role("link").first.click()
    panel = page.locator(".side")
    panel.wait_for()
    assert page.locator(".canvas").bounding_box()["width"] == room
    panel.get_by_role("button", name="close").click()
    panel.wait_for(state="detached")


def test_axe_reads_all_that_changed_on_the_focus_of_a_small_picture(open_view, company):
    columns = f"columns?node=dataset:{LAKE}:silver/shop/orders&vs=2025-11-18T03:00:00Z&depth=1"
    page = open_view(company, columns, size=(1024, 768), expected=("status of 404",))
    page.locator(".box.is-focus .row.is-added").first.wait_for()
    assert serious_faults(page) == []
