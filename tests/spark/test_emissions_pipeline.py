from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pyspark.sql import SparkSession

from examples.emissions.landing import land_flights
from examples.emissions.pipeline import JOB, NAMESPACE, Counts, run
from spark_client import LineageClient, capture
from spark_client.transport.retry import Clock

NOW = 1_357_016_400
ROOT = "flights-2013-01-01"
# Lines as in the data set: a good flight; a flight by an unregistered plane to an unlisted airport; a cancelled flight;
# a flight without arrival; a diverted flight.
LINES = """\
year,month,day,dep_time,sched_dep_time,dep_delay,arr_time,sched_arr_time,arr_delay,carrier,flight,tailnum,origin,dest,air_time,distance,hour,minute,time_hour
2013,1,1,517,515,2,830,819,11,UA,1545,N14228,EWR,IAH,227,1400,5,15,2013-01-01T10:00:00Z
2013,1,1,544,545,-1,1004,1022,-18,B6,725,N000XX,JFK,BQN,183,1576,5,45,2013-01-01T10:00:00Z
2013,1,1,NA,1630,NA,NA,1815,NA,EV,4308,N18120,EWR,RDU,NA,416,16,30,2013-01-01T21:00:00Z
2013,1,1,2016,1930,46,NA,2220,NA,EV,4204,N14168,EWR,OKC,NA,1325,19,30,2013-01-02T00:00:00Z
2013,1,1,1525,1530,-5,1934,1805,NA,MQ,4525,N719MQ,LGA,XNA,NA,1147,15,30,2013-01-01T20:00:00Z
"""


class Ran(NamedTuple):
    """A run of the pipeline: its folder, its counts, and its sent requests and events."""

    folder: Path
    counts: Counts
    requests: list[dict[str, Any]]
    events: list[dict[str, Any]]

    @property
    def records_of_run(self) -> list[tuple[str, ...]]:
        """Each record: root, parent, action, node, and the end of its storage location."""
        return sorted(
            (*(record[name] for name in ("root_id", "parent_id", "action_taken", "node_id")), self._place(record))
            for request in self.requests
            for record in records_of(request)
        )

    def _place(self, record: dict[str, Any]) -> str:
        return str(record["storage_location"]).removeprefix(f"{self.folder}/")

    def completed(self, job: str) -> dict[str, Any]:
        """Find the COMPLETE event of a job."""
        (event,) = (event for event in self.events if event["eventType"] == "COMPLETE" and event["job"]["name"] == job)
        return event


def records_of(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the records of a request, each with the request's shared fields."""
    shared = {name: request[name] for name in ("root_id", "parent_id", "action_taken") if name in request}
    for record in request.get("records", [request.get("record")]):
        yield {**shared, **record}


def a_run(spark: SparkSession, folder: Path) -> Ran:
    """Run the pipeline over the landed files of a folder."""
    file = folder / "lineage.jsonl"
    lineage = LineageClient(file=file, strict=True, clock=Clock(now=lambda: NOW))
    captured = capture(spark, client=lineage, namespace=NAMESPACE, name=JOB, strict=True)
    try:
        counts = run(spark, folder / "landing", folder, lineage, report=lambda step: None)
    finally:
        captured.close()
    assert lineage.failed == 0
    sent = [json.loads(line) for line in file.read_text().splitlines()]
    file.unlink()
    return Ran(
        folder,
        counts,
        [body for body in sent if "eventTime" not in body],
        [body for body in sent if "eventTime" in body],
    )


@pytest.fixture(scope="module")
def ran(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """Of the five lines."""
    folder = tmp_path_factory.mktemp("flights") / "demo"
    (folder / "landing").mkdir(parents=True)
    (folder / "landing" / f"{ROOT}.csv").write_text(LINES)
    return a_run(spark, folder)


def test_every_file_and_row_reports_where_it_came_from(ran: Ran) -> None:
    assert ran.records_of_run == sorted(
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
    assert ran.counts == Counts({"READ": 1, "CHECK": 2, "CHECKED": 2, "REJECTED": 3, "ESTIMATED": 2})
    assert ran.counts.records == 10


def test_what_the_lineage_points_to_is_there(ran: Ran) -> None:
    places = {place for *_, place in ran.records_of_run}
    assert [place for place in sorted(places) if not (ran.folder / place).exists()] == []


def test_a_rejected_flight_says_why(spark: SparkSession, ran: Ran) -> None:
    rejected = spark.read.parquet(str(ran.folder / "rejected")).select("flight_id", "reason").collect()
    assert dict(tuple(row) for row in rejected) == {
        "EV4308-EWR-2013-01-01T1630": "cancelled",
        "EV4204-EWR-2013-01-01T1930": "never arrived",
        "MQ4525-LGA-2013-01-01T1530": "diverted: no air time",
    }


def test_an_unknown_plane_burns_as_an_average_airliner(spark: SparkSession, ran: Ran) -> None:
    estimated = spark.read.parquet(str(ran.folder / "estimated"))
    columns = ("flight", "seats", "plane_known", "destination", "fuel_kg", "co2_kg")
    # 149 and 156 seats x 1,400 and 1,576 miles x 1.609344 km x 22.8 g of fuel; 3.16 kg of CO2 for a kg of fuel.
    assert sorted(tuple(row) for row in estimated.select(*columns).collect()) == [
        (725, 156, False, None, 9024.2, 28516.5),
        (1545, 149, True, "George Bush Intercontinental", 7656.7, 24195.2),
    ]
    totals = spark.read.parquet(str(ran.folder / "totals")).select("carrier", "flights", "co2_kg")
    assert sorted(tuple(row) for row in totals.collect()) == [("B6", 1, 28516.5), ("UA", 1, 24195.2)]


@pytest.mark.slow
def test_a_real_day_makes_one_tree_of_distinct_nodes_and_the_same_ones_again(
    spark: SparkSession, tmp_path: Path
) -> None:
    land_flights(tmp_path / "landing", days=1)

    first, again = a_run(spark, tmp_path), a_run(spark, tmp_path)

    nodes = {node for _, _, _, node, _ in first.records_of_run}
    assert first.counts == Counts({"READ": 1, "CHECK": 2, "CHECKED": 831, "REJECTED": 11, "ESTIMATED": 831})
    assert len(nodes) == len(first.records_of_run) == first.counts.records
    assert {parent for _, parent, _, _, _ in first.records_of_run} - nodes == {ROOT}
    assert again.records_of_run == first.records_of_run


def names_of(datasets: list[dict[str, Any]]) -> list[str]:
    """List the last parts of the names of datasets."""
    assert {dataset["namespace"] for dataset in datasets} <= {"file"}
    return sorted(Path(dataset["name"]).name for dataset in datasets)


def test_every_write_is_a_run_of_a_job_and_reports_what_it_read_and_wrote(ran: Ran) -> None:
    reports = [
        (event["job"]["name"], event["eventType"], names_of(event["inputs"]), names_of(event["outputs"]))
        for event in ran.events
    ]
    references = ["airports.csv", "checked", "factors.json", "planes.csv"]
    writes = {
        "emissions.demo_checked": (["landing"], ["checked"]),
        "emissions.demo_rejected": (["landing"], ["rejected"]),
        "emissions.demo_estimated": (references, ["estimated"]),
        "emissions.demo_totals": (["estimated"], ["totals"]),
    }
    assert sorted(reports) == sorted(
        [
            ("emissions", "START", [], []),
            ("emissions", "OTHER", ["planes.csv"], ["factors.json"]),  # recorded by hand
            ("emissions", "COMPLETE", [], []),
            *((job, "START", [], []) for job in writes),
            *((job, "COMPLETE", *read_and_written) for job, read_and_written in writes.items()),
        ]
    )
    assert {event["job"]["namespace"] for event in ran.events} == {"emissions"}


def test_the_writes_are_children_of_the_application_and_the_records_are_of_its_run(ran: Ran) -> None:
    runs = {event["job"]["name"]: event["run"]["runId"] for event in ran.events}
    parents = {event["job"]["name"]: event["run"]["facets"].get("parent", {}) for event in ran.events}
    assert len({event["run"]["runId"] for event in ran.events}) == len(runs) == 5
    assert {job: parent["run"]["runId"] for job, parent in parents.items() if parent} == {
        job: runs["emissions"] for job in runs if job != "emissions"
    }
    assert {request["run_id"] for request in ran.requests} == {runs["emissions"]}
    assert ran.completed("emissions")["run"]["facets"]["headwater_records"]["rootIds"] == [ROOT]


def columns_of(event: dict[str, Any]) -> tuple[dict[str, set[tuple[str, str]]], set[tuple[str, str]]]:
    """Find the sources of each output column with their transformations, and the sources of the whole output."""
    (output,) = event["outputs"]
    facet = output["facets"]["columnLineage"]
    columns = {name: sources_of(field["inputFields"]) for name, field in facet["fields"].items()}
    return columns, sources_of(facet["dataset"])


def sources_of(inputs: list[dict[str, Any]]) -> set[tuple[str, str]]:
    return {
        (f"{Path(input_field['name']).name}.{input_field['field']}", how["subtype"])
        for input_field in inputs
        for how in input_field["transformations"]
    }


def test_the_check_reports_the_sources_of_each_column_and_what_decides_which_rows_pass(
    spark: SparkSession, ran: Ran
) -> None:
    fields, rows = columns_of(ran.completed("emissions.demo_rejected"))

    assert sorted(fields) == sorted(spark.read.parquet(str(ran.folder / "rejected")).columns)
    assert fields["distance"] == {("landing.distance", "IDENTITY")}
    assert fields["day"] == {(f"landing.{name}", "TRANSFORMATION") for name in ("year", "month", "day")}
    assert fields["reason"] == {(f"landing.{name}", "CONDITIONAL") for name in ("dep_time", "arr_time", "air_time")}
    assert rows == {(f"landing.{name}", "FILTER") for name in ("dep_time", "arr_time", "air_time")}


def test_the_estimate_reports_what_its_co2_is_made_of(ran: Ran) -> None:
    fields, rows = columns_of(ran.completed("emissions.demo_estimated"))

    assert fields["co2_kg"] == {
        ("checked.distance", "TRANSFORMATION"),
        ("planes.csv.seats", "TRANSFORMATION"),
        ("planes.csv.seats", "CONDITIONAL"),  # the first present of two sources of seats
        ("factors.json.average_seats", "TRANSFORMATION"),
    }
    assert rows == {
        ("checked.tailnum", "JOIN"),
        ("planes.csv.tailnum", "JOIN"),
        ("planes.csv.seats", "FILTER"),
        ("checked.dest", "JOIN"),
        ("airports.csv.faa", "JOIN"),
    }


def test_the_totals_report_what_they_add_up_and_by_what(ran: Ran) -> None:
    assert columns_of(ran.completed("emissions.demo_totals")) == (
        {
            "carrier": {("estimated.carrier", "IDENTITY")},
            "day": {("estimated.day", "IDENTITY")},
            "flights": {("estimated.flight_id", "AGGREGATION")},
            "co2_kg": {("estimated.co2_kg", "AGGREGATION")},
        },
        {("estimated.carrier", "GROUP_BY"), ("estimated.day", "GROUP_BY")},
    )


def test_what_no_plan_shows_is_recorded_by_hand(ran: Ran) -> None:
    (event,) = (event for event in ran.events if event["eventType"] == "OTHER")

    read, average, written = event["run"]["facets"]["headwater_operations"]["operations"]
    assert (read["type"], average["name"], written["type"]) == ("READ", "average", "WRITE")
    assert json.loads((ran.folder / "factors.json").read_text()) == {"average_seats": 156}
