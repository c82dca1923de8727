"""The budgets of the page: bytes, requests, time until a map is drawn, and the length of a task in the browser."""

from __future__ import annotations

import gzip
import json
import re

import pytest

from headwater.api.page_files import DIST, built_files
from tests.explorer.stories import LAKE

CHECKED, ESTIMATED = f"dataset:{LAKE}:checked", f"dataset:{LAKE}:estimated"
FIRST_MAP_BYTES, ALL_BYTES = 260_000, 400_000
FIRST_MAP_MS, NEXT_MAP_MS, TASK_MS = 1_000, 300, 50
HEAP_BYTES = 300_000_000
# Milliseconds of a calm machine. A task is measured by its processor time. Until a map is drawn the time counts: where
# others share the cores, a browser gets a part of them, and what it loses is measured by a task of known length. What
# remains is noise: a budget holds if one of a few attempts meets it.
_ATTEMPTS = 15
_CALIBRATION = """() => {
  const started = performance.now();
  let sum = 0;
  for (let index = 0; index < 2e7; index++) sum += index % 7;
  return performance.now() - started + 0 * sum;
}"""
_CALIBRATION_MS = 60
_DRAWN_MS = "() => performance.getEntriesByName('map-drawn').at(-1)?.startTime ?? null"


def packed(names):
    return sum(len(gzip.compress(built_files()[name].read_bytes(), 6)) for name in names)


def slowness(page):
    """Return how many times slower than a calm machine this machine runs now; at least 1."""
    return max(1.0, min(page.evaluate(_CALIBRATION) for _ in range(3)) / _CALIBRATION_MS)


def longest_task_ms(browser, page, act):
    """Return the longest task of the page's main thread while it acts: processor time, whoever else has the cores."""
    browser.start_tracing(page=page, categories=["disabled-by-default-devtools.timeline"])
    act()
    events = json.loads(browser.stop_tracing())["traceEvents"]
    main = {(one["pid"], one["tid"]) for one in events if one.get("args", {}).get("name") == "CrRendererMain"}
    tasks = [one.get("tdur", 0) for one in events if one["name"] == "RunTask" and (one["pid"], one["tid"]) in main]
    assert tasks
    return max(tasks) / 1000


def check_within(budget_ms, attempt, page=None):
    """Check that one of a few attempts takes at most these milliseconds; with a page, those of a calm machine."""
    taken_ms = []
    for _ in range(_ATTEMPTS):
        taken_ms.append(attempt() / (slowness(page) if page else 1))
        if taken_ms[-1] <= budget_ms:
            return
    assert min(taken_ms) <= budget_ms, taken_ms


@pytest.fixture(autouse=True)
def _built():
    if not built_files():
        pytest.skip("the explorer is not built: `make explorer`, which needs npm")


def test_all_files_of_the_page_are_within_their_bytes():
    assert packed(built_files()) <= ALL_BYTES, {name: packed([name]) for name in built_files()}


def test_the_first_map_loads_within_its_bytes_requests_and_time(open_view, pipeline):
    pipeline.requested.clear()
    page = open_view(pipeline, f"map?node={CHECKED}", fresh=True)
    page.locator(".react-flow__node").first.wait_for()
    page.wait_for_load_state("networkidle")
    loaded = {
        url.rpartition("/")[2] for url in page.evaluate("performance.getEntriesByType('resource').map(e => e.name)")
    }
    files = [name for name in (*loaded, "index.html") if name in built_files()]

    assert packed(files) <= FIRST_MAP_BYTES
    assert len(pipeline.requested) <= 3

    def draw_anew():
        again = open_view(pipeline, f"map?node={CHECKED}", fresh=True)
        again.locator(".react-flow__node").first.wait_for()
        again.wait_for_function(_DRAWN_MS)
        return again.evaluate(_DRAWN_MS)

    check_within(FIRST_MAP_MS, draw_anew, page)


def test_the_next_map_is_there_soon(open_view, pipeline):
    page = open_view(pipeline, f"map?node={CHECKED}")

    def draw_next():
        page.reload()
        page.locator(".react-flow__node", has_text="estimated").click()
        link = page.get_by_role("link", name="Centre here")
        link.wait_for()
        page.wait_for_load_state("networkidle")
        started = page.evaluate("performance.now()")
        link.click()
        page.locator(".react-flow__node", has_text="marts.co2_by_day").wait_for()
        page.wait_for_function(f"(started) => ({_DRAWN_MS})() > started", arg=started)
        taken_ms = page.evaluate(_DRAWN_MS) - started
        page.go_back()
        return taken_ms

    check_within(NEXT_MAP_MS, draw_next, page)


def test_two_thousand_nodes_are_panned_without_a_long_task_and_fit_into_the_heap(open_view, browser, wide):
    page = open_view(wide, f"map?node=dataset:{LAKE}:wide&depth=20&all=down:dataset:{LAKE}:wide", size=(1280, 720))
    page.locator(".react-flow__node").first.wait_for()
    page.wait_for_load_state("networkidle")
    assert (
        int(re.match(r"[\d,]+", page.get_by_text(re.compile(r"^[\d,]+ nodes")).inner_text())[0].replace(",", ""))
        >= 1_900
    )

    def pan():
        page.mouse.move(640, 400)
        page.mouse.down()
        for step in range(30):
            page.mouse.move(640 - 12 * step, 400 - 6 * step)
            page.wait_for_timeout(16)
        page.mouse.up()

    pan()
    assert heap_bytes(page) <= HEAP_BYTES
    check_within(TASK_MS, lambda: longest_task_ms(browser, page, pan))


def heap_bytes(page):
    """Return the size of what lives on the page's heap."""
    browser = page.context.new_cdp_session(page)
    browser.send("Performance.enable")
    browser.send("HeapProfiler.collectGarbage")
    metrics = {one["name"]: one["value"] for one in browser.send("Performance.getMetrics")["metrics"]}
    browser.detach()
    return metrics["JSHeapUsedSize"]


def test_a_build_is_of_this_page():
    assert '<div id="app">' in (DIST / "index.html").read_text(encoding="utf-8")
