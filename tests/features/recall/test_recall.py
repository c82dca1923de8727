"""`headwater recall`: the versions that hold something of a load, by grade; and the versions written anew."""

from __future__ import annotations

import csv
from io import StringIO

import pytest

from headwater.cli.main import main
from headwater.features.recall.forms import render_plan
from tests.builders_events import STORE, a_dataset, a_facet, a_run_event
from tests.features.serving import served
from tests.unit.api.graph_api import GraphApi


def run_id(number):
    return f"01941f29-7c00-7ea7-b5a3-{number:012}"


def day(number):
    partition = {"identifier": f"day={number}"}
    condition = {"type": "partition", "partitions": [partition]}
    return lambda side: {"subset": a_facet("SubsetDataset", **{f"{side}Condition": condition})}


def read(name, version=None, part=None):
    facets = {"version": a_facet("DatasetVersionDataset", datasetVersion=version)} if version else {}
    return {**a_dataset(name), "facets": facets, "inputFacets": part("input") if part else {}}


def wrote(name, change=None, part=None, version=None):
    facets = {"lifecycleStateChange": a_facet("LifecycleStateChange", lifecycleStateChange=change)} if change else {}
    facets |= {"version": a_facet("DatasetVersionDataset", datasetVersion=version)} if version else {}
    return {**a_dataset(name), "facets": facets, "outputFacets": part("output") if part else {}}


def a_run(number, inputs, outputs):
    time = f"2025-11-20T{number:02}:00:00Z"
    return a_run_event(run=run_id(number), job=f"j{number}", inputs=inputs, outputs=outputs, eventTime=time)


def report(api, **load):
    return api.found("/reports/recall", **load)


def recalled(events, number=1, *, repair=False, **options):
    """The grade of each held version by its run, or the run that repaired it."""
    api = GraphApi(*events)
    return {
        (each["name"], int(each["run"][-3:])): int((each["repairedBy"] or "0")[-3:]) if repair else each["grade"]
        for each in report(api, runId=run_id(number), **options)["versions"]
    }


LOAD = a_run(1, [], [wrote("raw", "OVERWRITE", version="7")])


def test_a_run_stands_for_its_child_runs_and_an_unknown_run_cuts_the_report():
    parent = {"run": {"runId": run_id(9)}, "job": {"namespace": "emissions", "name": "app"}}
    child = a_run(1, [], ["raw"])
    child["run"]["facets"] = {"parent": parent}
    assert recalled([child, a_run(2, [read("raw")], ["a"])], 9) == {("raw", 1): "certainly", ("a", 2): "possibly"}
    api = GraphApi(LOAD)
    both = report(api, runId=[run_id(1), run_id(8)], grade="possibly")
    assert [(each["name"], each["grade"]) for each in both["versions"]] == [("raw", "possibly")]
    assert both["cut"] == [f"run {run_id(8)}: is unknown"]


@pytest.mark.parametrize(
    ("load", "status", "message"),
    [
        ({}, 400, "nodeId: must be given, or else runId, and not both"),
        ({"nodeId": f"dataset:{STORE}:raw#{run_id(1)}", "start": "2025"}, 400, "must name no version where start"),
        ({"nodeId": "job:emissions:j1"}, 400, "must be dataset:<namespace>:<name>"),
        ({"nodeId": f"dataset:{STORE}:raw", "start": "2024", "end": "2025"}, 404, "not found"),
        ({"runId": "no"}, 404, "not found"),
        ({"runId": [f"r{number}" for number in range(51)]}, 400, "must be at most 50 run ids"),
    ],
)
def test_a_faulty_load_is_refused(load, status, message):
    api = GraphApi(LOAD)
    refused, form = api.get("/reports/recall", **load)
    assert (refused, message in form["message"]) == (status, True), form


def test_a_walk_costs_rounds_by_its_hops_not_by_its_versions():
    def rounds(readers):
        api = GraphApi(LOAD, *(a_run(number, [read("raw", "7")], [f"a{number}"]) for number in range(2, 2 + readers)))
        before = api.table.rounds
        assert len(report(api, runId=run_id(1))["versions"]) == 1 + readers
        return api.table.rounds - before

    assert rounds(20) == rounds(2)


def test_a_repair_replaces_the_rows_without_the_load():
    events = [LOAD, a_run(2, [read("raw")], [wrote("a", "OVERWRITE")]), a_run(3, [], [wrote("raw", "OVERWRITE")])]
    assert recalled(events, repair=True) == {("raw", 1): 3, ("a", 2): 0}
    # The writer of `a` reads the good version now.
    events.append(a_run(4, [read("raw")], [wrote("a", "OVERWRITE")]))
    assert recalled(events, repair=True) == {("raw", 1): 3, ("a", 2): 4}


def test_the_plan_deletes_known_partitions_alone():
    api = GraphApi(a_run(1, [], [wrote("db.raw", part=day(1))]), a_run(2, [read("db.raw")], ["lake/it's"]))
    of_day = report(api, nodeId=f"dataset:{STORE}:db.raw", start="2025-11-20", end="2025-11-21")
    assert list(render_plan(of_day["versions"])) == [
        f"-- {STORE}: runs {run_id(1)}",
        "DELETE FROM `db`.`raw` WHERE (`day` = '1');",
        f"-- {STORE}: runs {run_id(2)}",
        "-- the partitions with the load are unknown: write a condition of your own",
        "DELETE FROM `lake/it's` WHERE FALSE;",
    ]


class WithRecords(GraphApi):
    """The API with the records of a root, by a run each."""

    def get(self, path, **query):
        if path != "/records/search":
            return super().get(path, **query)
        records = [{"node_id": "n", "run_id": run_id(number)} for number in (1, 1, 8)] + [{"node_id": "m"}]
        return 200, {"records": records if query["root"] == ["flights"] else [], "cursor": None, "truncated": False}


def test_a_root_is_recalled_by_the_runs_of_its_records(capsys):
    api = WithRecords()
    api.load(LOAD, a_run(2, [read("raw", "7")], ["a"]))
    with served(api) as url:
        assert main(["recall", "--root", "flights", "--url", url]) == 1
        assert main(["recall", "--root", "other", "--url", url]) == 2
    printed = capsys.readouterr()
    assert printed.out.splitlines() == [
        f"possibly  dataset:{STORE}:a  run {run_id(2)} of job:emissions:j2",
        f"possibly  dataset:{STORE}:raw  run {run_id(1)} of job:emissions:j1",
    ]
    assert f"! run {run_id(8)}: is unknown" in printed.err
    assert "root other: none of its records names a run" in printed.err


def test_the_command_prints_a_table_and_says_what_is_not_repaired(capsys):
    api = GraphApi(LOAD, a_run(2, [read("raw", "7")], ["a"]))
    version = api.found("/namespaces/s3%3A%2F%2Fflights/datasets/raw/versions")["versions"][0]["version"]
    with served(api) as url:
        assert main(["recall", "--run", run_id(1), "--url", url, "--format", "csv"]) == 0
        rows = list(csv.DictReader(StringIO(capsys.readouterr().out)))
        assert [(row["name"], row["grade"], row["run"]) for row in rows] == [
            ("a", "certainly", run_id(2)),
            ("raw", "certainly", run_id(1)),
        ]
        assert main(["recall", "--version", STORE, "raw", version, "--after-repair", "--url", url]) == 1
        assert (
            capsys.readouterr().out.splitlines()[0]
            == f"certainly  dataset:{STORE}:a  run {run_id(2)} of job:emissions:j2"
        )
        assert main(["recall", "--run", run_id(1), "--limit", "1", "--url", url]) == 1
        assert "more than 1 versions" in capsys.readouterr().err
        assert main(["recall", "--run", run_id(9), "--url", url]) == 2
        with pytest.raises(SystemExit):
            main(["recall", "--run", run_id(1), "--from", "2025", "--url", url])
