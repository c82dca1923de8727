"""Imports of what DataHub and Spline themselves wrote: the graph is the one that was run.

`datahub/dbt_1.7.json` is what DataHub 1.7.0.17 wrote of a project of dbt 1.9 by its file sink, of lineage alone.
`spline/` has what Spline's agent (its sources of 2024-10-18) wrote of a program of Spark 3.5: over HTTP, and beside the
data by its HDFS dispatcher. The program's Python function is left out.
"""

from pathlib import Path
from types import SimpleNamespace

import orjson
import pytest

from headwater.features.imports.command import _sources
from tests.unit.api.graph_api import GraphApi, skeleton

HERE = Path(__file__).parent
LAKE = "/tmp/lake"


def imported(form, *paths):
    """The API over all events that the import makes of these files."""
    api = GraphApi()
    given = SimpleNamespace(format=form, paths=[str(HERE / path) for path in paths], from_marquez=None)
    events = [event for source in _sources(given) for event in source.events(0)]
    assert [event.fault for event in events if event.fault] == []
    api.load(*(orjson.loads(event.body) for event in events))
    return api


def columns(api, namespace, dataset):
    """Column -> the columns that it is made of."""
    form = api.found("/column-lineage", nodeId=f"dataset:{namespace}:{dataset}")
    nodes = [node["data"] for node in form["graph"] if node["data"]["dataset"] == dataset]
    return {
        column["field"]: {(source["dataset"], source["field"]) for source in column["inputFields"]}
        for column in nodes
        if column["namespace"] == namespace
    }


def test_each_write_of_a_program_is_a_job_of_its_own():
    api = imported("spline", "spline/agent_2.3.jsonl")
    jobs = {
        "lake_checked": (["in/carriers.csv", "in/flights.csv"], ["checked"]),
        "lake_report": (["checked"], ["report"]),
        "lake_union": (["checked", "in/flights.csv"], ["union"]),
        "lake_failed": (["checked"], ["failed"]),
    }
    graph = skeleton(api.graph(f"dataset:file:{LAKE}/checked", depth=9))
    assert {node: sides for node, sides in graph.items() if node.startswith("job:")} == {
        f"job:spline:flights.{job}": tuple([f"dataset:file:{LAKE}/{name}" for name in side] for side in sides)
        for job, sides in jobs.items()
    }
    states = {job: api.found(f"/namespaces/spline/jobs/flights.{job}")["latestRun"]["state"] for job in jobs}
    assert states == {**dict.fromkeys(jobs, "COMPLETED"), "lake_failed": "FAILED"}


CHECKED = {
    "flight": {(f"{LAKE}/in/flights.csv", "flight")},
    "carrier_name": {(f"{LAKE}/in/carriers.csv", "name")},
    "late": {(f"{LAKE}/in/flights.csv", "delay")},
}


def test_columns_are_those_of_the_program():
    api = imported("spline", "spline/agent_2.3.jsonl")
    assert columns(api, "file", f"{LAKE}/checked") == CHECKED
    assert columns(api, "file", f"{LAKE}/report") == {
        "carrier_name": {(f"{LAKE}/checked", "carrier_name")},
        "late": {(f"{LAKE}/checked", "late")},
        "last": {(f"{LAKE}/checked", "flight")},
    }
    assert columns(api, "file", f"{LAKE}/union") == {
        "flight": {(f"{LAKE}/checked", "flight"), (f"{LAKE}/in/flights.csv", "flight")}
    }


@pytest.mark.parametrize("path", ["spline/lake", "spline/lake/checked/_LINEAGE"])
def test_files_beside_the_data_are_read(path):
    api = imported("spline", path)
    assert columns(api, "file", f"{LAKE}/checked") == CHECKED
    assert api.found("/namespaces/spline/jobs/flights.lake_checked")["latestRun"]["state"] == "COMPLETED"


def test_the_models_of_dbt_have_the_columns_that_datahub_found():
    api = imported("datahub", "datahub/dbt_1.7.json")
    graph = skeleton(api.graph("dataset:duckdb:flights.main.report", depth=9))
    names = {node.removeprefix("dataset:") for node in graph}
    assert names == {
        f"{platform}:flights.main.{name}" for platform in ("dbt", "duckdb") for name in ("legs", "checked", "report")
    }
    checked, legs = "flights.main.checked", "flights.main.legs"
    assert columns(api, "dbt", "flights.main.report") == {
        "carrier": {(checked, "carrier")},
        "worst, delay": {(checked, "delay")},
        # DataHub reports no source of `count(*)`; the column is used by the next.
        "flights": set(),
    }
    assert columns(api, "duckdb", checked) == {name: {(checked, name)} for name in ("flight", "carrier", "delay")}
    assert columns(api, "dbt", checked) == {name: {(legs, name)} for name in ("flight", "carrier", "delay")}
