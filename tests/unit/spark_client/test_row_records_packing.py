from __future__ import annotations

import json
from itertools import count

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_client.rows.packing import MESSAGE_BYTES_MAX, Form, Packer, message_form, request_form


def a_line(node_id: str, **other: object) -> str:
    record = {"root_id": "flights", "parent_id": "landed", "action_taken": "CHECKED", "node_id": node_id, **other}
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False)


def lines_of(*node_ids: str) -> pa.Array:
    return pa.array([a_line(node_id) for node_id in node_ids], pa.string())


def bodies(form: Form, *batches: list[str]) -> list[list[str]]:
    """Return the node ids of each body that the batches are packed into, one after the other; rows are distinct."""
    packer, numbers = Packer(form), count()
    packs = []
    for batch in batches:
        lines = pa.array(
            [a_line(node_id, storage_location=f"s3://{next(numbers):05}") for node_id in batch], pa.string()
        )
        packs += packer.add(lines, pa.array(batch, pa.string()) if form.distinct else None)
    packs += packer.close()
    ids_of_packs = [[record["node_id"] for record in json.loads(pack.body)["records"]] for pack in packs]
    assert [pack.rows for pack in packs] == [len(ids) for ids in ids_of_packs]
    return ids_of_packs


def a_form(room_bytes: int = 10_000, *, distinct: bool = False) -> Form:
    return Form('{"records":[', room_bytes, distinct)


LINE_BYTES = len(a_line("n", storage_location="s3://00000")) + 1


@pytest.mark.parametrize(
    ("form", "batches", "expected"),
    [
        pytest.param(a_form(), [[]], [], id="nothing"),
        pytest.param(a_form(), [["a"], [], ["b"]], [["a", "b"]], id="a body spans batches"),
        pytest.param(a_form(2 * LINE_BYTES), [["a", "b", "c"]], [["a", "b"], ["c"]], id="a full body"),
        pytest.param(a_form(2 * LINE_BYTES), [["a"], ["b", "c"]], [["a", "b"], ["c"]], id="full in the next batch"),
        pytest.param(a_form(2 * LINE_BYTES), [["a", "b"], ["c", "d"]], [["a", "b"], ["c", "d"]], id="exactly full"),
        pytest.param(a_form(2 * LINE_BYTES - 1), [["a", "b"]], [["a"], ["b"]], id="one byte short"),
        pytest.param(a_form(1), [["a", "b"]], [["a"], ["b"]], id="one line is never too much"),
        pytest.param(a_form(distinct=True), [["a", "b", "a", "c"]], [["a", "b", "c"], ["a"]], id="a node twice"),
        pytest.param(a_form(distinct=True), [list("aabbcc")], [["a", "b", "c"]] * 2, id="neighbours in pairs"),
        pytest.param(
            a_form(LINE_BYTES, distinct=True), [["a", "a", "b"]], [["a"], ["b"], ["a"]], id="full, with pairs"
        ),
        pytest.param(a_form(distinct=True), [["a"], ["a"]], [["a"], ["a"]], id="a node twice, in two batches"),
        pytest.param(a_form(distinct=True), [["a"] * 3], [["a"]] * 3, id="a node again and again"),
        pytest.param(a_form(), [["a", "a"]], [["a", "a"]], id="messages may hold a node twice"),
    ],
)
def test_lines_are_packed_in_order_into_full_bodies(
    form: Form, batches: list[list[str]], expected: list[list[str]]
) -> None:
    assert bodies(form, *batches) == expected


def test_a_message_holds_whole_records_and_is_within_its_bound() -> None:
    node_ids = [f"é-{number}" for number in range(5_000)]
    packer = Packer(message_form())
    packs = [*packer.add(lines_of(*node_ids)), *packer.close()]

    assert [record["node_id"] for pack in packs for record in json.loads(pack.body)["records"]] == node_ids
    sizes = [len(pack.body.encode()) for pack in packs]
    assert MESSAGE_BYTES_MAX - 2 * LINE_BYTES < sizes[0] <= MESSAGE_BYTES_MAX


def test_a_request_names_its_time_and_run_once() -> None:
    packer = Packer(request_form({"requested_at": 1_763_640_000, "run_id": "r-1"}))
    lines = pa.array([a_line("a"), a_line("b", root_id="trains", parent_id="sold")])
    (pack,) = [*packer.add(lines, pa.array(["a", "b"])), *packer.close()]

    assert json.loads(pack.body) == {
        "requested_at": 1_763_640_000,
        "run_id": "r-1",
        "records": [json.loads(line) for line in lines.to_pylist()],
    }


def test_a_request_holds_at_most_as_many_records_as_the_service_takes() -> None:
    node_ids = [str(number) for number in range(10_001)]

    assert [len(ids) for ids in bodies(request_form({"requested_at": 0}), node_ids)] == [10_000, 1]


def test_rows_in_pairs_need_no_more_requests_than_their_bytes_and_records() -> None:
    node_ids = [str(number // 2) for number in range(10_000)]

    assert [len(ids) for ids in bodies(request_form({"requested_at": 0}), node_ids)] == [5_000, 5_000]


def test_a_row_that_is_there_again_is_the_same_record_of_a_request() -> None:
    packer = Packer(request_form({"requested_at": 0}))
    lines = pa.array([a_line("a"), a_line("a"), a_line("b"), a_line("a", x=1), a_line("a")])
    packs = [*packer.add(lines, pa.array(["a", "a", "b", "a", "a"])), *packer.close()]

    assert [(pack.rows, json.loads(pack.body)["records"]) for pack in packs] == [
        (4, [json.loads(a_line("a")), json.loads(a_line("b"))]),
        (1, [json.loads(a_line("a", x=1))]),
    ]


@given(st.lists(st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 11))), max_size=5), st.integers(1, 1_000))
def test_whatever_repeats_each_record_is_sent_once_and_no_node_twice_in_a_request(
    batches: list[list[tuple[str, int]]], room_bytes: int
) -> None:
    packer = Packer(a_form(room_bytes, distinct=True))
    packs = []
    for batch in batches:
        lines = pa.array([a_line(node, x=number) for node, number in batch], pa.string())
        packs += packer.add(lines, pa.array([node for node, _ in batch], pa.string()))
    packs += packer.close()

    rows = [row for batch in batches for row in batch]
    sent = [[(record["node_id"], record["x"]) for record in json.loads(pack.body)["records"]] for pack in packs]
    assert {row for body in sent for row in body} == set(rows)
    assert sum(pack.rows for pack in packs) == len(rows)
    assert all(len({node for node, _ in body}) == len(body) for body in sent)
    sizes = [
        (len(pack.body) - len('{"records":[') - len("]}") + 1, len(body))
        for pack, body in zip(packs, sent, strict=True)
    ]
    assert all(size <= room_bytes or records == 1 for size, records in sizes)


def test_what_sqs_refuses_in_a_body_is_escaped_before_its_size_counts() -> None:
    packer = Packer(message_form())
    (pack,) = [*packer.add(pa.array([a_line("a\ufffe\uffff\U0001f600é")])), *packer.close()]

    assert "a\\ufffe\\uffff\U0001f600é" in pack.body
    assert json.loads(pack.body)["records"][0]["node_id"] == "a\ufffe\uffff\U0001f600é"


def test_slices_of_arrow_arrays_are_packed_as_what_they_show() -> None:
    packer = Packer(message_form())
    (pack,) = [*packer.add(lines_of("a", "b", "c").slice(1, 1)), *packer.close()]

    assert [record["node_id"] for record in json.loads(pack.body)["records"]] == ["b"]
