from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from examples.emissions.landing import land_flights
from examples.emissions.pipeline import Counts, run
from lineage.fields.operation_forms import parse_operations
from lineage.fields.operation_set import OperationSet
from spark_client import LineageClient
from spark_client.retry import Timing

NOW = 1_357_016_400
ROOT = "flights-2013-01-01"
# Lines as the data set has them: a good flight, one by a plane that nobody registered to an airport that nobody listed,
# a cancelled one, one that never arrived, and one that landed elsewhere.
LINES = """\
year,month,day,dep_time,sched_dep_time,dep_delay,arr_time,sched_arr_time,arr_delay,carrier,flight,tailnum,origin,dest,air_time,distance,hour,minute,time_hour
2013,1,1,517,515,2,830,819,11,UA,1545,N14228,EWR,IAH,227,1400,5,15,2013-01-01T10:00:00Z
2013,1,1,544,545,-1,1004,1022,-18,B6,725,N000XX,JFK,BQN,183,1576,5,45,2013-01-01T10:00:00Z
2013,1,1,NA,1630,NA,NA,1815,NA,EV,4308,N18120,EWR,RDU,NA,416,16,30,2013-01-01T21:00:00Z
2013,1,1,2016,1930,46,NA,2220,NA,EV,4204,N14168,EWR,OKC,NA,1325,19,30,2013-01-02T00:00:00Z
2013,1,1,1525,1530,-5,1934,1805,NA,MQ,4525,N719MQ,LGA,XNA,NA,1147,15,30,2013-01-01T20:00:00Z
"""


def a_landed_day(folder: Path) -> str:
    folder.mkdir(parents=True)
    file = folder / f"{ROOT}.csv"
    file.write_text(LINES)
    return str(file)


def sent_in(file: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What a client wrote into a file: requests, and events."""
    sent = [json.loads(line) for line in file.read_text().splitlines()]
    return [one for one in sent if "root_id" in one], [one for one in sent if "eventTime" in one]


def told_of(file: Path) -> Iterator[tuple[str, str, str, str, str]]:
    """Each record of a file of requests: root, parent, action, node, and the end of its storage location."""
    for request in sent_in(file)[0]:
        for record in request.get("records", [request.get("record")]):
            place = record["storage_location"].removeprefix(f"{file.parent}/")
            yield request["root_id"], request["parent_id"], request["action_taken"], record["node_id"], place


@pytest.fixture
def lineage(tmp_path: Path) -> LineageClient:
    return LineageClient(file=tmp_path / "lineage.jsonl", strict=True, timing=Timing(now=lambda: NOW))


def a_run(spark: SparkSession, files: list[str], output: Path, lineage: LineageClient) -> Counts:
    return run(spark, files, str(output), lineage, told=lambda step: None)


def test_every_file_and_row_tells_where_it_came_from(
    spark: SparkSession, tmp_path: Path, lineage: LineageClient
) -> None:
    counts = a_run(spark, [a_landed_day(tmp_path / "landing")], tmp_path, lineage)

    assert sorted(told_of(tmp_path / "lineage.jsonl")) == sorted(
        (ROOT, *step)
        for step in [
            (ROOT, "READ", f"{ROOT}.csv", f"landing/{ROOT}.csv"),
            (f"{ROOT}.csv", "CHECK", "checked-2013-01-01", "checked/day=2013-01-01"),
            ("checked-2013-01-01", "CHECKED", "UA1545-EWR-2013-01-01T0515", "checked/day=2013-01-01"),
            ("checked-2013-01-01", "CHECKED", "B6725-JFK-2013-01-01T0545", "checked/day=2013-01-01"),
            (f"{ROOT}.csv", "CHECK", "rejected-2013-01-01", "rejected/day=2013-01-01"),
            ("rejected-2013-01-01", "REJECTED", "EV4308-EWR-2013-01-01T1630", "rejected/day=2013-01-01"),
            ("rejected-2013-01-01", "REJECTED", "EV4204-EWR-2013-01-01T1930", "rejected/day=2013-01-01"),
            ("rejected-2013-01-01", "REJECTED", "MQ4525-LGA-2013-01-01T1530", "rejected/day=2013-01-01"),
            (
                "UA1545-EWR-2013-01-01T0515",
                "ESTIMATED",
                "UA1545-EWR-2013-01-01T0515-co2",
                "estimated/carrier=UA/day=2013-01-01",
            ),
            (
                "B6725-JFK-2013-01-01T0545",
                "ESTIMATED",
                "B6725-JFK-2013-01-01T0545-co2",
                "estimated/carrier=B6/day=2013-01-01",
            ),
        ]
    )
    assert counts == Counts({"READ": 1, "CHECK": 2, "CHECKED": 2, "REJECTED": 3, "ESTIMATED": 2})
    assert counts.records == 10
    assert (lineage.sent, lineage.failed) == (10 + 9, 0)  # nine events


def test_what_the_lineage_points_to_is_there(spark: SparkSession, tmp_path: Path, lineage: LineageClient) -> None:
    a_run(spark, [a_landed_day(tmp_path / "landing")], tmp_path, lineage)

    places = {place for *_, place in told_of(tmp_path / "lineage.jsonl")}
    assert [place for place in sorted(places) if not (tmp_path / place).exists()] == []


def test_a_rejected_flight_says_why(spark: SparkSession, tmp_path: Path, lineage: LineageClient) -> None:
    a_run(spark, [a_landed_day(tmp_path / "landing")], tmp_path, lineage)

    rejected = spark.read.parquet(str(tmp_path / "rejected")).select("flight_id", "reason").collect()
    assert dict(tuple(row) for row in rejected) == {
        "EV4308-EWR-2013-01-01T1630": "cancelled",
        "EV4204-EWR-2013-01-01T1930": "never arrived",
        "MQ4525-LGA-2013-01-01T1530": "diverted: no air time",
    }


def test_an_unknown_plane_burns_as_an_average_airliner(
    spark: SparkSession, tmp_path: Path, lineage: LineageClient
) -> None:
    a_run(spark, [a_landed_day(tmp_path / "landing")], tmp_path, lineage)

    estimated = spark.read.parquet(str(tmp_path / "estimated"))
    columns = ("flight", "seats", "plane_known", "destination", "fuel_kg", "co2_kg")
    # 149 and 156 seats x 1,400 and 1,576 miles x 1.609344 km x 22.8 g of fuel; 3.16 kg of CO2 for a kg of fuel.
    assert sorted(tuple(row) for row in estimated.select(*columns).collect()) == [
        (725, 156, False, None, 9024.2, 28516.5),
        (1545, 149, True, "George Bush Intercontinental", 7656.7, 24195.2),
    ]


def test_a_real_day_makes_one_tree_of_distinct_nodes(
    spark: SparkSession, tmp_path: Path, lineage: LineageClient
) -> None:
    (file,) = land_flights(tmp_path / "landing", days=1)

    counts = a_run(spark, [str(file)], tmp_path, lineage)

    told = list(told_of(tmp_path / "lineage.jsonl"))
    nodes = {node for _, _, _, node, _ in told}
    assert counts == Counts({"READ": 1, "CHECK": 2, "CHECKED": 831, "REJECTED": 11, "ESTIMATED": 831})
    assert len(nodes) == len(told) == counts.records
    assert {parent for _, parent, _, _, _ in told} - nodes == {ROOT}


def test_the_same_day_again_tells_the_same_nodes(spark: SparkSession, tmp_path: Path) -> None:
    file = a_landed_day(tmp_path / "landing")
    told = []
    for number in (1, 2):
        client = LineageClient(file=tmp_path / f"{number}.jsonl", strict=True, timing=Timing(now=lambda: NOW))
        a_run(spark, [file], tmp_path, client)
        told.append(sorted(told_of(tmp_path / f"{number}.jsonl")))

    assert told[0] == told[1]


def names_of(datasets: list[dict[str, Any]], folder: Path) -> list[str]:
    """Names of datasets, those below the folder by what follows it, others by their last part."""
    assert {one["namespace"] for one in datasets} <= {"file"}
    names = [one["name"] for one in datasets]
    return [name.removeprefix(f"{folder}/") if name.startswith(f"{folder}/") else Path(name).name for name in names]


def test_every_job_tells_when_it_ran_and_what_it_read_and_wrote(
    spark: SparkSession, tmp_path: Path, lineage: LineageClient
) -> None:
    a_run(spark, [a_landed_day(tmp_path / "landing")], tmp_path, lineage)

    _, events = sent_in(tmp_path / "lineage.jsonl")
    of_check = (["landing"], ["checked", "rejected"])
    of_estimate = (["airports.csv", "checked", "planes.csv"], ["estimated"])
    of_total = (["estimated"], ["totals"])
    assert [
        (
            event["job"]["name"],
            event["eventType"],
            sorted(names_of(event["inputs"], tmp_path)),
            sorted(names_of(event["outputs"], tmp_path)),
        )
        for event in events
    ] == [
        ("emissions", "START", [], []),
        ("emissions.check", "START", *of_check),
        ("emissions.check", "COMPLETE", *of_check),
        ("emissions.estimate", "START", *of_estimate),
        ("emissions.estimate", "OTHER", *of_estimate),  # what it recorded
        ("emissions.estimate", "COMPLETE", *of_estimate),
        ("emissions.total", "START", *of_total),
        ("emissions.total", "COMPLETE", *of_total),
        ("emissions", "COMPLETE", [], []),
    ]
    assert {event["job"]["namespace"] for event in events} == {"emissions"}


def test_the_jobs_are_children_of_the_pipeline_and_the_records_belong_to_their_runs(
    spark: SparkSession, tmp_path: Path, lineage: LineageClient
) -> None:
    a_run(spark, [a_landed_day(tmp_path / "landing")], tmp_path, lineage)

    requests, events = sent_in(tmp_path / "lineage.jsonl")
    runs = {event["job"]["name"]: event["run"]["runId"] for event in events}
    parents = {event["job"]["name"]: event["run"]["facets"].get("parent", {}) for event in events}
    roots = {event["job"]["name"]: event["run"]["facets"].get("headwater_records", {}) for event in events}
    assert len({(event["job"]["name"], event["run"]["runId"]) for event in events}) == len(set(runs.values())) == 4
    assert parents["emissions"] == {}
    for job in ("emissions.check", "emissions.estimate", "emissions.total"):
        assert parents[job]["run"]["runId"] == runs["emissions"]
        assert (parents[job]["job"]["namespace"], parents[job]["job"]["name"]) == ("emissions", "emissions")
        assert roots[job]["rootIds"] == [ROOT]
    assert {(request["action_taken"], request["run_id"]) for request in requests} == {
        *((action, runs["emissions.check"]) for action in ("READ", "CHECK", "CHECKED", "REJECTED")),
        ("ESTIMATED", runs["emissions.estimate"]),
    }


def test_the_events_tell_the_columns_of_each_dataset(
    spark: SparkSession, tmp_path: Path, lineage: LineageClient
) -> None:
    a_run(spark, [a_landed_day(tmp_path / "landing")], tmp_path, lineage)

    _, events = sent_in(tmp_path / "lineage.jsonl")
    columns = {
        Path(one["name"]).name: [(field["name"], field["type"]) for field in one["facets"]["schema"]["fields"]]
        for event in reversed(events)  # what was told first stays: what is written, before it is read
        for one in (*event["inputs"], *event["outputs"])
        if "schema" in one.get("facets", {})
    }
    assert columns["landing"][:4] == [("year", "int"), ("month", "int"), ("day", "int"), ("dep_time", "int")]
    assert columns["rejected"] == [
        *columns["landing"][:2],
        ("day", "string"),
        *columns["landing"][3:],
        *columns["rejected"][-2:],
    ]
    assert columns["rejected"][-2:] == [("flight_id", "string"), ("reason", "string")]
    assert columns["estimated"][-3:] == [("plane_known", "boolean"), ("fuel_kg", "double"), ("co2_kg", "double")]


def columns_of(events: list[dict[str, Any]], name: str) -> tuple[dict[str, set[tuple[str, str]]], set[tuple[str, str]]]:
    """Of a dataset's columns the sources with the way of each, and those on which all of it depends."""
    (facet,) = (
        one["facets"]["columnLineage"]
        for event in events
        if event["eventType"] == "COMPLETE"
        for one in event["outputs"]
        if Path(one["name"]).name == name
    )
    fields = {column: sources_of(told["inputFields"]) for column, told in facet["fields"].items()}
    return fields, sources_of(facet["dataset"])


def sources_of(inputs: list[dict[str, Any]]) -> set[tuple[str, str]]:
    return {(f"{Path(one['name']).name}.{one['field']}", one["transformations"][0]["subtype"]) for one in inputs}


def test_the_check_tells_of_which_columns_it_makes_each_and_which_decide_what_passes(
    spark: SparkSession, tmp_path: Path, lineage: LineageClient
) -> None:
    a_run(spark, [a_landed_day(tmp_path / "landing")], tmp_path, lineage)

    _, events = sent_in(tmp_path / "lineage.jsonl")
    fields, rows = columns_of(events, "rejected")
    assert list(fields) == sorted(spark.read.parquet(str(tmp_path / "rejected")).columns)
    assert fields["distance"] == {("landing.distance", "IDENTITY")}
    assert fields["day"] == {(f"landing.{name}", "TRANSFORMATION") for name in ("year", "month", "day")}
    assert fields["reason"] == {(f"landing.{name}", "CONDITIONAL") for name in ("dep_time", "arr_time", "air_time")}
    assert rows == {(f"landing.{name}", "FILTER") for name in ("dep_time", "arr_time", "air_time")}
    assert "reason" not in columns_of(events, "checked")[0]


def test_the_totals_tell_what_they_add_up_and_by_what(
    spark: SparkSession, tmp_path: Path, lineage: LineageClient
) -> None:
    a_run(spark, [a_landed_day(tmp_path / "landing")], tmp_path, lineage)

    _, events = sent_in(tmp_path / "lineage.jsonl")
    assert columns_of(events, "totals") == (
        {
            "carrier": {("estimated.carrier", "IDENTITY")},
            "day": {("estimated.day", "IDENTITY")},
            "flights": {("estimated.flight_id", "AGGREGATION")},
            "co2_kg": {("estimated.co2_kg", "AGGREGATION")},
        },
        {("estimated.carrier", "GROUP_BY"), ("estimated.day", "GROUP_BY")},
    )
    totals = spark.read.parquet(str(tmp_path / "totals")).select("carrier", "flights", "co2_kg")
    assert sorted(tuple(row) for row in totals.collect()) == [("B6", 1, 28516.5), ("UA", 1, 24195.2)]


def test_the_estimate_records_by_which_operations_every_column_that_it_writes_is_made(
    spark: SparkSession, tmp_path: Path, lineage: LineageClient
) -> None:
    a_run(spark, [a_landed_day(tmp_path / "landing")], tmp_path, lineage)

    _, events = sent_in(tmp_path / "lineage.jsonl")
    (recorded,) = (
        event["run"]["facets"]["headwater_operations"]["operations"]
        for event in events
        if "headwater_operations" in event["run"]["facets"]
    )
    ((estimated, told),) = OperationSet(parse_operations(recorded)).columns().items()
    assert Path(estimated.name).name == "estimated"
    written = spark.read.parquet(str(tmp_path / "estimated")).columns
    assert sorted(told.fields) == sorted((name,) for name in written)
    assert {
        (f"{Path(source.dataset.name).name}.{'.'.join(source.field or ())}", one.description)
        for source, ways in told.fields["co2_kg",].items()
        for one in ways
    } == {
        ("checked.distance", "multiply, burn"),
        ("checked.tailnum", "find seats, multiply, burn"),
        ("planes.csv.tailnum", "key planes, find seats, multiply, burn"),
        ("planes.csv.seats", "average, find seats, multiply, burn"),
    }
