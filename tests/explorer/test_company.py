"""The page with a company's data: hubs, failures far upstream, names that are hard to show."""

from __future__ import annotations

import re

import pytest

from tests.explorer.pages import NODES, node, serious_faults

pytestmark = pytest.mark.slow

LAKE, WAREHOUSE = "s3://nordwind-lake", "snowflake://nordwind.eu-central-1"
REVENUE = f"dataset:{WAREHOUSE}:nordwind.gold.revenue"


def test_old_data_is_marked_at_any_depth_in_lists_and_in_impact(open_view, company):
    page, slow = open_view(company), []
    page.route("**/api/v1/reports/old-data", lambda route: slow.append(route), times=1)
    page.goto(f"{company.url}/explore/map?node=dataset:{WAREHOUSE}:nordwind.gold.fct_orders&dir=up&depth=0")
    page.locator(f"{NODES} .health-unknown", has_text="fct_orders").wait_for()
    slow[0].continue_()
    node(page, "fct_orders").locator(".written.changed", has_text="on old data").wait_for()
    page.goto(f"{company.url}/explore/datasets")
    page.get_by_label("filter the list").fill("silver/shop/payments")
    row = page.get_by_role("region", name="datasets").get_by_role("row").filter(has_text="payments")
    row.locator(".changed", has_text="late").first.wait_for()
    page.goto(f"{company.url}/explore/impact?node=job:spark:spark.silver_payments")
    row = page.get_by_role("region", name="impact").get_by_role("row").filter(has_text="stg_payments")
    row.locator(".changed", has_text="on old data").first.wait_for()


def test_a_job_that_read_another_part_than_was_written_says_so_and_what_it_makes_is_not_on_old_data(open_view, company):
    job = "job:spark:売上_日次集計"
    page = open_view(company, f"map?node={job}&sel={job}&dir=both&depth=4")
    panel = page.get_by_role("complementary", name="about 売上_日次集計")
    panel.get_by_text("of nordwind.gold.fct_orders: the run read other partitions").wait_for()
    node(page, "fct_orders").locator(".written", has_text="on old data").wait_for()
    totals = page.locator(f"{NODES}[data-id='dataset:{LAKE}:売上/日次/集計']")
    totals.locator(".age").wait_for()
    assert "old data" not in totals.inner_text()
    page.goto(f"{company.url}/explore/impact?node=dataset:{LAKE}:silver/shop/orders&kind=job")
    row = page.get_by_role("region", name="impact").get_by_role("row").filter(has_text="売上_日次集計")
    row.get_by_text("read another part").wait_for()
    page.get_by_text(re.compile(r"^(\d+) shown of \d+ datasets, \1 jobs;")).wait_for()


def test_a_table_is_found_by_the_last_part_of_its_name_before_columns(open_view, company):
    page = open_view(company)
    page.get_by_role("combobox", name="Find").fill("revenue")
    first = page.get_by_role("option").first
    first.filter(has_text="nordwind.gold.revenue").wait_for()
    page.get_by_role("combobox", name="Find").fill("customer_360")
    first.filter(has_text="7 columns").wait_for()


def test_the_start_lists_what_is_broken_by_what_waits_for_it_then_aborted_and_running_jobs(open_view, company):
    page = open_view(company)
    work = page.get_by_role("region", name="work")
    work.get_by_text("CANNOT_UP_CAST_DATATYPE").wait_for()
    waiting = [
        int(text.split()[0]) for text in work.get_by_role("link", name=re.compile("datasets?$")).all_inner_texts()
    ]
    assert waiting == sorted(waiting, reverse=True)
    assert len(waiting) > 1
    work.get_by_role("heading", name="Aborted, or running").wait_for()
    states = [line.split()[0] for line in work.locator(".state").all_inner_texts()]
    assert states == sorted(states, key=["aborted", "running"].index)
    assert {"aborted", "running"} == set(states)
    work.get_by_role("link", name="1 aborted").click()
    page.get_by_role("link", name="nordwind.marts.refunds_by_country").wait_for()


def test_where_nothing_responds_the_start_has_one_failure(open_view, company):
    """The first list fails last: until then no other failure is drawn."""
    page, slow = open_view(company, "nowhere", expected=("status of 403",)), []
    for path in ("jobs", "namespaces", "tags", "feed", "reports/estate"):
        page.route(f"**/api/v1/{path}*", lambda route: route.fulfill(status=403, json={"message": "closed"}))
    page.route("**/api/v1/reports/broken*", lambda route: slow.append(route), times=1)
    with page.expect_response("**/api/v1/jobs?**"), page.expect_response("**/api/v1/namespaces?**"):
        page.get_by_role("link", name="Start again").click()
    page.get_by_role("status", name="loading").first.wait_for()
    assert page.get_by_role("alert").count() == 0
    for route in slow:
        route.fulfill(status=403, json={"message": "closed to all"})
    page.get_by_role("alert").get_by_text("closed to all").wait_for()
    assert page.get_by_role("alert").count() == 1
    assert page.get_by_role("heading", level=2).all_inner_texts() == ["Broken", "The API responded with 403", "Mine"]


def test_where_the_broken_jobs_alone_do_not_load_the_other_lists_of_the_start_are_drawn(open_view, company):
    page = open_view(company, "nowhere", expected=("status of 403",))
    page.route("**/api/v1/reports/broken*", lambda route: route.fulfill(status=403, json={"message": "closed"}))
    page.get_by_role("link", name="Start again").click()
    page.get_by_role("alert").get_by_text("closed").wait_for()
    page.get_by_role("region", name="changed").get_by_text("~ amount").wait_for()
    page.get_by_role("link", name="all jobs", exact=True).wait_for()


def test_a_long_list_of_jobs_draws_what_is_scrolled_to(open_view, company):
    page = open_view(company)
    page.get_by_role("link", name="Jobs", exact=True).click()
    page.get_by_text("300 of 300 jobs").wait_for()
    rows = page.get_by_role("region", name="jobs").locator("tbody tr[data-index]")
    rows.nth(15).wait_for()
    first = rows.first.inner_text()
    page.get_by_role("region", name="jobs").evaluate("(list) => list.scrollTo(0, 4000)")
    page.wait_for_function("(first) => document.querySelector('tr[data-index]').innerText !== first", arg=first)


def test_flows_of_a_tag_that_lack_it_come_first(open_view, company):
    page = open_view(company, "usage?tag=pii&start=1763000000&end=1764000000")
    page.get_by_text("hold it without the tag").wait_for()
    tables = page.get_by_role("heading", level=2).all_inner_texts()
    assert tables[0].startswith("Flowed into, without the tag")
    page.get_by_label("filter the columns").fill("gold")
    first = page.get_by_role("region", name="Flowed into, without the tag")
    first.get_by_role("link", name="nordwind.gold.dim_customer.email").wait_for()
    assert first.get_by_text("silver/").count() == 0


def test_a_columns_recipe_leads_back_to_its_sources_in_words(open_view, company):
    page = open_view(company, f"columns?node=datasetField:{WAREHOUSE}:nordwind.gold.revenue:amount&dir=up&depth=20")
    page.get_by_text("Recipe", exact=True).click()
    steps = page.get_by_role("list", name="recipe").get_by_role("listitem").all_inner_texts()
    assert "is sum(fct_orders.net_amount_eur) - sum(fct_refunds.amount_eur), of" in steps[0]
    assert any("cast(price as decimal(12,2))" in step for step in steps)
    page.get_by_text("It begins in").filter(has_text="order_items.price").wait_for()


def test_of_more_tasks_than_a_page_the_others_are_a_click_away(open_view, company):
    page = open_view(company, "job?node=job:dbt:dbt-run-nordwind")
    tasks = page.get_by_role("region", name="tasks", exact=True)
    tasks.get_by_text(re.compile(r"It started \d+ jobs\.")).wait_for()
    more = tasks.get_by_role("button", name=re.compile(r"^\d+ more$"))
    total = 100 + int(more.inner_text().split()[0])
    more.click()
    more.wait_for(state="detached")
    assert tasks.get_by_role("table").get_attribute("aria-rowcount") == str(total)


def test_an_input_that_many_jobs_read_is_a_stub_at_each_reader_until_a_click_draws_its_lines(open_view, company):
    page = open_view(company, f"map?node={REVENUE}&depth=3")
    stubs = page.locator(f"{NODES} .of-stub")
    stubs.first.wait_for()
    assert set(stubs.all_inner_texts()) == {"⊣\ndim_date"}
    page.get_by_role("button", name="1 hub folded").wait_for()
    assert serious_faults(page) == []
    page.get_by_role("button", name="Fit").click()
    stubs.nth(7).wait_for()
    stubs.first.click()
    page.get_by_role("button", name="1 hub drawn").wait_for()
    page.get_by_role("button", name="Fit").click()
    page.locator(f"{NODES} .of-dataset", has_text="dim_date").wait_for()
    assert stubs.count() == 0
    page.get_by_role("button", name="1 hub drawn").click()
    page.get_by_role("button", name="1 hub folded").wait_for()
    stubs.nth(7).wait_for()


_NAME_PIXELS = """(names) => names.map((name) => {
  const scale = name.getBoundingClientRect().height / name.offsetHeight;
  return parseFloat(getComputedStyle(name).fontSize) * scale;
})"""


@pytest.mark.parametrize("path", ["dir=up&depth=3", "depth=1", "depth=5", "dir=down&depth=5"])
@pytest.mark.parametrize("view", ["map", "columns"])
def test_names_of_a_picture_open_large_enough_to_read_and_what_is_beyond_is_counted(open_view, company, view, path):
    page = open_view(company, f"{view}?node={REVENUE}&{path}", size=(1440, 900))
    names = page.locator(f"{NODES} .name, {NODES} .row > span:first-child")
    names.first.wait_for()
    assert min(names.evaluate_all(_NAME_PIXELS)) >= 10.9
    boxes = page.evaluate("document.querySelectorAll('.react-flow__minimap-node').length")
    if boxes > page.locator(NODES).count():
        page.locator(".outside").first.wait_for()
        assert serious_faults(page) == []
    if "dir=up" in path:
        focus, pane = page.locator(f"{NODES} .box.is-focus").bounding_box(), page.locator(".react-flow").bounding_box()
        assert focus["x"] + focus["width"] > pane["x"] + pane["width"] * 0.75


def test_what_is_beyond_the_left_edge_is_a_click_away(open_view, company):
    page = open_view(company, f"map?node={REVENUE}&depth=5", size=(1440, 900))
    to_the_left = page.locator(".outside.left")
    number = int(to_the_left.inner_text().split()[1])
    to_the_left.click()
    page.wait_for_function(
        "(number) => !(parseInt(document.querySelector('.outside.left')?.innerText.slice(2)) >= number)", arg=number
    )


def test_the_start_shows_the_estate_as_groups_and_a_click_opens_a_group_on_the_map(open_view, company):
    page = open_view(company, size=(1440, 900))
    estate = page.get_by_role("region", name="all jobs and their datasets")
    silver = estate.get_by_role("link", name="silver")
    silver.wait_for()
    frame, lines = (estate.locator(parts) for parts in ("svg", ".line"))
    low = [box["y"] + box["height"] for box in (line.bounding_box() for line in lines.all())]
    assert max(low) <= frame.first.bounding_box()["y"] + frame.first.bounding_box()["height"]
    assert silver.inner_text().split("\n") == ["silver", "107 datasets · 40 jobs", "✕ 2", "▸ 2", "✓ 36"]
    silver.click()
    page.get_by_role("button", name="silver open").wait_for()
    shop = page.get_by_role("group", name="group shop, ")
    shop.wait_for()
    shop.click()
    page.get_by_role("button", name="shop open").wait_for()
    node(page, "refunds").first.wait_for()
    page.get_by_label("group by").select_option("by owner")
    page.get_by_role("group", name="group team:shop, ").wait_for()
    page.go_back()
    node(page, "refunds").first.wait_for()
    assert serious_faults(page) == []
