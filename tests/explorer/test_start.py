"""The start of an empty stack: three ways to the first lineage, and the lists as soon as the first event is there.

The last test has the real local stack, with Spark and the functions behind the button and the curl.
"""

from __future__ import annotations

import json
import re
import subprocess
from types import SimpleNamespace
from urllib.parse import quote
from urllib.request import urlopen

import pytest

from local_stack.demo import Demo
from local_stack.stack import LocalStack
from tests.explorer import stories
from tests.explorer.pages import serious_faults
from tests.explorer.stories import LAKE

# A program in the place of the pipeline: waits for the file `go`, and ends by the text of the file.
STAGED = """
import sys, time
from pathlib import Path

print("Starting Spark", flush=True)
go = Path(__file__).with_name("go")
while not go.exists():
    time.sleep(0.05)
end = go.read_text()
go.unlink()
if end == "fail":
    sys.exit("no Java 17 or newer: install one and set JAVA_HOME")
print(f"{sys.argv[1]}/explore/{end}")
"""
NO_JAVA = "no Java 17 or newer: install one and set JAVA_HOME"
NOT_FOUND = "the server responded with a status of 404"
CO2 = f"columns?node=datasetField:{LAKE}:estimated:co2_kg"


@pytest.fixture
def local(deployed, tmp_path):
    """An empty stack on this machine; `end(how)` ends the run of the demo."""
    (tmp_path / "staged.py").write_text(STAGED)
    deployed.demo = Demo(
        deployed.url, drain=lambda *_: None, code=tmp_path, log=tmp_path / "demo.log", pipeline="staged"
    )
    draft = tmp_path / "draft"

    def end(how):
        draft.write_text(how)
        draft.rename(tmp_path / "go")  # at once: the program reads no half of the text

    deployed.end = end
    yield deployed
    deployed.demo.stop()


def open_empty(open_view, served, **options):
    """Open the start; on a deployed stack, the browser logs a 404 for the demo's route."""
    page = open_view(served, **options)
    page.watch.expected = () if served.demo else (NOT_FOUND,)
    page.get_by_role("heading", name="Nothing is known yet").wait_for()
    return page


def shown_curl(page):
    return page.get_by_role("group", name="the curl that sends a run").inner_text()


def events_in(command):
    return json.loads(re.search(r"-d '([^']*)'$", command)[1])


def load_button(page):
    return page.get_by_role("button", name="Load the demo’s data")


def calls_of_five_seconds(page):
    page.wait_for_load_state("networkidle")
    before = len(page.watch.calls)
    page.clock.fast_forward(5_000)
    # The page's requests of that time come before this request.
    page.evaluate("fetch(location.href).then((response) => response.ok)")
    return page.watch.paths()[before:]


def see(page, *, is_visible):
    state = "visible" if is_visible else "hidden"
    page.evaluate(
        """state => {
          Object.defineProperty(document, 'visibilityState', { value: state, configurable: true });
          dispatchEvent(new Event('visibilitychange'));
        }""",
        state,
    )


def test_a_page_looks_for_data_only_while_it_is_empty_and_in_sight(open_view, deployed):
    page = open_empty(open_view, deployed, clock=True)
    assert calls_of_five_seconds(page) == ["/api/v1/namespaces?limit=50"]
    see(page, is_visible=False)
    assert calls_of_five_seconds(page) == []
    see(page, is_visible=True)
    deployed.load(*events_in(shown_curl(page)))
    page.clock.fast_forward(5_000)
    page.get_by_role("link", name="estimate").wait_for()
    page.get_by_role("heading", name="Ran lately").wait_for()
    assert page.get_by_text("No job is known yet").count() == 0
    assert calls_of_five_seconds(page) == []


def test_the_button_shows_the_stages_and_leads_to_what_the_run_made(open_view, local):
    page = open_empty(open_view, local, clock=True)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_role("status").filter(has_text="Starting Spark").wait_for()
    assert page.get_by_role("button", name="Loading …").is_disabled()
    # Events loaded meanwhile leave the card in place.
    local.load(*stories.emissions())
    page.clock.fast_forward(5_000)
    page.wait_for_load_state("networkidle")
    assert page.get_by_role("status").filter(has_text="Starting Spark").is_visible()
    local.end(CO2)
    page.locator(".side").get_by_text("3.16 * fuel_kg").first.wait_for()
    assert page.url.endswith(f"/explore/{CO2}")
    page.go_back()
    page.get_by_role("heading", name="Ran lately").wait_for()
    assert page.get_by_text("Nothing is known yet").count() == 0


def test_a_run_that_fails_shows_the_reason_and_is_tried_again(open_view, local):
    page = open_empty(open_view, local)
    local.end("fail")
    load_button(page).click()
    page.get_by_role("alert").filter(has_text=NO_JAVA).wait_for()
    assert serious_faults(page) == []
    page.get_by_role("button", name="Try again").click()
    page.get_by_role("status").filter(has_text="Starting Spark").wait_for()
    assert page.get_by_role("alert").count() == 0


@pytest.mark.slow
def test_a_run_that_was_started_elsewhere_is_joined(open_view, local):
    first, second = open_empty(open_view, local), open_empty(open_view, local)
    load_button(second).wait_for()
    load_button(first).click()
    first.get_by_text("Starting Spark").wait_for()
    second.watch.expected = ("status of 409",)
    load_button(second).click()
    second.get_by_text("Starting Spark").wait_for()
    local.load(*stories.emissions())
    local.end(CO2)
    for page in (first, second):
        page.locator(".side").get_by_text("3.16 * fuel_kg").first.wait_for()


@pytest.mark.slow
@pytest.mark.parametrize("size", [(700, 720), (360, 640)])
def test_the_ways_fit_into_a_narrow_window_and_axe_finds_nothing_serious(open_view, local, size):
    page = open_empty(open_view, local, size=size)
    local.end("fail")
    load_button(page).click()
    page.get_by_role("alert").filter(has_text=NO_JAVA).wait_for()
    assert page.evaluate("document.querySelector('main').scrollWidth <= innerWidth")
    assert serious_faults(page) == []


# Takes long: a stack of its own, which is empty, and a Spark session over a day of flights.
@pytest.mark.slow
def test_the_button_leads_to_the_demos_column_and_the_curl_works_as_it_is_shown(
    open_view, template, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    with LocalStack(template, window_cap_s=0.2, logs=tmp_path / "logs") as stack:
        page = open_view(SimpleNamespace(url=stack.api_url, also=()))
        command = page.get_by_role("group", name="the curl that sends a run").inner_text()
        page.get_by_role("button", name="Load the demo’s data").click()
        page.get_by_role("status").filter(has_text="Running the pipeline").wait_for()

        page.wait_for_url("**/explore/columns?**")
        # A window of a test is smaller than a picture with names that can be read.
        page.get_by_role("button", name="Fit").click()
        for name in ("landing", "checked", "planes.csv", "factors.json", "estimated"):
            page.locator(".react-flow__node", has_text=name).first.wait_for()
        assert page.url == (
            f"{stack.api_url}/explore/columns?"
            f"node={quote(f'datasetField:file:{tmp_path}/.headwater/demo/estimated:co2_kg', safe='')}&dir=up"
        )

        done = subprocess.run(["bash", "-ec", command], capture_output=True, text=True, check=True)
        assert (done.stdout, done.stderr) == ("", "")
        stack.drain()
        with urlopen(f"{stack.api_url}/api/v1/column-lineage?nodeId=datasetField:example:emissions:co2_kg") as response:
            [column] = json.load(response)["graph"]
        assert [source["field"] for source in column["data"]["inputFields"]] == ["distance"]
        assert stack.errors == []
