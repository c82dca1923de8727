"""The requests that the client makes of records."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from uuid import UUID

from headwater_model.ids import derive_node_id
from spark_client import (
    DeliveryCounts,
    LineageClient,
    Record,
    RecordedNode,
    RecordResult,
    RecordsResult,
    Step,
)
from tests.unit.spark_client.a_client import CHECKED, NOW, RAW, ROOT, a_client
from tests.unit.spark_client.lineage_service import (
    TTL_S,
    Service,
    Watch,
    hanging_up,
)


def test_importing_the_client_loads_nothing_heavy() -> None:
    heavy = ("boto3", "botocore", "pydantic", "pyspark", "aws_cdk", "moto", "orjson")
    program = f"import sys, spark_client; print([name for name in {heavy!r} if name in sys.modules])"

    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert loaded.stdout.strip() == "[]"


def test_a_record_travels_as_a_single_request_with_its_id_and_time(service: Service, watch: Watch) -> None:
    with a_client(service, watch) as lineage:
        result = lineage.record(ROOT, ROOT, "READ", RAW, request_id="r-1", run_id="run-7")

    node_id = derive_node_id(ROOT, ROOT, "READ", "r-1", 0)
    assert [call.path for call in service.calls] == ["/api/v1/records"]
    assert service.requests == [
        {
            "root_id": ROOT,
            "parent_id": ROOT,
            "action_taken": "READ",
            "request_id": "r-1",
            "requested_at": NOW,
            "run_id": "run-7",
            "record": {"node_id": node_id, "storage_location": RAW},
        }
    ]
    assert result == RecordResult(ROOT, "READ", NOW, NOW + TTL_S, node_id, RAW, delivered=True)
    assert (lineage.sent, lineage.failed) == (1, 0)


def test_a_given_node_id_is_kept(service: Service, watch: Watch) -> None:
    result = a_client(service, watch).record(ROOT, ROOT, "READ", RAW, node_id="raw")

    assert result.node_id == "raw"
    assert service.requests[0]["record"] == {"node_id": "raw", "storage_location": RAW}


def test_every_request_has_an_id_of_its_own(service: Service, watch: Watch) -> None:
    lineage = a_client(service, watch)

    lineage.record(ROOT, ROOT, "READ", RAW)
    lineage.record(ROOT, ROOT, "READ", RAW)

    assert len({request["request_id"] for request in service.requests}) == 2


def test_many_records_travel_as_one_batch(service: Service, watch: Watch) -> None:
    rows = (Record(f"{CHECKED}#{row}", f"row-{row}") for row in range(3))

    result = a_client(service, watch).record_many(ROOT, "raw", "CHECKED", rows, request_id="r-2")

    records = tuple(RecordedNode(f"{CHECKED}#{row}", f"row-{row}") for row in range(3))
    assert service.requests == [
        {
            "root_id": ROOT,
            "parent_id": "raw",
            "action_taken": "CHECKED",
            "request_id": "r-2",
            "requested_at": NOW,
            "records": [record._asdict() for record in records],
        }
    ]
    assert result == RecordsResult(ROOT, "CHECKED", NOW, NOW + TTL_S, records, delivered=True)


def test_a_common_storage_location_is_that_of_every_record(service: Service, watch: Watch) -> None:
    result = a_client(service, watch).record_many(
        ROOT, "raw", "CHECKED", [Record(node_id="a"), Record("s3://elsewhere", "b")], storage_location=CHECKED
    )

    assert result.records == (RecordedNode(CHECKED, "a"), RecordedNode(CHECKED, "b"))
    assert service.requests[0]["records"] == [record._asdict() for record in result.records]


def test_a_batch_of_one_is_still_a_batch(service: Service, watch: Watch) -> None:
    a_client(service, watch).record_many(ROOT, "raw", "CHECKED", [Record(CHECKED, "a")])

    assert service.requests[0]["records"] == [{"node_id": "a", "storage_location": CHECKED}]


def test_no_records_make_no_request(service: Service, watch: Watch) -> None:
    result = a_client(service, watch).record_many(ROOT, "raw", "CHECKED", [])

    assert result == RecordsResult(ROOT, "CHECKED", NOW, None, (), delivered=True)
    assert service.requests == []


def test_more_than_ten_thousand_records_take_several_requests(service: Service, watch: Watch) -> None:
    rows = (Record(CHECKED, f"row-{row}") for row in range(25_000))

    result = a_client(service, watch).record_many(ROOT, "raw", "CHECKED", rows, request_id="r-3")

    assert [(request["request_id"], len(request["records"])) for request in service.requests] == [
        ("r-3", 10_000),
        ("r-3/1", 10_000),
        ("r-3/2", 5_000),
    ]
    assert [record.node_id for record in result.records] == [f"row-{row}" for row in range(25_000)]


def test_a_request_stays_below_four_megabytes_whatever_the_records_weigh(watch: Watch, tmp_path: Path) -> None:
    heavy = [Record("s3://höhe/" + "\0" * 1_000, f"row-{row}") for row in range(2_000)]
    file = tmp_path / "lineage.jsonl"

    LineageClient(file=file, clock=watch.clock).record_many(ROOT, "raw", "CHECKED", heavy)

    lines = file.read_bytes().splitlines()
    assert [len(line) < 4_000_000 for line in lines] == [True] * len(lines)
    assert len(lines) > 1
    sent = [record for line in lines for record in json.loads(line)["records"]]
    assert sent == [record._asdict() for record in heavy]


def test_the_same_records_sent_again_get_the_same_node_ids(service: Service, watch: Watch) -> None:
    rows = [Record(CHECKED)] * 10_001
    first = a_client(service, watch).record_many(ROOT, "raw", "CHECKED", rows, request_id="task-1")
    again = a_client(service, watch).record_many(ROOT, "raw", "CHECKED", rows, request_id="task-1")

    assert again == first
    assert len({record.node_id for record in first.records}) == 10_001


def test_a_stream_of_steps_shares_requests_between_neighbours_of_one_parent(service: Service, watch: Watch) -> None:
    steps = [
        Step(ROOT, "raw", "CHECKED", CHECKED, "a"),
        Step(ROOT, "raw", "CHECKED", CHECKED, "b"),
        Step(ROOT, "a", "ESTIMATED", "s3://co2", "a-co2"),
        Step(ROOT, "b", "ESTIMATED", "s3://co2", "b-co2"),
    ]

    counts = a_client(service, watch).record_all(iter(steps), request_id="task-1")

    travelled = sorted(
        (request["request_id"], request["parent_id"], [record["node_id"] for record in request["records"]])
        for request in service.requests
    )
    assert travelled == [
        ("task-1#0", "raw", ["a", "b"]),
        ("task-1#1", "a", ["a-co2"]),
        ("task-1#2", "b", ["b-co2"]),
    ]
    assert counts == DeliveryCounts(sent=4, failed=0)


def test_a_stream_of_steps_goes_out_on_a_few_connections(service: Service, watch: Watch) -> None:
    steps = (Step(ROOT, f"row-{row}", "ESTIMATED", "s3://co2", f"co2-{row}") for row in range(300))

    counts = a_client(service, watch).record_all(steps, threads=4)

    assert counts == DeliveryCounts(sent=300, failed=0)
    assert {request["parent_id"] for request in service.requests} == {f"row-{row}" for row in range(300)}
    assert service.connections <= 4


def test_a_connection_that_the_service_closed_meanwhile_is_opened_anew(service: Service, watch: Watch) -> None:
    lineage = a_client(service, watch)
    lineage.record(ROOT, ROOT, "READ", RAW)
    service.faults = [hanging_up]

    result = lineage.record(ROOT, "raw", "CHECKED", CHECKED)

    assert result.delivered
    assert watch.pauses == []
    assert service.connections == 2


def test_large_bodies_are_compressed(service: Service, watch: Watch) -> None:
    rows = [Record(CHECKED, f"row-{row}") for row in range(1_000)]

    a_client(service, watch).record_many(ROOT, "raw", "CHECKED", rows)

    (call,) = service.calls
    assert call.headers["Content-Encoding"] == "gzip"
    assert call.size_bytes < 20_000
    assert len(call.request["records"]) == 1_000


def test_paths_and_uuids_travel_as_their_text(service: Service, watch: Watch) -> None:
    node_id = UUID("357d959f-5302-5c2a-933c-78f3e3edde97")

    a_client(service, watch).record(ROOT, ROOT, "READ", Path("/landing/1.csv"), node_id=node_id)  # type: ignore[arg-type]

    assert service.requests[0]["record"] == {"node_id": str(node_id), "storage_location": "/landing/1.csv"}
