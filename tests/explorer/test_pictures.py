"""The part of a picture that is in sight: all of a graph, the focus, changes, the way to a failure."""

from __future__ import annotations

import re

import pytest

from tests.explorer.pages import CHECKED, CO2, NODES, node
from tests.explorer.stories import LAKE

_IS_INSIDE = """([parts, number]) => {
  const pane = document.querySelector(".react-flow").getBoundingClientRect();
  const boxes = [...document.querySelectorAll(parts)].map((part) => part.getBoundingClientRect());
  const isInside = ({ left, top, right, bottom }) =>
    left >= pane.left - 1 && top >= pane.top - 1 && right <= pane.right + 1 && bottom <= pane.bottom + 1;
  return boxes.length === number && boxes.every(isInside);
}"""


def wait_until_inside(page, parts, number=1):
    """Wait until so many boxes, and no more, are drawn, each of them in the pane of the picture."""
    page.wait_for_function(_IS_INSIDE, arg=[parts, number])


COLUMNS = pytest.param(f"columns?node={CHECKED}", marks=pytest.mark.slow)


@pytest.mark.parametrize("view", [f"map?node={CHECKED}&depth=4&sel={CHECKED}", COLUMNS])
def test_fit_brings_every_box_into_the_pane(open_view, pipeline, view):
    page = open_view(pipeline, view, size=(1000, 700))
    page.locator(NODES).first.wait_for()
    for _ in range(6):
        page.get_by_role("button", name="zoom in").click()
    counted = page.get_by_role("status").filter(has_text=re.compile("node|dataset")).first.inner_text()
    number = int(re.match(r"\d+", counted)[0])
    # What is out of sight is not drawn.
    page.wait_for_function("([nodes, number]) => document.querySelectorAll(nodes).length < number", arg=[NODES, number])
    page.get_by_role("button", name="Fit").click()
    wait_until_inside(page, NODES, number)


@pytest.mark.slow
def test_a_node_at_the_edge_that_is_selected_is_not_under_its_panel(open_view, pipeline):
    page = open_view(pipeline, f"map?node={CHECKED}&depth=3", size=(1100, 700))
    last = page.locator(NODES).last
    last.wait_for()
    far = max(page.locator(NODES).all(), key=lambda node: node.bounding_box()["x"])
    name = far.get_attribute("data-id")
    far.click(position={"x": 20, "y": 20})
    page.get_by_role("complementary").wait_for()
    wait_until_inside(page, f'{NODES}[data-id="{name}"]')


def test_changes_are_stepped_through_with_who_made_them(open_view, estate):
    page = open_view(estate, f"map?node=dataset:{LAKE}:grown&vs=2025-11-05T00:00:00Z", size=(1440, 900))
    panel = page.get_by_role("complementary", name="changes")
    panel.get_by_role("link", name="new.a").first.wait_for()
    steps = panel.get_by_role("button", name="new.")
    page.locator(".react-flow__edge.is-muted:not(.is-added)").first.wait_for(state="attached")
    page.keyboard.press("ArrowDown")
    selected = page.locator(NODES, has=page.locator(".box.is-selected"))
    selected.wait_for()
    first = panel.locator("[aria-current]").inner_text()
    page.keyboard.press("ArrowDown")
    panel.locator("[aria-current]").filter(has_not_text=first).wait_for()
    assert steps.count() == 4
    page.wait_for_function(
        """() => {
          const [box, pane] = [".box.is-selected", ".canvas"].map((part) =>
            document.querySelector(part).getBoundingClientRect());
          return Math.abs((box.left + box.right) / 2 - (pane.left + pane.right) / 2) < 2;
        }"""
    )
    panel.get_by_role("button", name="close").click()
    panel.wait_for(state="detached")
    page.get_by_role("button", name="Step through the changes").click()
    panel.wait_for()


def test_a_change_of_direction_or_depth_fits_anew_and_what_is_beyond_is_named(open_view, estate):
    page = open_view(estate, f"map?node=dataset:{LAKE}:step.3&dir=down", size=(1440, 900))
    node(page, "far.4").wait_for()
    wait_until_inside(page, NODES, 3)
    page.get_by_role("button", name="Upstream", exact=True).click()
    wait_until_inside(page, NODES, 3)
    page.get_by_role("button", name="show more").click()
    wait_until_inside(page, NODES, 5)
    page.get_by_role("button", name="show more").click()
    page.get_by_role("button", name="show more").click()
    page.get_by_role("button", name="Both", exact=True).click()
    left = page.locator(".outside.left")
    left.wait_for()
    assert re.fullmatch(r"\d+ sources beyond: source, far.0, …", left.locator("span").inner_text())


def test_lines_of_columns_say_how_values_are_made_and_copied_columns_are_grey(open_view, pipeline):
    page = open_view(pipeline, f"columns?node={CO2}&dir=up", size=(1440, 900))
    page.locator(".arrow-mark").nth(2).wait_for()
    marks = page.locator(".arrow-mark").all_text_contents()
    assert sorted(marks) == ["=a copy", "=a copy", "ƒ3.16 * fuel_kg"]
    assert page.locator(".row.is-copy").all_inner_texts() == ["distance\nint", "seats\nint"]
    assert page.locator(".row.is-selected .formula").inner_text() == "3.16 * fuel_kg"
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Picture as SVG").click()
    drawn = download.value.path().read_text()
    assert re.search(r">as of [\d: -]{19} UTC</text>.*>on the path</text>.*>late</text>", drawn)
    assert ">3.16 * fuel_kg</text>" in drawn
    assert re.search(r"<style>@font-face .*Inter.*data:font/woff2;base64,", drawn)


def test_the_way_to_a_failure_far_upstream_is_drawn_alone_and_the_rest_on_request(open_view, estate):
    last = f"dataset:{LAKE}:step.6"
    page = open_view(estate, f"map?node={last}&sel={last}", size=(1440, 900))
    page.get_by_role("button", name="Why?").click()
    page.get_by_text("No space left on device").wait_for()
    page.get_by_role("link", name="Show the way").click()
    wait_until_inside(page, NODES, 14)
    assert page.locator(".zoom-full, .zoom-large").count() == 1
    node(page, "far.3").click()
    page.get_by_role("complementary", name="about far.3").wait_for()
    assert page.locator(NODES).count() == 14
    page.get_by_role("button", name="more upstream of far.0").click()
    node(page, "source").wait_for()
    page.get_by_role("button", name="All of it").click()
    page.wait_for_url("**whole=1**")
    page.get_by_role("button", name="Fit").click()
    lit = page.locator(".react-flow__edge.is-lit")
    lit.nth(12).wait_for(state="attached")
    assert lit.count() == 13


def test_a_small_box_has_the_colour_of_its_state_its_age_and_the_number_of_hidden_neighbours(open_view, pipeline):
    page = open_view(pipeline, f"map?node={CHECKED}&depth=2&boxes=1", size=(900, 600))
    page.get_by_role("button", name="Fit").click()
    page.locator(".zoom-name").wait_for()
    failed = node(page, "airline_report").locator(".box.health-failed .age").first
    assert re.fullmatch(r"✕ \d+ (s|min|h|d|mo|y)", failed.inner_text())
    assert page.locator(".box.health-fresh .age").first.is_visible()
    assert page.locator(".more").first.is_visible()


@pytest.mark.slow
def test_enter_on_the_selected_node_enters_its_panel(open_view, pipeline):
    page = open_view(pipeline, f"map?node={CHECKED}")
    node(page, "emissions.check").wait_for()
    page.keyboard.press("ArrowLeft")
    panel = page.get_by_role("complementary", name="about emissions.check")
    panel.wait_for()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.textContent") == "Centre here"
    assert panel.is_visible()


@pytest.mark.slow
def test_near_a_hub_the_time_bar_requests_no_history(open_view, hub):
    page = open_view(hub, f"columns?node=dataset:{LAKE}:copy.0001")
    page.get_by_role("button", name=re.compile("a version")).first.wait_for()
    assert [path for path in page.watch.paths() if "/lineage/history" in path] == []


def test_of_a_job_and_the_table_that_it_updates_one_line_has_two_tips(open_view, estate):
    page = open_view(estate, f"map?node=dataset:{LAKE}:totals")
    node(page, "merge.totals").wait_for()
    tips = page.locator(".react-flow__edge .arrow-head").evaluate_all(
        "tips => tips.map((tip) => tip.getAttribute('d'))"
    )
    assert sorted(tip.count("z") for tip in tips) == [1, 2]
    assert page.locator(".arrow-back").count() == 0


def test_an_arrow_back_runs_below_the_boxes_that_it_passes(open_view, estate):
    page = open_view(estate, f"map?node=dataset:{LAKE}:round.0&depth=4")
    page.locator(f"{NODES} >> nth=5").wait_for()
    page.get_by_text("↺").wait_for()
    boxes = [box.bounding_box() for box in page.locator(NODES).all()]
    sign = page.get_by_text("↺").bounding_box()
    assert sign["y"] + sign["height"] / 2 > max(box["y"] + box["height"] for box in boxes)
    assert page.locator(".react-flow__edge.is-back").count() == 1
