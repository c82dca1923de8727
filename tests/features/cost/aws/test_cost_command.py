"""`headwater cost`: the events of the raw log by namespace and token, as they arrived."""

import argparse
import json

import orjson
import pytest

from headwater.features.cost import command as cost
from headwater.features.cost.command import add_parser
from headwater.times import day_of
from lambdas import wiring
from tests.aws.token_requests import a_token, deliver, send
from tests.builders_events import CALCULATE, a_dataset_event, a_job_event, a_run_event
from tests.token_texts import id_of


@pytest.fixture
def printed(cloud, monkeypatch, capsys):
    """Runs the command, and returns what it printed."""

    class Stack:
        def graph_table(self):
            return wiring.graph_table()

    monkeypatch.setattr(cost, "find_deployment", lambda _: Stack())
    parser = argparse.ArgumentParser()
    add_parser(parser.add_subparsers())

    def run(*options):
        capsys.readouterr()
        given = parser.parse_args(["cost", "--from", day_of(cloud.now_s), "--to", day_of(cloud.now_s), *options])
        assert given.func(given) == 0
        return capsys.readouterr().out

    return run


def post(cloud, token, *events):
    assert send(cloud, token, "POST", "/api/v1/lineage/batch", body=list(events))[0] == 204
    deliver(cloud)


def size_of(*events):
    return sum(len(orjson.dumps(event)) for event in events)


def test_each_namespace_and_token_has_its_events_bytes_and_dollars(cloud, printed):
    nightly, flink = a_token(cloud), a_token(cloud)
    run, running = a_run_event(), [a_run_event(namespace="flink", eventType="running", job=f"j{n}") for n in range(3)]
    post(cloud, nightly, run, a_job_event(job=CALCULATE))
    post(cloud, flink, *running)
    capture = a_dataset_event()
    cloud.load_events(capture)

    document = json.loads(printed("--json"))
    rows = {(row["namespace"], row["token"]): row for row in document["rows"]}
    small = rows[run["job"]["namespace"], f"token:{id_of(nightly)}"]
    large = rows["flink", f"token:{id_of(flink)}"]
    assert (small["events"], small["running"], small["bytes"]) == (2, 0, size_of(run, a_job_event(job=CALCULATE)))
    assert (large["events"], large["running"], large["bytes"]) == (3, 3, size_of(*running))
    assert large["usd"] == pytest.approx(small["usd"] * 1.5)
    assert len(rows) == 3
    assert document["total"]["events"] == sum(row["events"] for row in rows.values()) == 6
    assert document["total"]["usd"] == pytest.approx(sum(row["usd"] for row in rows.values()))
    assert document["usdOf"] == "estimate"


def test_a_bill_is_divided_by_the_same_shares(cloud, printed):
    for number, namespace in enumerate(("a", "b", "b", "b")):
        post(cloud, a_token(cloud), a_job_event(job=str(number), namespace=namespace))

    document = json.loads(printed("--by", "namespace", "--bill", "100", "--json"))
    assert [(row["namespace"], round(row["usd"], 6)) for row in document["rows"]] == [("b", 75), ("a", 25)]
    assert (round(document["total"]["usd"], 6), document["usdOf"]) == (100, "bill")


@pytest.mark.parametrize(
    ("option", "text"), [("--bill", "-1"), ("--bill", "much"), ("--bill", "nan"), ("--to", "today")]
)
def test_options_that_are_no_days_or_dollars_are_refused(printed, option, text, capsys):
    with pytest.raises(SystemExit):
        printed(option, text)
    assert repr(text) in capsys.readouterr().err
