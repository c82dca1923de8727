"""A root's records as trace lines: one for each leaf, and nothing lost, missing parents and cycles included."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.records.forest import Forest
from headwater.records.lines import Compaction, Renderer, parse_lines, render_lines, render_step
from headwater.records.record import LineageRecord

COMPACTION = Compaction("nightly", 1_763_684_000, "s3://archive/traces/year=2025/month=11/day=20/")


def a_record(node_id, parent_id, **changes):
    fields = {"action_taken": "STEP", "storage_location": f"s3://b/{node_id}", "recorded_at": 1_763_640_000}
    return LineageRecord("root", node_id, parent_id, **{**fields, **changes})


def records_of(edges):
    return [a_record(node, parent) for node, parent in edges.items()]


def rendered(records, compaction=None):
    """The lines' bytes, one for each."""
    return b"".join(render_lines(Forest("root", records), compaction)).splitlines()


def lines_of(edges, compaction=None):
    return [json.loads(line) for line in rendered(records_of(edges), compaction)]


def returned(line):
    """A line in short: the path, and what is wrong with it."""
    path = [step["node_id"] for step in line["lineage"]]
    assert line["root_id"] == "root"
    assert line["record_id"] == path[-1]
    assert line.get("complete", True) == (not ({"missing", "cycle"} & set(line)))
    return path, *(f"{name} {line[name]}" for name in ("missing", "cycle") if name in line)


@pytest.mark.parametrize(
    ("edges", "lines"),
    [
        pytest.param({}, [], id="nothing"),
        pytest.param({"a": "root"}, [(["a"],)], id="the root need not be a record"),
        pytest.param({"root": "root"}, [(["root"],)], id="the root may be its own parent"),
        pytest.param({"root": "elsewhere", "a": "root"}, [(["root", "a"],)], id="the root is never missing a parent"),
        pytest.param(
            {"a": "root", "b": "a", "c": "a", "d": "c"}, [(["a", "b"],), (["a", "c", "d"],)], id="a line for each leaf"
        ),
        pytest.param({"a": "root", "b": "root"}, [(["a"],), (["b"],)], id="two trees of one root"),
        pytest.param({"b": "gone"}, [(["b"], "missing ['gone']")], id="a missing parent is named"),
        pytest.param(
            {"b": "gone", "c": "lost", "d": "gone", "e": "c"},
            [
                (["b"], "missing ['gone']"),
                (["d"], "missing ['gone']"),
                (["c", "e"], "missing ['lost']"),
            ],
            id="each leaf names its own missing parent",
        ),
        pytest.param({"a": "b", "b": "a"}, [(["b", "a"], "cycle ['b', 'a']")], id="a cycle has a line of its own"),
        pytest.param({"a": "a"}, [(["a"], "cycle ['a']")], id="a node that is its own parent"),
        pytest.param(
            {"a": "b", "b": "a", "c": "a", "d": "c"},
            [(["a", "b", "c", "d"], "cycle ['a', 'b']")],
            id="a cycle with a tail is told on the tail's line",
        ),
        pytest.param(
            {"a": "root", "x": "y", "y": "z", "z": "x"},
            [(["a"],), (["y", "z", "x"], "cycle ['y', 'z', 'x']")],
            id="a cycle beside a tree",
        ),
    ],
)
def test_the_lines_of_a_forest(edges, lines):
    shown = [returned(line) for line in lines_of(edges)]
    if any("cycle" in fault for _, *faults in shown for fault in faults):
        # Where a path enters a cycle is decided by what hangs from it; its members are what matters.
        assert [(sorted(path), [sorted(fault) for fault in faults]) for path, *faults in shown] == [
            (sorted(path), [sorted(fault) for fault in faults]) for path, *faults in lines
        ]
    else:
        assert shown == lines


@pytest.mark.large
def test_a_chain_of_a_hundred_thousand_records_is_one_line():
    edges = {f"n{number:06}": f"n{number - 1:06}" for number in range(1, 100_000)} | {"n000000": "root"}

    (line,) = lines_of(edges)
    assert [step["node_id"] for step in line["lineage"]] == sorted(edges)


NODES = st.sampled_from([f"n{number}" for number in range(12)])
PARENTS = st.one_of(NODES, st.sampled_from(["root", "gone", "lost"]))
EDGES = st.dictionaries(NODES, PARENTS, max_size=12)


@given(EDGES)
def test_the_records_in_the_lines_are_exactly_the_roots_records(edges):
    lines = rendered(records_of(edges), COMPACTION)

    assert sorted(parse_lines(lines), key=lambda record: record.node_id) == sorted(
        records_of(edges), key=lambda record: record.node_id
    )


@given(EDGES)
def test_steps_are_counted_without_the_lines(edges):
    steps = [step for line in lines_of(edges) for step in line["lineage"]]
    assert Forest("root", records_of(edges)).count_steps() == len(steps)


@given(EDGES)
def test_every_path_goes_from_parent_to_child(edges):
    for line in lines_of(edges):
        path = [step["node_id"] for step in line["lineage"]]
        assert [edges[child] for child in path[1:]] == path[:-1]
        assert len(set(path)) == len(path)


@given(EDGES)
def test_there_is_a_line_for_each_leaf_and_for_each_cycle_without_one(edges):
    parents = {parent for node, parent in edges.items() if node != "root"}
    leaves = {node for node in edges if node not in parents}
    lines = lines_of(edges)
    cycles = [line for line in lines if line["record_id"] not in leaves]

    assert sorted(line["record_id"] for line in lines if line["record_id"] in leaves) == sorted(leaves)
    for line in cycles:
        assert line["record_id"] == min(line["cycle"])
        assert sorted(line["cycle"]) == sorted(step["node_id"] for step in line["lineage"])


@given(st.permutations(sorted({"a": "root", "b": "a", "c": "b", "d": "x", "p": "q", "q": "p", "r": "root"}.items())))
def test_the_order_of_the_records_does_not_change_a_byte(shuffled):
    in_order = rendered(records_of(dict(sorted(shuffled))), COMPACTION)

    assert rendered(records_of(dict(shuffled)), COMPACTION) == in_order


@pytest.mark.parametrize(
    "edges",
    [
        pytest.param({"file": "root"} | {f"row-{number:05}": "file" for number in range(5_000)}, id="of one parent"),
        pytest.param(
            {f"file-{number % 2_000}": "root" for number in range(5_000)}
            | {f"row-{number:05}": f"file-{number % 2_000}" for number in range(5_000)},
            id="of many parents",
        ),
        pytest.param(
            {f"step-{number:04}": f"step-{number - 1:04}" if number else "root" for number in range(2_000)}
            | {f"row-{number:05}": "step-1999" for number in range(20)},
            id="each longer than a block",
        ),
    ],
)
def test_blocks_are_some_hundred_whole_lines_of_less_than_a_megabyte_or_one_line(edges):
    blocks = list(render_lines(Forest("root", records_of(edges)), COMPACTION))

    assert len(blocks) > 3
    assert all(block.endswith(b"]}\n") for block in blocks)
    assert all(len(block) < 1024 * 1024 or block.count(b"\n") == 1 for block in blocks)
    assert all(block.count(b"\n") <= 512 for block in blocks)


LEAVES = st.builds(
    LineageRecord,
    root_id=st.just("root"),
    node_id=st.text(),
    parent_id=st.text(),
    action_taken=st.text(),
    storage_location=st.text('ab"\\,/\n\x00üß😀\u2028'),
    recorded_at=st.integers(0, 2**53),
    run_id=st.none() | st.text(),
    metadata=st.dictionaries(st.text(), st.text(), max_size=2).map(lambda entries: tuple(sorted(entries.items()))),
)


@given(st.lists(st.tuples(LEAVES, st.binary()), min_size=1, max_size=6), st.sampled_from([COMPACTION, None]))
def test_lines_of_many_leaves_are_those_of_each(leaves, compaction):
    renderer = Renderer("root", compaction)

    together = renderer.lines([shared for _, shared in leaves], [leaf for leaf, _ in leaves])

    assert together == b"".join(renderer.line(shared, leaf.node_id, render_step(leaf)) for leaf, shared in leaves)


def test_what_enrichers_and_runs_add_survives_the_archive():
    record = a_record("a", "root", run_id="run-1", metadata=(("bucket", "b"), ("team", "x")))

    assert list(parse_lines(rendered([record], COMPACTION))) == [record]
