"""A day's traces become the archive's tables: in a folder, as in a bucket."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from headwater.records.digest import VERSION, key_of
from headwater.records.record import LineageRecord
from headwater_model.archive_tables import (
    RECORDS,
    TABLES,
    TRACES,
    Manifest,
    TableFiles,
    attempt_prefix,
    manifest_key,
    parse_manifest,
)
from jobs.compact_archive import compact, main
from jobs.day_tables import write_table
from jobs.sealed_day import DigestMismatch
from jobs.storage import Storage
from tests.spark.archive_folder import DAY, NEXT_DAY, THIRD_DAY, ArchiveFolder, rows_of

_ROOT = "s3://landing/emissions.csv"


@pytest.fixture
def archive(tmp_path: Path) -> ArchiveFolder:
    return ArchiveFolder(tmp_path / "archive")


def a_record(node_id: str, parent_id: str = _ROOT, *, root_id: str = _ROOT, **others: Any) -> LineageRecord:
    form = {"action_taken": "CALCULATE", "storage_location": f"s3://calculated/{node_id}", "recorded_at": 1_763_640_000}
    return LineageRecord(root_id=root_id, node_id=node_id, parent_id=parent_id, **{**form, **others})


def compacted(spark: SparkSession, archive: ArchiveFolder, day: str = DAY, attempt: str = "a-1") -> Manifest:
    archive.seal(day)
    return compact(spark, str(archive.folder), day, attempt)


def table(spark: SparkSession, archive: ArchiveFolder, name: str, day: str = DAY, attempt: str = "a-1") -> Any:
    """Return the rows of an attempt, file by file, each as it is ordered."""
    ddl = next(table_schema.ddl for table_schema in TABLES if table_schema.name == name)
    files = archive.files(name, day, attempt)
    return [row for file in files for row in rows_of(spark.read.schema(ddl).parquet(str(file)).collect())]


def test_every_line_of_a_root_is_a_trace_and_every_record_of_it_is_there_once(spark, archive):
    archive.trace(DAY, a_record("read"), a_record("left", "read"), a_record("right", "read"))
    archive.trace(DAY, a_record("alone", "s3://b", root_id="s3://b"))
    manifest = compacted(spark, archive)
    records, traces = table(spark, archive, "records"), table(spark, archive, "traces")
    assert records == archive.expected_records(DAY)
    assert traces == archive.expected_traces(DAY)
    assert [(row["root_id"], row["node_id"]) for row in records] == [
        ("s3://b", "alone"),
        (_ROOT, "left"),
        (_ROOT, "read"),
        (_ROOT, "right"),
    ]
    assert [row["record_id"] for row in traces] == ["alone", "left", "right"]
    assert (manifest.day, manifest.attempt, manifest.records.rows, manifest.traces.rows) == (DAY, "a-1", 4, 3)


_SHAPES: dict[str, Callable[[str], Sequence[LineageRecord]]] = {
    "a parent that is missing": lambda root: [
        a_record("left", "lost", root_id=root),
        a_record("leaf", "left", root_id=root),
    ],
    "a cycle": lambda root: [a_record("a", "b", root_id=root), a_record("b", "a", root_id=root)],
    "a cycle with a leaf": lambda root: [
        a_record("a", "b", root_id=root),
        a_record("b", "a", root_id=root),
        a_record("leaf", "a", root_id=root),
    ],
    "the root as a record": lambda root: [a_record(root, root_id=root), a_record("leaf", root, root_id=root)],
    "runs and metadata": lambda root: [
        a_record("a", root_id=root, run_id="018f7f6c-5c28-7d6e-8f3c-0b1f4f5a9d10", metadata=(("a", "1"), ("b", "2"))),
        a_record("b", "a", root_id=root, metadata=(("owner", "ünï \u2028 \\ \" 'x'"),)),
    ],
    "ids that JSON, paths and SQL mind: ключ/☃/😀": lambda root: [
        a_record('a"b\\c\n\t\u0001', root, root_id=root),
        a_record("ключ/☃/😀", 'a"b\\c\n\t\u0001', root_id=root),
        a_record(" 1;--' or \ufffe", root, root_id=root, action_taken="DATA_COMPACTION"),
        a_record("", root, root_id=root, storage_location=""),
    ],
    "ids alike but for case and space": lambda root: [
        a_record(node, root, root_id=root) for node in ("a", "A", "a ", "\u00e1", "a\u0301")
    ],
    "times before 1970 and far": lambda root: [
        a_record("old", root, root_id=root, recorded_at=-1),
        a_record("new", root, root_id=root, recorded_at=2**53),
    ],
    "a deep path": lambda root: [
        a_record(f"{number:03}", f"{number - 1:03}" if number else root, root_id=root) for number in range(200)
    ],
}


def test_what_roots_may_hold_comes_through(spark, archive):
    for root_id, records_of in _SHAPES.items():
        archive.trace(DAY, *records_of(root_id))
    compacted(spark, archive)
    assert table(spark, archive, "records") == archive.expected_records(DAY)
    assert table(spark, archive, "traces") == archive.expected_traces(DAY)


def test_of_a_root_traced_twice_on_a_day_the_last_trace_counts(spark, archive):
    first = [a_record("a")]
    archive.trace(DAY, *first)
    archive.trace(DAY, *first, a_record("b", "a"))
    compacted(spark, archive)
    assert [row["node_id"] for row in table(spark, archive, "records")] == ["a", "b"]
    assert [row["record_id"] for row in table(spark, archive, "traces")] == ["b"]


def test_a_root_of_several_days_has_each_record_on_the_day_that_archived_it_first(spark, archive):
    records = [a_record("a"), a_record("b", "a"), a_record("c", "a"), a_record("d", "c")]
    archive.trace(DAY, *records[:2])
    archive.trace(NEXT_DAY, *records[:3])
    archive.trace(THIRD_DAY, *records[:3])
    archive.trace(THIRD_DAY, *records)
    archive.trace(THIRD_DAY, a_record("other", "s3://b", root_id="s3://b"))
    nodes_by_day = {}
    for day in (DAY, NEXT_DAY, THIRD_DAY):
        compacted(spark, archive, day)
        assert table(spark, archive, "traces", day) == archive.expected_traces(day)
        nodes_by_day[day] = [row["node_id"] for row in table(spark, archive, "records", day)]
    assert nodes_by_day == {DAY: ["a", "b"], NEXT_DAY: ["c"], THIRD_DAY: ["other", "d"]}


def test_a_day_without_objects_has_tables_without_rows(spark, archive):
    manifest = compacted(spark, archive)
    for name in ("records", "traces"):
        assert table(spark, archive, name) == []
        written = getattr(manifest, name)
        assert (written.rows, written.files) == (0, len(archive.files(name, DAY, "a-1")))
        assert written.files == 1


def test_objects_that_the_digest_does_not_name_are_passed_over(spark, archive):
    archive.trace(DAY, a_record("a"))
    stray = ArchiveFolder(archive.folder).trace(DAY, a_record("stray", "s3://b", root_id="s3://b"))
    archive.put(f"{stray.key.rpartition('/')[0]}/not-an-object.jsonl.gz", b"not compressed")
    compacted(spark, archive)
    assert table(spark, archive, "records") == archive.expected_records(DAY)


def _edited(body: bytes) -> bytes:
    return gzip.compress(gzip.decompress(body).replace(b"CALCULATE", b"CALCULATX"))


def _without_a_line(body: bytes) -> bytes:
    return gzip.compress(b"".join(gzip.decompress(body).splitlines(keepends=True)[:-1]))


_OFTEN = ("of the day truncated", "of a base edited")
_CHANGES: dict[str, Callable[[bytes], bytes]] = {
    "emptied": lambda body: b"",
    "truncated": lambda body: body[:-20],
    "edited": _edited,
    "without its last line": _without_a_line,
    "with a line twice": lambda body: body + gzip.compress(gzip.decompress(body).splitlines(keepends=True)[0]),
    "not compressed": gzip.decompress,
}


# Of the changes, `make test` runs one that Spark reads to its end and one that it does not.
_CHANGED = [
    pytest.param(day, change, id=f"{of}-{name}", marks=() if f"{of} {name}" in _OFTEN else pytest.mark.slow)
    for day, of in ((DAY, "of the day"), (NEXT_DAY, "of a base"))
    for name, change in _CHANGES.items()
]


@pytest.mark.parametrize(("day", "change"), _CHANGED)
def test_a_changed_object_is_refused(spark, archive, change, day):
    stored = archive.trace(DAY, a_record("a"), a_record("b"))
    archive.trace(NEXT_DAY, a_record("a"), a_record("b"), a_record("c"))
    archive.put(stored.key, change((archive.folder / stored.key).read_bytes()))
    with pytest.raises(
        DigestMismatch, match=f"1 objects are not (what the digest has|there or empty), {stored.key} is one"
    ):
        compacted(spark, archive, day)
    assert not (archive.folder / manifest_key(day, "a-1")).exists()


def test_an_object_that_is_gone_is_refused_unless_it_was_removed_by_order(spark, archive):
    stored = archive.trace(DAY, a_record("a"))
    archive.trace(DAY, a_record("b", "s3://b", root_id="s3://b"))
    (archive.folder / stored.key).unlink()
    with pytest.raises(DigestMismatch, match=f"1 objects are not there or empty, {stored.key} is one"):
        compacted(spark, archive)

    archive.put(f"removed/{stored.key}", b"")
    compacted(spark, archive)
    assert [row["root_id"] for row in table(spark, archive, "records")] == ["s3://b"]


@pytest.mark.slow
def test_a_day_whose_objects_are_all_gone_is_refused(spark, archive):
    stored = archive.trace(DAY, a_record("a"))
    (archive.folder / stored.key).unlink()
    (archive.folder / stored.key).parent.rmdir()
    with pytest.raises(DigestMismatch, match=f"1 objects are not there or empty, {stored.key} is one"):
        compacted(spark, archive)


@pytest.mark.parametrize("what", ["records", pytest.param("lines", marks=pytest.mark.slow)])
def test_an_object_that_holds_other_than_the_digest_counts_is_refused(spark, archive, what):
    archive.trace(DAY, a_record("a"), a_record("b", "a"))
    day, stored, records = archive.traced[DAY][0]
    archive.traced[DAY][0] = (day, replace(stored, **{what: getattr(stored, what) + 1}), records)
    counted = getattr(stored, what)
    fault = f"the objects of {DAY} hold {counted} {what} that count, expected {counted + 1} by the digest"
    with pytest.raises(DigestMismatch, match=fault):
        compacted(spark, archive)


_FORMS: dict[str, Callable[[list[Any]], list[Any]]] = {
    "begin as one": lambda lines: lines[1:],
    "list what it counts": lambda lines: [lines[0], *lines[2:]],
    "list what it counts, cut off": lambda lines: lines[:-1],
    f"of version {VERSION + 1}": lambda lines: [{**lines[0], "version": VERSION + 1}, *lines[1:]],
    "begin as one: another day": lambda lines: [{**lines[0], "day": NEXT_DAY}, *lines[1:]],
}


@pytest.mark.parametrize(("says", "change"), _FORMS.items(), ids=_FORMS)
def test_a_digest_that_is_not_whole_is_refused(spark, archive, says, change):
    archive.trace(DAY, a_record("a"))
    archive.seal(DAY)
    lines = [json.loads(line) for line in gzip.decompress((archive.folder / key_of(DAY)).read_bytes()).splitlines()]
    body = b"".join(json.dumps(line).encode() + b"\n" for line in change(lines))
    archive.put(key_of(DAY), gzip.compress(body))
    with pytest.raises(DigestMismatch, match=says.partition(":")[0].partition(",")[0]):
        compact(spark, str(archive.folder), DAY, "a-1")


def test_the_same_attempt_again_replaces_what_it_wrote(spark, archive):
    archive.trace(DAY, a_record("a"))
    first = compacted(spark, archive)
    left = archive.folder / attempt_prefix("records", DAY, "a-1") / "part-left.parquet"
    left.write_bytes(b"of a run that died")
    assert compact(spark, str(archive.folder), DAY, "a-1") == first
    assert not left.exists()
    assert table(spark, archive, "records") == archive.expected_records(DAY)


def test_another_attempt_leaves_the_first_as_it_is(spark, archive):
    archive.trace(DAY, a_record("a"))
    compacted(spark, archive)
    before = archive.files("records", DAY, "a-1")
    compact(spark, str(archive.folder), DAY, "a-2")
    assert archive.files("records", DAY, "a-1") == before
    assert table(spark, archive, "records", attempt="a-2") == archive.expected_records(DAY)


def test_a_run_that_fails_leaves_no_manifest_not_even_that_of_a_run_before(spark, archive):
    stored = archive.trace(DAY, a_record("a"))
    compacted(spark, archive)
    archive.put(stored.key, b"")
    with pytest.raises(DigestMismatch):
        compact(spark, str(archive.folder), DAY, "a-1")
    assert not (archive.folder / manifest_key(DAY, "a-1")).exists()


def test_the_manifest_says_what_was_read_and_what_lies_there(spark, archive, capsys):
    archive.trace(DAY, a_record("a"), a_record("b"))
    archive.seal(DAY)
    assert main(["--archive", str(archive.folder), "--day", DAY, "--attempt", "a-1"], spark) == 0
    manifest = parse_manifest((archive.folder / manifest_key(DAY, "a-1")).read_bytes())
    digest = hashlib.sha256((archive.folder / key_of(DAY)).read_bytes()).hexdigest()
    written = {
        name: TableFiles(2, 1, sum(file.stat().st_size for file in archive.files(name, DAY, "a-1")))
        for name in ("records", "traces")
    }
    assert manifest == Manifest(DAY, "a-1", digest, **written)
    assert parse_manifest(capsys.readouterr().out.encode()) == manifest


def test_each_table_is_one_file_of_zstd_in_the_order_of_its_ids(spark, archive):
    for root in range(40):
        root_id = f"s3://landing/{root * 7919 % 40:02}"
        archive.trace(DAY, *(a_record(f"{node * 31 % 9}", root_id, root_id=root_id) for node in range(9)))
    compacted(spark, archive)
    for name, leaf in (("records", "node_id"), ("traces", "record_id")):
        (file,) = archive.files(name, DAY, "a-1")
        footer = pq.ParquetFile(file).metadata
        assert footer.row_group(0).column(0).compression == "ZSTD"
        ids = [(row["root_id"], row[leaf]) for row in table(spark, archive, name)]
        assert len(ids) == 360
        assert all(earlier < later for earlier, later in pairwise(ids))


def test_a_large_table_is_cut_into_files_of_whole_roots(spark, archive):
    for root in range(12):
        root_id = f"s3://landing/{root:02}"
        archive.trace(DAY, *(a_record(f"{node}", root_id, root_id=root_id) for node in range(10)))
        archive.trace(NEXT_DAY, *(a_record(f"{node}", root_id, root_id=root_id) for node in range(20)))
    archive.seal(DAY)
    archive.seal(NEXT_DAY)
    for day, rows in ((DAY, 120), (NEXT_DAY, 120)):
        manifest = compact(spark, str(archive.folder), day, "a-1", file_bytes=4000)
        for name, expected in (("records", archive.expected_records(day)), ("traces", archive.expected_traces(day))):
            roots_by_file = [
                pq.read_table(file, columns=["root_id"])["root_id"].to_pylist()
                for file in archive.files(name, day, "a-1")
            ]
            assert 2 <= len(roots_by_file) == getattr(manifest, name).files
            assert all(max(earlier) < min(later) for earlier, later in pairwise(roots_by_file))
            assert table(spark, archive, name, day) == expected
        assert manifest.records.rows == rows


def test_a_file_has_groups_of_roots_and_filters_of_nodes(spark, tmp_path):
    """Of 200 roots with ids that do not compress, a few of the rows are read for one root."""
    duckdb = pytest.importorskip("duckdb", reason="it tells what PyArrow does not, and is not there for Spark 3.5")
    ids = spark.range(400_000).selectExpr("concat('s3://', id % 200) as root_id", "sha2(string(id), 256) as node_id")
    rows = ids.selectExpr("*", *(f"cast(null as {column.type}) as {column.name}" for column in RECORDS.columns[2:]))
    write_table(rows.coalesce(1), RECORDS, Storage(spark, str(tmp_path)), "t", expected=400_000)
    groups = duckdb.sql(
        "select path_in_schema, stats_min_value, stats_max_value, bloom_filter_length "
        f"from parquet_metadata('{tmp_path}/t/*.parquet')"
    ).fetchall()
    roots = [(low, high) for name, low, high, _ in groups if name == "root_id"]
    assert 2 <= len(roots) <= 10
    assert all(earlier[1] <= later[0] for earlier, later in pairwise(roots))
    assert {name: bool(length) for name, _, _, length in groups} == {
        column.name: column.name == "node_id" for column in RECORDS.columns if column.name != "metadata"
    } | {"metadata, key_value, key": False, "metadata, key_value, value": False}


def test_files_have_the_columns_of_the_tables_and_nothing_else(spark, archive):
    archive.trace(DAY, a_record("a"))
    compacted(spark, archive)
    for table_schema in (RECORDS, TRACES):
        (file,) = archive.files(table_schema.name, DAY, "a-1")
        schema = spark.read.parquet(str(file)).schema
        assert schema.simpleString() == f"struct<{table_schema.ddl.replace(', ', ',').replace(' ', ':')}>"


_NODES = st.sets(st.sampled_from("abcdef"), min_size=1)
_HISTORIES = st.lists(
    st.lists(st.tuples(st.sampled_from(["r1", "r2", "r3"]), _NODES), max_size=4), min_size=3, max_size=3
)


# Takes long: random histories of days, each compacted on Spark.
@pytest.mark.slow
@settings(max_examples=4, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(history=_HISTORIES)
def test_over_all_days_each_record_is_there_once_whatever_the_traces(spark, tmp_path_factory, history):
    archive = ArchiveFolder(tmp_path_factory.mktemp("history"))
    known: dict[str, dict[str, LineageRecord]] = {}
    for day, traces in zip((DAY, NEXT_DAY, THIRD_DAY), history, strict=True):
        for root_id, nodes in traces:
            records = known.setdefault(root_id, {})
            for node in sorted(nodes - records.keys()):
                # Parents before and after their children, missing ones, and ones that lead round.
                records[node] = a_record(node, "bcdefa"["abcdef".index(node)], root_id=root_id)
            archive.trace(day, *records.values())
        compacted(spark, archive, day)
        assert table(spark, archive, "records", day) == archive.expected_records(day)
        assert table(spark, archive, "traces", day) == archive.expected_traces(day)
    everything = [row for day in (DAY, NEXT_DAY, THIRD_DAY) for row in table(spark, archive, "records", day)]
    assert sorted((row["root_id"], row["node_id"]) for row in everything) == sorted(
        (root_id, node) for root_id, records in known.items() for node in records
    )
