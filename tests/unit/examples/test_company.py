"""The example company: what it has, that its events are good ones, and that a seed and a time determine it."""

import json
from collections import Counter, defaultdict
from datetime import datetime, timedelta, timezone

import pytest

from examples.company.estate import build_estate
from examples.company.history import history_of
from examples.company.records import records_of, roots_of
from headwater.events.naming import NamingRules
from headwater.events.parse import parse_event
from headwater_model.times import parse_time

END = datetime(2025, 11, 20, 11, 30, tzinfo=timezone.utc)


@pytest.fixture(scope="module")
def estate():
    return build_estate()


@pytest.fixture(scope="module")
def nights(estate):
    return list(history_of(estate, end=END, days=3))


def runs_of(events, name):
    return [event["eventType"] for event in events if event["job"]["name"] == name]


def test_the_company_has_the_size_that_it_promises(estate):
    datasets = estate.datasets
    assert (len({(job.namespace, job.name) for job in estate.jobs}), len(datasets)) == (300, 500)
    assert len({job.namespace for job in estate.jobs} | {namespace for namespace, _ in datasets}) == 7
    assert max(len(dataset.columns) for dataset in datasets.values()) == 152  # the history of the ledger has two more
    readers = Counter(dataset.name for job in estate.jobs for dataset in job.reads)
    assert readers.most_common(1) == [("silver/reference/dim_date", 200)]


def test_every_source_of_a_column_is_a_column_that_the_job_reads(estate):
    for job in estate.jobs:
        for write in job.writes:
            sources = [source for origins in write.columns.values() for source in origins] + list(write.rows)
            assert {source.dataset for source in sources} <= set(job.reads), job.name
            assert all(source.column in source.dataset.columns for source in sources), job.name
            assert set(write.columns) <= set(write.dataset.columns), job.name


def test_no_dataset_is_made_of_itself(estate):
    reads = defaultdict(set)
    for job in estate.jobs:
        for write in job.writes:
            reads[write.dataset] |= set(job.reads)
    done = set()
    while ready := {
        dataset for dataset, sources in reads.items() if dataset not in done and sources & set(reads) <= done
    }:
        done |= ready
    assert done == set(reads)


def test_every_event_is_accepted_and_none_is_later_than_the_end(nights):
    for event in nights:
        parse_event(event, NamingRules(), now=parse_time(END.isoformat()))
    assert max(event["eventTime"] for event in nights) < "2025-11-20T11:30"


def test_a_seed_and_a_time_determine_the_company(nights):
    assert list(history_of(build_estate(), end=END, days=3)) == nights
    others = history_of(build_estate(), end=END, days=3, seed=2)
    assert {event["run"]["runId"] for event in others} & {event["run"]["runId"] for event in nights} == set()


def test_an_hour_later_it_is_the_same_company(nights):
    later = history_of(build_estate(), end=END + timedelta(hours=1), days=3)
    assert Counter(map(ending, later)) == Counter(map(ending, nights))


def ending(event):
    return event["job"]["name"], event["eventType"]


def test_what_goes_wrong_goes_wrong_in_every_history(nights):
    payments = [event for event in nights if event["job"]["name"] == "spark.silver_payments"]
    assert [event["eventType"] for event in payments] == ["START", "COMPLETE", "START", "FAIL", "START", "FAIL"]
    assert "CANNOT_UP_CAST_DATATYPE" in payments[-1]["run"]["facets"]["errorMessage"]["message"]
    assert runs_of(nights, "refresh 107:stock")[-1] == "START"
    assert runs_of(nights, "nordwind.marts.refunds_by_country")[-1] == "ABORT"
    assert runs_of(nights, "spark.stream_clicks") == ["START", "RUNNING", "RUNNING", "RUNNING"]
    assert "DROP" in json.dumps(nights)


def test_schemas_change_within_the_history(nights):
    amounts = {
        field["type"]
        for event in nights
        for output in event["outputs"]
        if output["name"] == "silver/shop/orders"
        for field in output["facets"]["schema"]["fields"]
        if field["name"] == "amount"
    }
    assert amounts == {"int", "decimal(12,2)"}


def test_records_are_trees_of_their_files(nights):
    steps = list(records_of(END))
    nodes = {step.node_id for step in steps}
    assert len(nodes) == len(steps) == 1_128
    assert all(step.parent_id in nodes | {step.root_id} for step in steps)
    reported = [event["run"]["facets"].get("headwater_records", {}).get("rootIds") for event in nights]
    assert [roots for roots in reported if roots] == [roots_of(END)]


def test_a_job_reads_the_partition_that_was_written_the_night_before(nights):
    def days(name, side):
        return [
            partition["dimensions"]["date"]
            for event in nights
            if event["job"]["name"] == name and event["eventType"] == "COMPLETE"
            for dataset in event[f"{side}s"]
            if dataset["name"] == "nordwind.gold.fct_orders"
            for partition in dataset[f"{side}Facets"]["subset"][f"{side}Condition"]["partitions"]
        ]

    assert days("nordwind.gold.fct_orders", "output") == ["2025-11-17", "2025-11-18", "2025-11-19"]
    assert days("売上_日次集計", "input") == ["2025-11-16", "2025-11-17", "2025-11-18"]
