"""The benchmarks compare like with like: both tracers make the same lines."""

from __future__ import annotations

import doctest
import json

import pytest

from benchmarks import cost, rows, tables
from benchmarks.shape import Shape, read_shape, write_shape
from benchmarks.trace_work import our_lines, plain_lines

SHAPE = Shape(splits=3, results=4)


def test_the_shape_has_as_many_records_as_it_says():
    assert len(list(SHAPE.records())) == len(SHAPE) == 4 + 3 + 12


def test_the_records_come_back_from_the_file_by_node_id(tmp_path):
    write_shape(SHAPE, tmp_path / "records")

    assert list(read_shape(tmp_path / "records")) == sorted(SHAPE.records(), key=lambda record: record.node_id)


def test_plain_tracing_makes_the_same_lines_as_ours():
    ours, plain = (b"".join(way(SHAPE.records())).splitlines() for way in (our_lines, plain_lines))

    assert len(ours) == 12
    assert sorted(ours) == sorted(plain)
    assert {len(json.loads(line)["lineage"]) for line in ours} == {4 + 1 + 1 + 1}


@pytest.mark.parametrize(
    ("row", "ratio", "met"),
    [
        (rows.more("a", 120.0, 100.0, at_least=1.2, show=rows.seconds), "1.20x", True),
        (rows.within("a", 1.6, 1.0, at_most=1.5, show=rows.seconds), "1.60x", False),
        (rows.below("a", 1.6e9, 1e9, limit=1.5e9, show=rows.gigabytes), "1.60x", False),
    ],
)
def test_a_goal_is_met_or_missed(row, ratio, met):
    assert (row.ratio, row.met) == (ratio, met)


@pytest.mark.parametrize("module", [cost, rows, tables])
def test_the_examples_in_the_benchmarks_hold(module):
    results = doctest.testmod(module)

    assert results.attempted > 0
    assert results.failed == 0
