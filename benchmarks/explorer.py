"""The explorer in Chromium: the time until a map is drawn, and the longest task of panning two thousand nodes.

The baseline is a loop of known length in the same page. Served from memory on loopback, so the network's share is none.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks.processes import Report
from benchmarks.rows import Row, below, milliseconds
from headwater.api.page_files import built_files
from local_stack.toolchain import find_chromium
from tests.explorer import stories
from tests.explorer.conftest import CHROMIUM_OPTIONS
from tests.explorer.pipeline import CHECKED
from tests.explorer.served import ServedGraph
from tests.explorer.test_budgets import pan

_WIDE = f"dataset:{stories.LAKE}:wide"
_DRAWN_MS = "() => performance.getEntriesByName('map-drawn').at(-1)?.startTime ?? null"
_LOOP = """() => {
  const started = performance.now();
  let sum = 0;
  for (let index = 0; index < 2e7; index++) sum += index % 7;
  return performance.now() - started + 0 * sum;
}"""


def measure(report: Report, *, quick: bool) -> list[Row]:
    """Measure each figure some times, beside the loop; the least counts. Without Chromium or a built page: no rows."""
    program = find_chromium()
    if not program or not built_files():
        return []
    from playwright.sync_api import sync_playwright

    rounds = 1 if quick else 7
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=CHROMIUM_OPTIONS)
        report("explorer: the first map and the next")
        with _serving(*stories.emissions(), *stories.attacks()) as served:
            first = _least(rounds, lambda page: _first_map_ms(page, served), browser)
            following = _least(rounds, lambda page: _next_map_ms(page, served), browser)
        report("explorer: two thousand nodes")
        with _serving(*stories.a_wide_graph()) as served:
            task = _least(rounds, lambda page: _longest_task_ms(page, served), browser)
        browser.close()
    return [
        _row("explorer: a page's first map", *first, limit_s=1.0),
        _row("explorer: the next map, after *Centre here*", *following, limit_s=0.3),
        _row("explorer: the longest task while 2,000 nodes are panned", *task, limit_s=0.05),
    ]


def _row(what: str, ours_ms: float, loop_ms: float, *, limit_s: float) -> Row:
    return below(what, ours_ms / 1000, loop_ms / 1000, limit=limit_s, show=milliseconds)


def _least(rounds: int, measured: Callable[[Any], float], browser: Any) -> tuple[float, float]:
    """Find the least of the figure and of the loop, each in milliseconds; every round in a profile of its own."""
    figures, loops = [], []
    for _ in range(rounds):
        context = browser.new_context(reduced_motion="reduce", viewport={"width": 1280, "height": 720})
        page = context.new_page()
        figures.append(measured(page))
        loops.append(page.evaluate(_LOOP))
        page.wait_for_load_state("networkidle")
        context.close()
    return min(figures), min(loops)


def _first_map_ms(page: Any, served: ServedGraph) -> float:
    page.goto(f"{served.url}/explore/map?node={CHECKED}")
    page.wait_for_function(_DRAWN_MS)
    return float(page.evaluate(_DRAWN_MS))


def _next_map_ms(page: Any, served: ServedGraph) -> float:
    _first_map_ms(page, served)
    page.locator(".react-flow__node", has_text="estimated").click()
    link = page.get_by_role("link", name="Centre here")
    link.wait_for()
    page.wait_for_load_state("networkidle")
    started = page.evaluate("performance.now()")
    link.click()
    page.wait_for_function(f"(started) => ({_DRAWN_MS})() > started", arg=started)
    return float(page.evaluate(_DRAWN_MS) - started)


def _longest_task_ms(page: Any, served: ServedGraph) -> float:
    """Find the longest task of the page's main thread during a pan: processor time, under any load."""
    page.goto(f"{served.url}/explore/map?node={_WIDE}&depth=20&all=down:{_WIDE}")
    page.locator(".react-flow__node").first.wait_for()
    page.wait_for_load_state("networkidle")
    browser = page.context.browser
    browser.start_tracing(page=page, categories=["disabled-by-default-devtools.timeline"])
    pan(page, steps=30)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    main = {(event["pid"], event["tid"]) for event in events if event.get("args", {}).get("name") == "CrRendererMain"}
    tasks = [event for event in events if event["name"] == "RunTask" and (event["pid"], event["tid"]) in main]
    return float(max(task.get("tdur", 0) for task in tasks) / 1000)


@contextmanager
def _serving(*events: dict[str, Any]) -> Iterator[ServedGraph]:
    served = ServedGraph()
    served.load(*events)
    yield served
    served.stop()
