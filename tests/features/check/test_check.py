"""`headwater check`: changed columns, the readers of lost columns by harm, and lost masks."""

from __future__ import annotations

import json

import pytest

from headwater.cli.main import main
from headwater.cli.service import NoResponse
from headwater.features.check.proposal import read_proposal
from headwater.features.check.report import check
from headwater.features.check.tables import MARK, find_table, proposed_events
from headwater_model.ids import DatasetId
from tests.builders_events import CALCULATE, CHECK, STORE, a_dataset, a_facet, a_run_event
from tests.features.serving import getter, served
from tests.unit.api.columns_pipeline import FIELDS, IDENTITY, PIPELINE, a_dataset_made, a_step, field, source
from tests.unit.api.graph_api import GraphApi

MASK = {"type": "DIRECT", "subtype": "TRANSFORMATION", "masking": True}
LOADED = a_run_event(
    run="01941f29-7c00-7ea7-b5a3-00000000000f",
    job="report",
    eventTime="2025-11-20T10:30:00Z",
    inputs=["checked"],
    outputs=[a_dataset_made("report", {"km": [source("checked", "distance", IDENTITY)]}, ["km"])],
    job_facets={"ownership": a_facet("OwnershipJob", owners=[{"name": "team-a"}])},
)


def a_check(columns, fields, job=CHECK, output="checked"):
    """A proposed run: the sources of the columns, and the schema, of its output."""
    return a_step(job, 11, ["raw"], [a_dataset_made(output, columns, fields)])


def checked(api, *events, tags=()):
    return check(getter(api), read_proposal([("e", event) for event in events]), tags=tags).to_json()


@pytest.fixture
def api():
    return GraphApi(*PIPELINE, LOADED)


KEPT = {
    name: [source("raw", name, IDENTITY), source("raw", "flight", {"type": "INDIRECT"})]
    for name in ("flight", "distance", "seats")
}


def test_readers_of_a_lost_column_are_listed_with_their_owners_worst_first(api):
    columns = {name: KEPT[name] for name in ("flight", "seats")}
    report = checked(api, a_check(columns, ["flight", ("seats", "int")]))
    assert report["changes"] == [
        {
            "nodeId": field("checked", "distance"),
            "change": "lost",
            "job": f"job:emissions:{CHECK}",
            "before": ["int"],
            "after": [],
        }
    ]
    lost = [field("checked", "distance")]
    assert report["readers"] == [
        {"nodeId": node, "type": kind, "effect": "breaks", "hops": 1, "owners": owners, "columns": lost}
        for node, kind, owners in (
            (f"dataset:{STORE}:estimated", "DATASET", []),
            (f"dataset:{STORE}:report", "DATASET", []),
            (field("estimated", "co2_kg"), "DATASET_FIELD", []),
            (field("report", "km"), "DATASET_FIELD", []),
            (f"job:emissions:{CALCULATE}", "JOB", []),
            ("job:emissions:report", "JOB", ["team-a"]),
        )
    ]
    assert report["breaks"] is True


def test_a_retyped_column_breaks_its_readers_and_a_remade_column_is_shown_alone(api):
    columns = {**KEPT, "seats": [source("raw", "distance", IDENTITY)]}
    report = checked(api, a_check(columns, ["flight", ("distance", "string"), ("seats", "INT")]))
    changes = [(change["nodeId"], change["change"], change["before"], change["after"]) for change in report["changes"]]
    assert changes == [
        (field("checked", "distance"), "retyped", ["int"], ["string"]),
        (
            field("checked", "seats"),
            "remade",
            [field("raw", "seats")],
            [field("raw", "distance")],
        ),
    ]
    assert {column for reader in report["readers"] for column in reader["columns"]} == {field("checked", "distance")}


def test_a_reader_that_changes_with_it_does_not_break(api):
    columns = {name: KEPT[name] for name in ("flight", "seats")}
    changed = a_check(columns, ["flight", ("seats", "int")])
    of_seats = a_check({"km": [source("checked", "seats", IDENTITY)]}, ["km"], job="report", output="report")
    readers = {reader["nodeId"] for reader in checked(api, changed, of_seats)["readers"]}
    assert readers == {f"dataset:{STORE}:estimated", field("estimated", "co2_kg"), f"job:emissions:{CALCULATE}"}
    still = a_check({"km": [source("checked", "distance", IDENTITY)]}, ["km"], job="report", output="report")
    readers = {reader["nodeId"] for reader in checked(api, changed, still)["readers"]}
    assert {"job:emissions:report", field("report", "km")} < readers


def test_a_dataset_that_no_job_writes_any_more_breaks_its_readers_before_all_else(api):
    renamed = a_check(KEPT, FIELDS, output="other")
    lost = f"dataset:{STORE}:checked"
    report = checked(api, renamed)
    assert report["changes"] == [
        {"nodeId": lost, "change": "lost", "job": f"job:emissions:{CHECK}", "before": [], "after": []}
    ]
    readers = [(each["nodeId"], each["effect"], each["hops"], each["owners"]) for each in report["readers"]]
    assert readers == [
        (f"job:emissions:{CALCULATE}", "loses a dataset", 1, []),
        ("job:emissions:report", "loses a dataset", 1, ["team-a"]),
        (f"dataset:{STORE}:estimated", "loses a dataset", 2, []),
        (f"dataset:{STORE}:report", "loses a dataset", 2, []),
    ]
    # A reader that changes along reads it no more, or still.
    for dataset, count in (("other", 2), ("checked", 4)):
        along = a_step("report", 11, [dataset], [a_dataset_made("report", {}, ["km"])])
        assert len(checked(api, renamed, along)["readers"]) == count


def test_the_writes_of_an_application_are_compared_with_those_of_its_last_run():
    app = {"run": {"runId": "01941f29-7c00-7ea7-b5a3-0000000000a0"}, "job": {"namespace": "emissions", "name": "app"}}

    def a_write(name, number, hour):
        output = a_dataset_made(name, {}, ["a"])
        return a_step(
            f"app.{name}", hour, [], [output], run=f"01941f29-7c00-7ea7-b5a3-{number:012}", run_facets={"parent": app}
        )

    api = GraphApi()
    of_app = a_step("app", 8, [], [], run=app["run"]["runId"])
    api.load(of_app, a_write("x", 1, 8), a_write("y", 2, 8), a_step("read", 9, ["y"], ["z"]))
    assert not checked(api, of_app, a_write("x", 3, 10), a_write("y", 4, 10))["breaks"]
    [lost] = checked(api, of_app, a_write("x", 3, 10))["changes"]
    assert (lost["nodeId"], lost["job"]) == (f"dataset:{STORE}:y", "job:emissions:app")


def test_a_column_with_a_tag_that_loses_its_mask_is_listed():
    api = GraphApi()
    tagged = a_dataset("people", fields=["name"])
    tagged["facets"]["tags"] = a_facet("TagsDataset", tags=[{"key": "PII", "value": "true", "field": "name"}])
    hidden = a_dataset_made("hidden", {"who": [source("people", "name", MASK)]}, ["who"])
    api.load(a_step("load", 7, [], [tagged]), a_step("hide", 8, ["people"], [hidden], run=LOADED["run"]["runId"]))
    api.load(a_check({"who": [source("hidden", "who", IDENTITY)]}, ["who"], job="copy", output="copied"))
    plain = a_check({"who": [source("people", "name", IDENTITY)]}, ["who"], job="hide", output="hidden")
    assert checked(api, plain)["unmasked"] == [
        {
            "nodeId": field("people", "name"),
            "tags": ["PII"],
            "into": field("hidden", "who"),
            "job": "job:emissions:hide",
        }
    ]
    assert checked(api, plain, tags=["tier"])["unmasked"] == []
    masked = a_check({"who": [source("people", "name", MASK)]}, ["who"], job="hide", output="hidden")
    assert checked(api, masked)["unmasked"] == []


def test_the_command_prints_the_report_and_its_status(api, tmp_path, capsys):
    file = tmp_path / "events.jsonl"
    file.write_text(json.dumps(a_check({"flight": KEPT["flight"]}, ["flight"])), encoding="utf-8")
    with served(api) as url:
        arguments = ["check", "--events", str(file), "--url", url]
        assert main(arguments) == 1
        text = capsys.readouterr().out.splitlines()
        assert text[:3] == [
            "columns that change:",
            f"  lost  {field('checked', 'distance')}  int -> nothing  by job:emissions:{CHECK}",
            f"  lost  {field('checked', 'seats')}  int -> nothing  by job:emissions:{CHECK}",
        ]
        assert text[-2:] == ["verdict:", "  2 jobs break, 2 datasets break, 2 columns break"]
        assert main([*arguments, "--format", "json"]) == 1
        assert json.loads(capsys.readouterr().out)["breaks"] is True
        assert main([*arguments, "--format", "markdown"]) == 1
        assert capsys.readouterr().out.startswith("### Lineage: 2 jobs break")
        file.write_text(json.dumps([a_check(KEPT, FIELDS)]), encoding="utf-8")
        assert main(arguments) == 0
        file.write_text('{"eventTime": 1}\nno', encoding="utf-8")
        assert main(arguments) == 2
    assert f"{file}:2: must be JSON" in capsys.readouterr().err


def test_a_table_of_a_session_is_the_dataset_with_its_last_parts(api):
    api.load(a_step("load", 8, [], [a_dataset("wh/shop.db/orders", "s3://a"), a_dataset("x.crm.orders", "pg://b")]))
    get = getter(api)
    assert find_table(get, "spark_catalog.shop.Orders") == DatasetId("s3://a", "wh/shop.db/orders")
    for table, count in (("orders", 2), ("shop.absent", 0)):
        with pytest.raises(NoResponse, match=f"must be a single dataset of the service, got {count}"):
            find_table(get, table)
    sandbox = [{"namespace": "file", "name": f"/box/warehouse/{name}"} for name in ("shop.db/orders", "shop.db/new")]
    written, own = a_run_event(outputs=sandbox), a_run_event(run_facets={"sql": {"query": f"... '{MARK}' ..."}})
    [event] = proposed_events(map(json.dumps, (written, own, {"records": []})), get, "/box/warehouse")
    assert event["outputs"] == [{"namespace": "s3://a", "name": "wh/shop.db/orders"}, sandbox[1]]


def test_the_models_of_dbt_are_checked_by_their_catalog_or_contract(tmp_path, capsys):
    api = GraphApi()
    sources = {"km": [{"namespace": "pg://db", "name": "db.shop.legs", "field": "km"}]}
    legs = a_dataset("db.shop.legs", "pg://db", fields=[("km", "int"), ("tail", "text")])
    api.load(a_step("legs", 8, [], [legs]), a_step("report", 9, [], [a_dataset_made("report", sources, ["km"])]))
    model = {"resource_type": "model", "schema": "shop", "name": "legs"}
    columns = {"tail": {"name": "tail", "data_type": "text"}}
    contract = {**model, "config": {"contract": {"enforced": True}}, "columns": columns}
    manifest, catalog = tmp_path / "manifest.json", tmp_path / "catalog.json"
    with served(api) as url:
        arguments = ["check", "--dbt", str(tmp_path), "--url", url]
        manifest.write_text(json.dumps({"nodes": {"model.a.legs": contract, "model.a.new": model}}), encoding="utf-8")
        assert main(arguments) == 1
        text = capsys.readouterr().out.splitlines()
        assert text[1] == "  lost  datasetField:pg://db:db.shop.legs:km  int -> nothing  by job:dbt:model.a.legs"
        assert (
            "  model.a.new: not compared: its columns are unknown: run `dbt docs generate`, or enforce a contract"
            in text
        )
        of_catalog = {name: {"name": name, "type": kind} for name, kind in (("km", "int"), ("tail", "text"))}
        catalog.write_text(json.dumps({"nodes": {"model.a.legs": {"columns": of_catalog}}}), encoding="utf-8")
        assert main(arguments) == 0
        manifest.write_text("[]", encoding="utf-8")
        assert main(arguments) == 2
