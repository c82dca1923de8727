"""The budgets of the page: bytes, requests, the heap, and what panning changes. Times are in benchmarks/explorer.py."""

from __future__ import annotations

import gzip
import re

import pytest

from headwater.api.page_files import built_files
from tests.explorer.pages import CHECKED
from tests.explorer.stories import LAKE

FIRST_MAP_BYTES, ALL_BYTES = 260_000, 400_000
HEAP_BYTES = 300_000_000
# A pan moves the one group that holds all: boxes that were there are moved with it, others come into sight.
_WATCH_CHANGES = """() => {
  const drawn = new Set(document.querySelectorAll(".react-flow__node"));
  window.drawnAnew = new Set();
  new MutationObserver((changes) => {
    for (const { target } of changes) {
      const part = target.closest?.(".react-flow__node");
      if (drawn.has(part)) drawnAnew.add(part);
    }
  }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
}"""
_PLACE = "document.querySelector('.react-flow__viewport').style.transform"
_EMPTY_PLACE = """() => {
  for (let y = innerHeight - 20; y > 0; y -= 10)
    for (let x = innerWidth - 20; x > 0; x -= 10)
      if (document.elementFromPoint(x, y)?.matches(".react-flow__pane")) return [x, y];
}"""


def packed(names):
    return sum(len(gzip.compress(built_files()[name].read_bytes(), 6)) for name in names)


@pytest.fixture(autouse=True)
def _built():
    if not built_files():
        pytest.skip("the explorer is not built: `make explorer`, which needs npm")


def test_all_files_of_the_page_are_within_their_bytes():
    assert packed(built_files()) <= ALL_BYTES, {name: packed([name]) for name in built_files()}


def test_the_first_map_loads_within_its_bytes_and_requests(open_view, pipeline):
    page = open_view(pipeline, f"map?node={CHECKED}&depth=3")
    page.locator(".react-flow__node").first.wait_for()
    page.wait_for_load_state("networkidle")
    loaded = {
        url.rpartition("/")[2] for url in page.evaluate("performance.getEntriesByType('resource').map(e => e.name)")
    }
    files = [name for name in (*loaded, "index.html") if name in built_files()]

    assert packed(files) <= FIRST_MAP_BYTES
    # The caller's rights, the graph, the graph's first days, and the marks of old data.
    assert len(page.watch.calls) <= 4


@pytest.mark.slow
def test_two_thousand_nodes_are_panned_without_drawing_them_anew_and_fit_into_the_heap(open_view, wide):
    page = open_view(wide, f"map?node=dataset:{LAKE}:wide&depth=20&all=down:dataset:{LAKE}:wide", size=(1280, 720))
    page.locator(".react-flow__node").first.wait_for()
    page.wait_for_load_state("networkidle")
    assert (
        int(re.match(r"[\d,]+", page.get_by_text(re.compile(r"^[\d,]+ nodes")).inner_text())[0].replace(",", ""))
        >= 1_900
    )

    place = page.evaluate(_PLACE)
    page.evaluate(_WATCH_CHANGES)
    pan(page)

    assert page.evaluate(_PLACE) != place
    assert page.evaluate("[...drawnAnew].map((part) => part.ariaLabel)") == []
    assert heap_bytes(page) <= HEAP_BYTES


def pan(page, steps=10):
    """Drag the map by its first empty place."""
    x, y = page.evaluate(_EMPTY_PLACE)
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, steps):
        page.mouse.move(x - 12 * step, y - 6 * step)
    page.mouse.up()


def heap_bytes(page):
    """Return the size of what lives on the page's heap."""
    browser = page.context.new_cdp_session(page)
    browser.send("Performance.enable")
    browser.send("HeapProfiler.collectGarbage")
    metrics = {metric["name"]: metric["value"] for metric in browser.send("Performance.getMetrics")["metrics"]}
    browser.detach()
    return metrics["JSHeapUsedSize"]
