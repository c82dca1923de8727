"""The views of the explorer in a browser: shown, used and shared."""

from __future__ import annotations

import re
from urllib.parse import quote, urlencode

import pytest

from tests.explorer.pages import CHECKED, CO2, ESTIMATED, HOSTILE, REJECTED, REPORT, node, serious_faults
from tests.explorer.stories import JOBS, LAKE, ODD_NAMES, run_of

# One of each view, and what it shows.
VIEWS = {
    "": "Broken",
    "search?q=check": "emissions.check",
    f"map?node={ESTIMATED}&sel={REPORT}&list=1": "No space left on device",
    f"columns?node={CO2}": "3.16 * fuel_kg",
    f"impact?node={CHECKED}": "public.co2_by_day",
    f"dataset?node={ESTIMATED}": "read by 2 jobs",
    f"job?node={REPORT}": "No space left on device",
    f"run?id={run_of('marts.airline_report', 20)}": "No space left on device",
    "usage?tag=pii&start=1763000000&end=1764000000": "catalog",
    f"datasets?namespace={LAKE}": "checked",
    "tests": "not_null of flight",
    "feed": "+ contact",
    "coverage": "By namespace",
    "no-such-view": "There is no such view",
    "dataset?node=dataset:s3://nowhere:nothing": "Not found",
}
# Tabs and filters of the same views.
OTHERS = {
    "jobs": "emissions.check",
    f"map?node={CHECKED}&boxes=1": "emissions.estimate",
    f"map?node={ESTIMATED}&list=1&vs=2025-11-18T12:00:00Z": "+ 2 added",
    f"map?node={ESTIMATED}&vs=2025-11-18T12:00:00Z&at=2025-11-20T12:00:00Z": "+ 2 added",
    f"map?node={REJECTED}&sel={REJECTED}": "3, expected 0",
    "map?node=job:ops:ops.rejections&sel=job:ops:ops.rejections": "the run could not report all of it",
    f"columns?node={ESTIMATED}&list=1": "checked.distance",
    f"impact?node={CO2}": "co2_t",
    f"dataset?node={CHECKED}": "usually daily",
    f"dataset?node={CHECKED}&tab=versions": "+ contact",
    f"dataset?node={ESTIMATED}&tab=columns": "checked.seats",
    f"dataset?node={CHECKED}&tab=facets": "schema",
    f"dataset?node={REJECTED}&tab=tests": "not_null of flight",
    f"job?node=job:{JOBS}:emissions.check": "(usually 7 min)",
    f"job?node=job:{JOBS}:emissions.estimate&tab=code": "0.03 * distance * seats",
    f"job?node=job:{JOBS}:emissions.check&tab=versions": "rejected",
    f"run?id={run_of('emissions.check', 20)}&vs={run_of('emissions.check', 19)}": "another version",
    f"run?id={run_of('emissions.land', 17)}": "failed 2025-11-17 04:00",
    f"run?id={run_of('ops.rejections', 20)}": "its producer could not read all of it (facet extractionError)",
    "search?tag=pii": "passenger_email",
    f"usage?node=datasetField:{LAKE}:raw:passenger_email&start=1763000000&end=1764000000": "masked",
    f"tests?namespace={LAKE}": "All namespaces",
    "feed?kind=JOB_FAILS&namespace=marts&days=31": "marts.airline_report",
    f"coverage?namespace={JOBS}&level=columns": "Outputs with columns",
}
NOT_FOUND = "the server responded with a status of 404"


def id_of(view):
    return re.sub(r"\W+", "-", view)[:60]


def open_by_address(open_view, served, view):
    page = open_view(served, view, expected=(NOT_FOUND,) if "nowhere" in view else ())
    page.get_by_text({**VIEWS, **OTHERS}[view]).filter(visible=True).first.wait_for()
    return page


@pytest.mark.parametrize("view", [*VIEWS, *(pytest.param(view, marks=pytest.mark.slow) for view in OTHERS)], ids=id_of)
def test_a_view_opens_by_its_address_and_axe_finds_nothing_serious(open_view, pipeline, view):
    assert serious_faults(open_by_address(open_view, pipeline, view)) == []


def test_a_row_leads_to_its_run_and_the_run_to_the_sql_of_its_rows(open_view, pipeline):
    page = open_view(pipeline, f"dataset?node={ESTIMATED}&tab=versions")
    form = page.get_by_role("form", name="row")
    form.get_by_label("id of a row").fill("183")
    form.get_by_label("sequence number of the row").fill("1")
    form.get_by_role("button").click()
    page.get_by_text("the sequence number is lower").first.wait_for()
    form.get_by_label("sequence number of the row").fill("19")
    form.get_by_role("button").click()
    lines = page.locator("dl dd").filter(has_text="emissions.estimate")
    lines.nth(1).wait_for()
    creation, change = lines.all()[-2:]
    assert "checked" in creation.inner_text()
    change.get_by_role("link", name="emissions.estimate").click()
    page.wait_for_url(f"**/explore/run?id={run_of('emissions.estimate', 19)}")
    page.get_by_text("SQL of the changed rows").click()
    shown = page.get_by_role("group", name="the SQL of the changed rows").inner_text()
    assert shown.splitlines()[-1] == "WHERE _last_updated_sequence_number = 19"


def test_the_schema_of_a_dataset_says_how_many_jobs_read_each_column_and_shows_the_unread(open_view, pipeline):
    page = open_view(pipeline, f"dataset?node=dataset:{LAKE}:raw")
    page.get_by_role("columnheader", name="Read by").wait_for()
    row = page.get_by_role("row").filter(has_text="passenger_email")
    row.get_by_role("cell", name="1 job", exact=True).wait_for()
    page.get_by_role("button", name="1 read by no job").click()
    page.get_by_text("1 of 5").wait_for()
    assert [row.inner_text().split()[0] for row in page.locator("main table tbody tr").all()] == ["tailnum"]
    assert len([path for path in page.watch.paths() if "column-readers" in path]) == 1


def test_the_page_of_a_dataset_says_that_its_data_is_old(open_view, estate):
    page = open_view(estate, f"dataset?node=dataset:{LAKE}:step.6")
    page.locator("dd .changed").filter(has_text="on old data").wait_for()
    page.goto(f"{estate.url}/explore/map?node=dataset:{LAKE}:step.0&sel=dataset:{LAKE}:step.0")
    panel = page.get_by_role("complementary", name="about step.0")
    panel.locator(".changed").filter(has_text="late").wait_for()


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_dataset_with_an_odd_name_opens(open_view, estate, name):
    page = open_view(estate, f"dataset?{urlencode({'node': f'dataset:{LAKE}:{name}'})}")
    page.get_by_role("heading", name=name, exact=True).first.wait_for()
    page.get_by_role("link", name=f"write {name}").first.wait_for()


def test_of_a_name_that_no_browser_sends_the_page_says_so_and_draws_the_map(open_view, estate):
    page = open_view(estate, f"dataset?node=dataset:{LAKE}:..")
    page.get_by_text("a browser cannot ask for the name “..”").first.wait_for()
    page.goto(f"{estate.url}/explore/map?node=dataset:{LAKE}:..")
    node(page, "write ..").wait_for()


def test_the_slash_leads_to_the_search(open_view, pipeline):
    page = open_view(pipeline, f"map?node={CHECKED}")
    node(page, "emissions.check").wait_for()
    page.keyboard.press("/")
    page.keyboard.type("estim")
    page.get_by_role("option", name="emissions.estimate").wait_for()


def test_a_failed_run_is_compared_with_the_last_good_one(open_view, pipeline):
    page = open_view(pipeline, f"run?id={run_of('marts.airline_report', 20)}")
    page.get_by_role("link", name="Against the last good run").click()
    page.get_by_text("Two runs side by side").wait_for()
    first = page.get_by_role("region", name="differences").get_by_role("row").nth(1)
    first.get_by_text("No space left on device").wait_for()
    assert run_of("marts.airline_report", 19) in page.url


def test_impact_names_the_owners_with_a_message_to_each(open_view, pipeline):
    page = open_view(pipeline, f"impact?node={CHECKED}", fresh=True, permissions=("clipboard-read", "clipboard-write"))
    owners = page.get_by_role("region", name="whom it reaches")
    row = owners.get_by_role("row", name="team:emissions")
    row.wait_for()
    row.get_by_role("button", name="copy as message").click()
    row.get_by_role("button", name="copied").wait_for()
    message = page.evaluate("navigator.clipboard.readText()")
    assert message.startswith("To team:emissions: a change of checked reaches 1 dataset of yours")


def test_what_events_say_is_text(open_view, pipeline):
    page = open_view(pipeline)
    for view in ("map?node={}", "job?node={}", "job?node={}&tab=code", "job?node={}&tab=facets", "impact?node={}"):
        page.goto(f"{pipeline.url}/explore/{view.format(quote(HOSTILE, safe=''))}")
        page.get_by_text("onerror").first.wait_for()
        page.wait_for_load_state("networkidle")
        assert page.locator('img[src="x"]').count() == 0, view
        assert page.locator('[href^="javascript:"]').count() == 0, view
        assert page.title() not in ("1", "2"), view
