"""`headwater names`: rules for new events and for what the graph has, and what the command prints."""

import argparse
import json

import pytest

from headwater.events.naming import NamingRules
from headwater.facts.keys import facts_key
from headwater.features.names import command
from headwater.loading.replay import replay
from headwater.loading.stored_rules import KNOWN_S
from headwater_model.ids import DatasetId
from lambdas import wiring
from tests.builders_events import a_run_event

RULES = {"rules": [{"namespace": "s3a://*", "name": "*", "as": {"namespace": "s3://*"}}]}
FOLDED = "Columns of events before that stay as they were loaded, until a replay."
OLD, NEW = DatasetId("s3a://lake", "legs"), DatasetId("s3://lake", "legs")


class Deployment:
    """The stack of the tests."""

    def graph_table(self):
        return wiring.graph_table()

    def naming_rules(self):
        return NamingRules()


@pytest.fixture
def run(capsys):
    """Runs the command, and returns what it prints; the functions print their metrics."""

    def run_command(*arguments):
        capsys.readouterr()
        _run(*arguments)
        return capsys.readouterr().out

    return run_command


def _run(*arguments):
    parser = argparse.ArgumentParser()
    command.add_parser(parser.add_subparsers())
    given = parser.parse_args(["names", *arguments])
    given.act(given, Deployment())


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "names.json"
    path.write_text(json.dumps(RULES), encoding="utf-8")
    return str(path)


def an_event(number, *written):
    outputs = [{"namespace": dataset.namespace, "name": dataset.name} for dataset in written]
    time = f"2025-11-20T00:00:{number:02}Z"
    return a_run_event(run=f"run-{number}", job="write", eventTime=time, inputs=[], outputs=outputs)


def writers_of(dataset):
    graph = wiring.lineage_queries().find_graph(dataset.node_id, depth=0)
    return {job.id.name for job in graph.jobs}, {shown.id for shown in graph.datasets}


def test_what_was_loaded_and_what_comes_after_is_one_dataset(cloud, run, file):
    cloud.load_events(an_event(1, OLD))
    assert "Rules: 1. Names of datasets that they change: 1 of 1, to 1. Joined: 1." in run("set", file)
    assert writers_of(OLD)[1] == {NEW}

    cloud.now_s += KNOWN_S
    cloud.load_events(an_event(2, OLD))
    assert "1 of 2, to 1" in run("set", file)
    assert writers_of(NEW)[1] == {NEW}


def test_a_function_that_read_the_rules_goes_on_with_them_for_a_minute(cloud, run, file):
    cloud.load_events(an_event(1, OLD))
    run("set", file)

    assert wiring.naming_rules().names == ()
    cloud.now_s += KNOWN_S
    assert len(wiring.naming_rules().names) == 1


def test_a_replay_names_datasets_by_the_rules_that_are_set(cloud, run, file):
    cloud.load_events(an_event(1, OLD))
    cloud.forget("Graph")
    run("set", file)
    cloud.now_s += KNOWN_S
    log = wiring.event_log()
    keys = [key for day in log.days() for key in log.keys_of(day)]

    assert [done.failed for done in replay(keys, log, wiring.naming_rules())] == [()]
    assert wiring.graph_table().get([facts_key(OLD)]) == {}
    assert writers_of(NEW)[1] == writers_of(OLD)[1] == {NEW}


def test_check_prints_what_would_be_joined_and_changes_nothing(cloud, run, file):
    cloud.load_events(an_event(1, OLD, DatasetId("s3a://lake", "raw")), an_event(2, DatasetId("s3://lake", "raw")))
    before = cloud.items("Graph")

    assert run("check", file) == (
        "Rules: 1. Names of datasets that they change: 2 of 3, to 2.\n"
        "\ns3://lake legs (new)\n  s3a://lake legs\n"
        "\ns3://lake raw\n  s3a://lake raw\n"
    )
    assert json.loads(run("check", file, "--json"))[0] == {
        "namespace": "s3://lake",
        "name": "legs",
        "names": [{"namespace": "s3a://lake", "name": "legs"}],
    }
    assert cloud.items("Graph") == before


def test_the_rules_that_are_set_are_printed_as_a_file(cloud, run, file):
    assert json.loads(run("show")) == {"rules": []}
    run("set", file)
    assert json.loads(run("show")) == RULES


def test_datasets_that_are_likely_the_same_are_printed_as_rules(cloud, run, tmp_path):
    quoted, plain = (DatasetId("snowflake://acc", name) for name in ('"DB"."SC"."POS"', "DB.SC.POS"))
    event = an_event(1, quoted, plain)
    for output, nav in zip(event["outputs"], ('"NAV"', "nav"), strict=True):
        output["facets"] = {"schema": {"fields": [{"name": nav}]}}
    cloud.load_events(event)
    printed = run("likely")

    patterns, fields = {"namespace": quoted.namespace, "name": quoted.name}, {"quotes": "drop", "case": "lower"}
    target = {"namespace": plain.namespace, "name": plain.name}
    assert json.loads(printed) == {"rules": [{**patterns, "as": target, "fields": fields}]}
    path = tmp_path / "likely.json"
    path.write_text(printed, encoding="utf-8")
    summary = "Rules: 1. Names of datasets that they change: 1 of 2, to 1. Datasets whose columns fold: 1."
    assert run("check", str(path)).splitlines()[0] == summary
    joined = "Functions take the rules within a minute; what they load until then is joined by the same command."
    assert run("set", str(path)).splitlines() == [f"{summary} Joined: 1.", joined, FOLDED]
    assert json.loads(run("likely")) == {"rules": []}

    cloud.now_s += KNOWN_S
    quoted_nav, nav = (
        {"namespace": quoted.namespace, "name": quoted.name, "field": field} for field in ('"NAV"', "Nav")
    )
    derived = {"columnLineage": {"fields": {"total": {"inputFields": [quoted_nav, nav]}}}}
    cloud.load_events(a_run_event(inputs=[], outputs=[{"namespace": "s3://lake", "name": "totals", "facets": derived}]))
    impact = wiring.lineage_queries().report_column_impact(
        f'datasetField:{quoted.namespace}:{quoted.name}:"NAV"', depth=1
    )
    assert (impact.column.dataset, impact.column.field) == (plain, ("nav",))
    assert [each.column.field for each in impact.columns] == [("total",)]
