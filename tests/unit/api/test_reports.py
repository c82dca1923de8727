"""Reports on a field: as JSON, and as a table that a spreadsheet reads and never computes."""

import csv
from dataclasses import replace
from io import StringIO
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.api.reports.column_reports import PROVENANCE, USAGE, provenance_table, usage_table
from headwater.queries.results.columns import TimeRange
from headwater.queries.results.reports import Flow, LineageStep, Provenance, ReportedRun, TrueSource, Usage, Use
from headwater_model.columns import Column, ColumnSource, Transformation
from headwater_model.ids import DatasetId, JobId, RunKey
from tests.unit.api.canned_fields import LINK, HeldLinks, an_api
from tests.unit.api.document_examples import CO2_NODE
from tests.unit.api.proxy import get

STORE = "s3://flights"
DISTANCE, SEATS = (Column(DatasetId(STORE, "checked"), (name,)) for name in ("distance", "seats"))
CO2 = Column(DatasetId(STORE, "estimated"), ("co2_kg",))
FLOWED_INTO = ColumnSource(CO2.dataset, CO2.field)
ESTIMATE = JobId("emissions", "emissions.estimate")
RUN = "01941f2a-9d00-7c3e-8b1f-6a5d4c3b2a19"
WINDOW = TimeRange("2025-11-20T00:00:00.000000Z", "2025-11-21T00:00:00.000000Z")
FIRST, STARTED = "2025-11-20T12:00:00.000000Z", "2025-11-20T13:00:00.000000Z"
RANGE = {"start": 1763596800, "end": 1763683200}
FIELDS = {"datasetField:s3://flights:checked:distance": DISTANCE, CO2_NODE: CO2}
REQUESTED = {"nodeId": "datasetField:s3://flights:checked:distance", **RANGE}
ROUTES = ["/api/v1/reports/usage", "/api/v1/reports/provenance"]


# What begins a formula for some spreadsheet, in every width.
FORMULA_SIGNS = "=+-@\t\r\n＝＋－＠﹦﹢﹣﹫"


def a_reported_run(run, started=STARTED, state="COMPLETED"):
    return ReportedRun(RunKey.of(ESTIMATE, run), started, state)


def a_use(**changes):
    """The run that estimated, reading the distance."""
    run = a_reported_run(changes.pop("run", RUN))
    use = {"kind": "READ", "job": ESTIMATE, "first": STARTED, "last": STARTED, "count": 1, "runs": (run,)}
    use |= {"states": (("COMPLETED", 1),), "fields": (FLOWED_INTO,), "operations": ("fuel, co2",)}
    return Use(**{**use, **changes})


def a_usage(**changes):
    """The distance was read once, and went into CO2."""
    flow = Flow(FLOWED_INTO, 1, direct=True, masked=False, certain=True, failed=False, status="alive", jobs=(ESTIMATE,))
    return Usage(**{"column": DISTANCE, "time_range": WINDOW, "uses": (a_use(),), "flows": (flow,), **changes})


def a_step(source, **changes):
    """Return a step to a column that a run derived."""
    step = {
        "transformations": (Transformation("DIRECT", "TRANSFORMATION", "fuel, co2"),),
        "operations": ("fuel, co2",),
        "jobs": (ESTIMATE,),
        "runs": (RUN,),
    }
    return LineageStep(source, CO2, **{**step, **changes})


def a_provenance(**changes):
    """CO2 came of distance and seats."""
    sources = tuple(TrueSource(column, 1, direct=True, masked=False, reason="raw") for column in (DISTANCE, SEATS))
    steps = tuple(a_step(column) for column in (DISTANCE, SEATS))
    return Provenance(**{"column": CO2, "time_range": WINDOW, "sources": sources, "steps": steps, **changes})


def the_reports(usage=None, provenance=None, links=None):
    """The API over the two reports."""
    results = {Usage: usage or a_usage(), Provenance: provenance or a_provenance()}
    return an_api(results, fields=FIELDS, links=links)


def rows_of(text):
    """A table's rows, without the cells that are empty."""
    return [{name: cell for name, cell in row.items() if cell} for row in csv.DictReader(StringIO(text, newline=""))]


def test_usage_as_a_table_is_a_row_for_each_use_of_a_column_and_each_flow():
    runs = (*a_use().runs, a_reported_run("r2", FIRST, "FAILED"))
    many = {"first": FIRST, "count": 24, "states": (("COMPLETED", 23), ("FAILED", 1)), "runs": runs}
    known = a_use(fields=(CO2, SEATS), operations=("fuel, co2", "average"), **many)
    declared = {"job": None, "states": (), "runs": (a_reported_run("d1", state=None),)}
    unknown = a_use(fields=(), operations=(), known=False, **declared)
    perhaps = Flow(
        ColumnSource(CO2.dataset), 2, direct=True, masked=False, certain=False, failed=True, status="unknown"
    )
    table = usage_table(a_usage(uses=(known, unknown), flows=(*a_usage().flows, perhaps), truncated=True))

    use = {
        "section": "use",
        "kind": "READ",
        "first": "2025-11-20T12:00:00Z",
        "last": "2025-11-20T13:00:00Z",
        "count": "24",
        "states": "COMPLETED: 23; FAILED: 1",
        "runs": f"{RUN} (COMPLETED); r2 (FAILED)",
        "known": "true",
        "operations": "fuel, co2; average",
        "jobs": "job:emissions:emissions.estimate",
    }
    co2 = {"namespace": STORE, "dataset": "estimated", "field": "co2_kg"}
    checked = {"namespace": STORE, "dataset": "checked"}
    assert rows_of(table) == [
        {
            "section": "query",
            "start": "2025-11-20T00:00:00Z",
            "end": "2025-11-21T00:00:00Z",
            **checked,
            "field": "distance",
        },
        {**use, **co2},
        {**use, **checked, "field": "seats"},
        {
            "section": "use",
            "kind": "READ",
            "first": "2025-11-20T13:00:00Z",
            "last": "2025-11-20T13:00:00Z",
            "count": "1",
            "runs": "d1",
            "known": "false",
        },
        {
            "section": "flow",
            **co2,
            "hops": "1",
            "direct": "true",
            "masked": "false",
            "certain": "true",
            "failed": "false",
            "status": "alive",
            "jobs": "job:emissions:emissions.estimate",
        },
        {
            "section": "flow",
            "namespace": STORE,
            "dataset": "estimated",
            "hops": "2",
            "direct": "true",
            "masked": "false",
            "certain": "false",
            "failed": "true",
            "status": "unknown",
        },
        {"section": "truncated"},
    ]


def test_provenance_as_a_table_is_a_row_for_each_source_and_each_step():
    masked = Transformation("DIRECT", "TRANSFORMATION", "hashed", masking=True)
    step = a_step(DISTANCE, transformations=(masked, Transformation("INDIRECT")))
    raw = a_provenance().sources[0]
    because = {"jobs": (ESTIMATE,), "runs": (RUN, "r2"), "reads": (CO2.dataset, DISTANCE.dataset)}
    unreported = replace(raw, reason="unreported", **because)
    table = provenance_table(a_provenance(sources=(raw, unreported), steps=(step,)))

    distance = {"namespace": STORE, "dataset": "checked", "field": "distance"}
    source = {"section": "source", **distance, "hops": "1", "direct": "true", "masked": "false"}
    assert rows_of(table)[1:] == [
        {**source, "reason": "raw"},
        {
            **source,
            "reason": "unreported",
            "jobs": "job:emissions:emissions.estimate",
            "runs": f"{RUN}; r2",
            "reads": "dataset:s3://flights:estimated; dataset:s3://flights:checked",
        },
        {
            "section": "step",
            **distance,
            "into_namespace": STORE,
            "into_dataset": "estimated",
            "into_field": "co2_kg",
            "transformations": "DIRECT/TRANSFORMATION (masking): hashed; INDIRECT",
            "operations": "fuel, co2",
            "jobs": "job:emissions:emissions.estimate",
            "runs": RUN,
        },
    ]


def test_a_table_is_rfc_4180():
    odd = Column(DatasetId("ns", 'a "b", c'), ("two\nlines",))

    first, *rest = usage_table(a_usage(column=odd, uses=(), flows=())).split("\r\n")

    requested = ("query", "2025-11-20T00:00:00Z", "2025-11-21T00:00:00Z", "ns", 'a ""b"", c', "two\nlines")
    assert first == quoted(USAGE)
    assert rest == [quoted([*requested, *[""] * (len(USAGE) - len(requested))]), ""]


def quoted(cells):
    """A line of a table, from cells whose own quotes are doubled already."""
    return ",".join(f'"{cell}"' for cell in cells)


TEXTS = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from(FORMULA_SIGNS))


@given(TEXTS, TEXTS)
def test_every_cell_is_quoted_and_no_cell_is_a_formula_in_any_width(name, run):
    column = Column(DatasetId(name, name), (name,))
    tables = (
        usage_table(a_usage(column=column, uses=(a_use(run=run),))),
        provenance_table(a_provenance(column=column, steps=(a_step(column, runs=(run,)),))),
    )

    for table in tables:
        rows = list(csv.reader(StringIO(table, newline="")))
        doubled = [[cell.replace('"', '""') for cell in row] for row in rows]
        assert "".join(f"{quoted(row)}\r\n" for row in doubled) == table
        starts = {normalize("NFKC", cell[:1]) for row in rows for cell in row}
        assert starts.isdisjoint("=+-@\t\r\n")


@given(TEXTS, TEXTS)
def test_a_table_reads_as_what_it_was_made_of(name, run):
    column = Column(DatasetId(name, name), (name,))
    table = usage_table(a_usage(column=column, uses=(a_use(run=run),), flows=()))

    requested, use = csv.DictReader(StringIO(table, newline=""))
    assert requested["dataset"].removeprefix("'") == name.removeprefix("'")
    assert use["runs"].removeprefix("'") == f"{run} (COMPLETED)".removeprefix("'")


@pytest.mark.parametrize(
    ("query", "accept", "kind"),
    [
        ({}, None, "application/json"),
        ({}, "*/*", "application/json"),
        ({}, "text/csv", "text/csv; charset=utf-8"),
        ({}, "text/html, Text/CSV;q=0.9, application/json;q=0.8", "text/csv; charset=utf-8"),
        ({}, "application/json, text/csv", "application/json"),
        ({"format": "csv"}, "application/json", "text/csv; charset=utf-8"),
        ({"format": "JSON"}, "text/csv", "application/json"),
    ],
)
@pytest.mark.parametrize("path", ROUTES)
def test_a_table_is_requested_by_format_or_by_accept(path, query, accept, kind):
    node_id = REQUESTED["nodeId"] if path.endswith("usage") else CO2_NODE
    response = get(the_reports(), path, {**RANGE, "nodeId": node_id, **query}, {"Accept": accept} if accept else None)

    assert response.headers["Content-Type"] == kind
    name = path.rpartition("/")[2]
    file = f'attachment; filename="{name}.csv"' if kind.startswith("text/csv") else None
    assert response.headers.get("Content-Disposition") == file
    if file:
        assert response.body.split("\r\n")[0] == quoted(USAGE if path.endswith("usage") else PROVENANCE)


@pytest.mark.parametrize("path", ROUTES)
@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"nodeId": None}, 400),
        ({"nodeId": " "}, 400),
        ({"nodeId": "datasetField:s3://flights:checked:nothing"}, 404),
        ({"start": None}, 400),
        ({"start": "yesterday"}, 400),
        ({"end": 1}, 400),
        ({"format": "xlsx"}, 400),
        ({"since": "now-1d"}, 400),
        ({"Format": "csv"}, 400),
    ],
)
def test_what_cannot_be_read_is_400_and_what_is_not_known_404(path, changes, status):
    response = get(the_reports(), path, {**REQUESTED, **changes})

    assert (response.status, response.form["code"]) == (status, status)


@pytest.mark.large
def test_a_large_table_is_behind_a_link():
    # Runs of long ids: fewer rows make as many bytes.
    links, many = HeldLinks(), tuple(a_use(run=f"run-{number:0500}") for number in range(8_000))

    response = get(the_reports(a_usage(uses=many), links=links), ROUTES[0], {**REQUESTED, "format": "csv"})

    assert (response.status, response.headers["Location"]) == (303, LINK)
    ((body, content_type),) = links.held
    assert (body.count(b"\r\n"), content_type) == (8_003, "text/csv; charset=utf-8")
