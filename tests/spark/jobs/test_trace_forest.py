"""Forests on Spark are those of one process: the same families, missing parents and cycles, in the same order."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pytest
from pyspark.sql import DataFrame, Row, SparkSession

from jobs.forest import arrange, number

# The job needs what it prints with.
pytest.importorskip("orjson")
from headwater.records.forest import Forest
from headwater.records.record import LineageRecord
from headwater_model.errors import TooLarge
from jobs.trace_root import prepare_session

Edges = Mapping[str, str]
# A family in short: path and leaves by node id, what is missing, and the cycle.
Traced = tuple[list[str], list[str], "str | None", list[str]]


@pytest.fixture
def plain(spark: SparkSession) -> SparkSession:
    """Return the session as the job sets it."""
    return prepare_session(spark)


def records_of(root_id: str, edges: Edges) -> list[LineageRecord]:
    return [LineageRecord(root_id, node, parent, "STEP", "s3://b/k", 1) for node, parent in edges.items()]


def in_one_process(root_id: str, edges: Edges) -> list[Traced]:
    forest = Forest(root_id, records_of(root_id, edges))
    return [
        (list(path.nodes), [leaf.node_id for leaf in leaves], path.missing, list(path.cycle))
        for path, leaves in forest.families()
    ]


def nodes_of(spark: SparkSession, roots: Mapping[str, Edges], dice: random.Random) -> DataFrame:
    rows = [
        (place, node, parent, bytearray(node.encode()))
        for place, edges in enumerate(roots.values())
        for node, parent in edges.items()
    ]
    dice.shuffle(rows)
    return number(spark.createDataFrame(rows, "root int, node_id string, parent_id string, step binary"))


def on_spark(spark: SparkSession, roots: Mapping[str, Edges], seed: int = 1) -> dict[str, list[Traced]]:
    """Return the families of each root that has any."""
    ids = list(roots)
    traced: dict[str, list[Traced]] = {}
    for family in _families(arrange(nodes_of(spark, roots, random.Random(seed)), ids).toLocalIterator()):
        first = family[0]
        steps = [row for row in family if not row.is_leaf]
        path = [_text(row) for row in steps][1 if first.closed else 0 :]
        cycle = [row.node_id for row in steps if row.node_id is not None]
        (missing,) = {row.missing for row in family if row.missing is not None} or {None}
        leaves = [_text(row) for row in family if row.is_leaf]
        traced.setdefault(ids[first.root], []).append((path, leaves, missing, cycle))
    return traced


def _families(rows: Iterable[Row]) -> Iterator[list[Any]]:
    family: list[Any] = []
    for row in rows:
        if family and (row.root, row.family) != (family[0].root, family[0].family):
            yield family
            family = []
        family.append(row)
    if family:
        yield family


def _text(row: Any) -> str:
    return bytes(row.step).decode()


def both_agree(spark: SparkSession, roots: Mapping[str, Edges], seed: int = 1) -> None:
    expected = {root_id: in_one_process(root_id, edges) for root_id, edges in roots.items() if edges}
    assert on_spark(spark, roots, seed) == expected


HARD: dict[str, Edges] = {
    "nothing": {},
    "the root need not be a record": {"a": "the root need not be a record"},
    "its own root": {"its own root": "its own root"},
    "root is never missing": {"root is never missing": "elsewhere", "a": "root is never missing"},
    "root below itself": {"root below itself": "a", "a": "root below itself"},
    "two trees": {"a": "two trees", "b": "two trees"},
    "missing": {"b": "gone", "c": "lost", "d": "gone", "e": "c"},
    "the missing parent's id is empty": {"a": "", "b": "a"},
    "an empty id": {"": "an empty id", "a": ""},
    "self": {"a": "a"},
    "self with a tail": {"a": "a", "b": "a", "c": "b"},
    "cycle": {"a": "b", "b": "a"},
    "a tail on each member": {"a": "b", "b": "c", "c": "a", "x": "a", "y": "b", "z": "c"},
    "a long tail": {"a": "b", "b": "c", "c": "a", "d": "b", "e": "d", "f": "e", "g": "d"},
    "a tail on the smallest": {"a": "c", "b": "a", "c": "b", "t": "a"},
    "cycles beside a tree": {"p": "q", "q": "p", "m": "m", "a": "cycles beside a tree", "b": "a", "x": "y", "y": "x"},
    "unicode": {"é": "unicode", "\U0001f600": "é", "\uffff": "é", "z": "é", "\x00": "z", "a\x00": "z"},
}


def test_hard_forests(plain: SparkSession) -> None:
    both_agree(plain, HARD)


def test_steps_are_counted_before_any_path_is_walked(plain: SparkSession) -> None:
    def refuse(steps: int) -> None:
        raise TooLarge(str(steps))

    comb = {"n0": "comb", **{f"n{n}": f"n{n - 1}" for n in range(1, 9)}, **{f"leaf-{n}": f"n{n}" for n in range(9)}}
    for roots in ({"comb": comb}, {name: HARD[name] for name in ("two trees", "missing", "an empty id", "nothing")}):
        steps = sum(Forest(root_id, records_of(root_id, edges)).count_steps() for root_id, edges in roots.items())
        with pytest.raises(TooLarge, match=f"^{steps}$"):
            arrange(nodes_of(plain, roots, random.Random(1)), list(roots), refuse)


def a_forest(dice: random.Random, root_id: str) -> Edges:
    """Few ids, so that all shapes come up; the parent is one of them, the root or nobody."""
    ids = [f"n{dice.randrange(100):02}" for _ in range(dice.randrange(14))]
    if dice.random() < 0.3:
        ids.append(root_id)
    others = [root_id, "gone", "lost"] if dice.random() < 0.6 else []
    shape = dice.choice(["any", "chain", "star"])
    parents: dict[str, list[str]] = {
        "any": [*ids, *others],
        "chain": [],
        "star": [*ids[:1], *others],
    }
    edges = {}
    for place, node in enumerate(ids):
        choices = parents[shape] or [ids[place - 1] if place else root_id]
        edges[node] = dice.choice(choices)
    return edges


# Takes long: pointer jumping over 3,000 forests takes many Spark jobs.
@pytest.mark.slow
def test_both_tracers_agree_on_three_thousand_random_forests_in_one_table(plain: SparkSession) -> None:
    dice = random.Random(20)
    roots = {f"r{place:04}": a_forest(dice, f"r{place:04}") for place in range(3000)}

    both_agree(plain, roots, seed=20)
