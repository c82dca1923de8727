"""Phones and narrow windows: all is on the screen, names can be read, panels are sheets."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest

from tests.explorer.pages import CHECKED, NODES, node, serious_faults
from tests.explorer.test_company import LAKE, REVENUE, WAREHOUSE

PHONE = (390, 844)
ORDERS = f"dataset:{LAKE}:silver/shop/orders"
EMAIL = f"datasetField:{LAKE}:bronze/crm/customers:email"
AMOUNT = f"datasetField:{WAREHOUSE}:nordwind.gold.revenue:amount"
VIEWS = {
    "": "Broken",
    "search?q=revenue": "17 jobs and datasets",
    f"map?node={REVENUE}": "revenue_by_day",
    f"map?node={REVENUE}&vs=2025-11-19T12:00:00Z": "End comparison",
    f"columns?node={AMOUNT}": "sum(fct_orders.net_amount_eur)",
    f"impact?node={quote(ORDERS)}": "copy as message",
    f"dataset?node={quote(ORDERS)}": "ordered_at",
    f"dataset?node={quote(ORDERS)}&tab=versions": "decimal(12,2)",
    "job?node=job:spark:spark.silver_payments": "CANNOT_UP_CAST_DATATYPE",
    "job?node=job:spark:spark.silver_payments&tab=code": "sourceCodeLocation",
    f"usage?node={EMAIL}&start=1763000000&end=1764000000": "spark.silver_customers",
    "feed": "Schemas",
    "usage?tag=pii&start=1763000000&end=1764000000": "bronze/crm/customers.email",
}
# Boxes that reach beyond the screen, though nothing scrolls to them.
_BESIDE = """() => [...document.querySelectorAll('header *, .bar *, .time *, .page > *, .side, .notice > *, .card *')]
  .filter((e) => e.checkVisibility() && !e.closest('.scroll, svg, pre, .pane, .tabs'))
  .filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && e.getBoundingClientRect().width > 0)
  .map((e) => e.outerHTML.slice(0, 80))"""
_NARROWEST = """(cells) => Math.min(...[...document.querySelectorAll(cells)]
  .filter((e) => e.checkVisibility()).map((e) => e.getBoundingClientRect().width))"""


def assert_all_is_on_the_screen(page):
    page.wait_for_load_state("networkidle")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(_BESIDE) == []


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1024])
@pytest.mark.parametrize("view", VIEWS, ids=lambda view: re.sub(r"\W+", "-", str(view))[:48])
def test_nothing_is_beside_the_screen_and_names_can_be_read(open_view, company, view, width):
    page = open_view(company, view, size=(width, 844))
    page.get_by_text(VIEWS[view]).filter(visible=True).first.wait_for()
    assert_all_is_on_the_screen(page)
    assert page.evaluate(_NARROWEST, ".table .named") >= 150
    assert page.evaluate(_NARROWEST, ".table td.mono") >= 119
    assert serious_faults(page) == []


@pytest.mark.slow
def test_at_first_no_box_is_under_the_buttons_and_the_tools_are_a_row(open_view, company):
    page = open_view(company, f"map?node={REVENUE}", size=(1024, 768))
    node(page, "revenue_by_week").first.wait_for()
    lowest = max(box.bounding_box()["y"] + box.bounding_box()["height"] for box in page.locator(NODES).all())
    assert lowest <= page.locator(".corner").bounding_box()["y"]
    tools = [page.get_by_role("button", name=name, exact=True).bounding_box()["y"] for name in ("Upstream", "Export")]
    assert tools[0] == tools[1]


def test_on_a_phone_a_map_is_a_list_and_a_picture_on_request(open_view, pipeline):
    page = open_view(pipeline, f"map?node={CHECKED}", size=PHONE)
    page.get_by_role("region", name="the map as a list").wait_for()
    assert page.locator(".react-flow").count() == 0
    assert_all_is_on_the_screen(page)
    assert serious_faults(page) == []
    page.get_by_role("button", name="Picture").click()
    node(page, "emissions.estimate").wait_for()
    page.get_by_role("button", name="Legend").click()
    legend = page.get_by_role("dialog", name="legend")
    legend.get_by_text("neighbours that are folded").wait_for()
    box = legend.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390


@pytest.mark.parametrize("width", [390, pytest.param(1024, marks=pytest.mark.slow)])
def test_an_impact_has_its_owners_on_the_screen(open_view, pipeline, width):
    page = open_view(
        pipeline, f"impact?node={quote(CHECKED.replace('dataset:', 'datasetField:'))}:seats", size=(width, 844)
    )
    owner = page.get_by_role("region", name="impact").get_by_role("cell", name="team:emissions")
    for part in (owner, page.get_by_role("button", name="copy as message")):
        box = part.first.bounding_box()
        assert box["x"] + box["width"] <= width


@pytest.mark.slow
def test_on_a_phone_the_start_finds_names_that_can_be_read_and_leads_to_the_lists(open_view, company):
    page = open_view(company, size=PHONE)
    page.get_by_role("combobox", name="Find").fill("revenue")
    page.locator(".hits .what").nth(5).wait_for()
    assert page.evaluate("[...document.querySelectorAll('.hits .what')].every((e) => e.scrollWidth <= e.clientWidth)")
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Records", exact=True).click()
    page.get_by_role("heading", name="Records").wait_for()
    assert page.get_by_role("link", name="Records", exact=True).is_hidden()


def test_on_a_phone_a_panel_is_a_sheet_from_below_that_can_be_closed(open_view, pipeline):
    page = open_view(pipeline, f"map?node={CHECKED}", size=PHONE)
    page.get_by_role("link", name="estimated").click()
    panel = page.get_by_role("complementary", name="about estimated")
    panel.wait_for()
    box = panel.bounding_box()
    assert (box["x"], box["width"]) == (0, 390)
    assert 100 < box["y"] < 500
    panel.get_by_role("button", name="close").click()
    panel.wait_for(state="detached")


@pytest.mark.slow
def test_on_a_phone_the_panel_of_a_column_comes_on_request_and_goes(open_view, company):
    page = open_view(company, f"columns?node={AMOUNT}", size=PHONE)
    page.get_by_role("region", name="the columns as a list").wait_for()
    panel = page.get_by_role("complementary", name="about amount")
    assert panel.count() == 0
    page.get_by_role("button", name="Tools").click()
    page.get_by_role("button", name="About amount").click()
    panel.get_by_role("button", name="close").click()
    panel.wait_for(state="detached")


@pytest.mark.slow
def test_on_a_phone_a_change_is_brought_above_the_sheet(open_view, company):
    view = f"map?node=dataset:{LAKE}:silver/shop/payments&vs=2025-11-19T03:00:00Z&depth=2&panel=changes"
    page = open_view(company, view, size=PHONE)
    page.get_by_role("button", name="Picture").click()
    page.locator(".react-flow__node").first.wait_for()
    sheet = page.get_by_role("complementary", name="changes")
    sheet.get_by_role("button", name="fct_orders").first.click()
    selected = page.locator(".react-flow__node", has=page.locator(".box.is-selected"))
    selected.wait_for()
    box = selected.bounding_box()
    assert box["y"] + box["height"] <= sheet.bounding_box()["y"]


def test_on_a_phone_tools_and_times_are_behind_a_button_each(open_view, pipeline):
    page = open_view(pipeline, f"map?node={CHECKED}", size=PHONE)
    page.get_by_role("region", name="the map as a list").wait_for()
    upstream = page.get_by_role("button", name="Upstream")
    assert upstream.is_hidden()
    page.get_by_role("button", name="Tools").click()
    upstream.click()
    page.wait_for_url("**dir=up**")
    page.get_by_role("button", name="Now · times").click()
    field = page.get_by_label("Compare with")
    field.fill("18.11.2025")
    field.press("Enter")
    page.get_by_text("End comparison").wait_for()
    assert "vs=2025-11-18T00%3A00%3A00.000Z" in page.url
