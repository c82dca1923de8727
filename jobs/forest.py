"""The records of many roots as forests, on Spark: the same families, in the same order, as `headwater.records.forest`.

A node is a number, in the order of roots and node ids; all walks are on numbers, the texts join at the end. A numbered
table is never computed again: it is a local checkpoint, and its loss fails the job.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from jobs.cycles import UpwardPaths, find_paths
from jobs.pointer_jumping import climb, walk_up

# Markers instead of a parent's number.
_START = -1
_MISSING = -2
# Sort positions in a family: the second round of a cycle lies before the first, and steps before leaves.
_SECOND_ROUND = 1 << 62
_FAMILY = ("root", "closed", "family")
_ROWS_AT_ONCE = 50_000


def number(records: DataFrame) -> DataFrame:
    """Add a `num` to the records, in the order of `root` and `node_id`, materialized."""
    ordered = records.orderBy("root", "node_id")
    return ordered.withColumn("num", sf.monotonically_increasing_id()).localCheckpoint()


def arrange(nodes: DataFrame, root_ids: Sequence[str], check: Callable[[int], object] | None = None) -> DataFrame:
    """Arrange every root's families as rows in the order of their lines: steps of the path, root first, then leaves.

    `nodes` are numbered: `num`, `root` (an index of `root_ids`), `node_id`, `parent_id`, and `step`, of any type. A
    row:

    - `root`, `family`, `closed`: the family; a closed family's path begins with the leaf itself;
    - `is_leaf`, `step`: the kind of the row, and the step from `nodes`;
    - `node_id`: of leaves and of steps in a cycle, else null;
    - `missing`: the id of a missing parent.

    `check` gets the number of steps of all lines before any path is walked, and may raise; of a path into a cycle, it
    counts the steps down from the cut of the cycle alone.
    """
    links = _link(nodes, root_ids).localCheckpoint()
    children = links.where("parent >= 0").groupBy(sf.col("parent").alias("num")).agg(sf.count("*").alias("children"))
    children = children.localCheckpoint()
    above = links.join(children, "num", "left_semi").where("parent >= 0")
    paths = find_paths(above.select("num", sf.col("parent").alias("up")).localCheckpoint(), children)
    leaves = links.join(children, "num", "left_anti").localCheckpoint()
    if check is not None:
        check(_count_steps(leaves, paths))
    families = _families(leaves)
    places = reduce(
        DataFrame.unionByName,
        [*_paths(families, links, paths), _places_of_leaves(leaves, families), *_leaves_of_cycles(links, paths)],
    )
    return _rows_of(places, nodes)


def _link(nodes: DataFrame, root_ids: Sequence[str]) -> DataFrame:
    """Link each node to its parent, by its `num` or a marker, with the id of a `missing` parent, else ""."""
    roots = nodes.sparkSession.createDataFrame(list(enumerate(root_ids)), "root int, root_id string")
    parents = nodes.select("root", sf.col("node_id").alias("parent_id"), sf.col("num").alias("found"))
    linked = nodes.drop("step").join(parents, ["root", "parent_id"], "left").join(sf.broadcast(roots), "root")
    # The root has no parent, and is never missing.
    parent = (
        sf.when(sf.col("node_id") == sf.col("root_id"), _START)
        .when(sf.col("found").isNotNull(), sf.col("found"))
        .when(sf.col("parent_id") == sf.col("root_id"), _START)
        .otherwise(_MISSING)
    )
    missing = sf.when(sf.col("parent") == _MISSING, sf.col("parent_id")).otherwise("")
    return linked.withColumn("parent", parent).select("num", "root", "parent", missing.alias("missing"))


def _count_steps(leaves: DataFrame, paths: UpwardPaths) -> int:
    starts = leaves.where("parent >= 0").groupBy(sf.col("parent").alias("num")).agg(sf.count("*").alias("leaves"))
    above = climb(starts, paths.tables).agg(sf.sum(sf.col("leaves") * (sf.col("steps") + 1))).first()
    return leaves.count() + ((above and above[0]) or 0)


def _families(leaves: DataFrame) -> DataFrame:
    """Group the leaves by parent; a family is named by its smallest leaf. A missing parent makes a family, too."""
    return leaves.groupBy("root", "parent", "missing").agg(sf.min("num").alias("family"))


def _paths(families: DataFrame, links: DataFrame, paths: UpwardPaths) -> list[DataFrame]:
    """Collect the steps above each family's leaves."""
    starts = families.where("parent >= 0").select(
        "root", sf.lit(False).alias("closed"), "family", sf.col("parent").alias("num")
    )
    missing = links.where(sf.col("parent") == _MISSING).select("num", sf.lit(True).alias("orphan"))
    if paths.members is None:
        walked = walk_up(starts, paths.tables).withColumn("goes_round", sf.lit(False))
        return [_places_of_steps(walked.join(missing, "num", "left"), 0)]
    closed = _close_cycles(links, paths.members).select("root", "closed", "family", sf.col("up").alias("num"))
    members = paths.members.select("num", sf.lit(True).alias("goes_round"))
    first = walk_up(starts.unionByName(closed), paths.tables).join(members, "num", "left").localCheckpoint()
    second = _second_round(first, paths, paths.members).withColumn("goes_round", sf.lit(True))
    return [
        _places_of_steps(first.join(missing, "num", "left"), 0),
        _places_of_steps(second.withColumn("orphan", sf.lit(False)), _SECOND_ROUND),
    ]


def _second_round(first: DataFrame, paths: UpwardPaths, members: DataFrame) -> DataFrame:
    """Collect the steps beyond the cut of a cycle, left out by the first walk."""
    taken = (
        first.where("goes_round")
        .join(members.select("num", "cycle", "size"), "num")
        .groupBy(*_FAMILY, "cycle", "size")
        .agg(sf.count("*").alias("taken"))
    )
    cuts = members.where("num = cycle").select("cycle", sf.col("up").alias("num"))
    starts = taken.where("taken < size").join(cuts, "cycle")
    left = starts.select(*_FAMILY, "num", (sf.col("size") - sf.col("taken")).alias("left"))
    return walk_up(left, paths.tables).where("steps < left").drop("left")


def _close_cycles(links: DataFrame, members: DataFrame) -> DataFrame:
    """Make a family of the smallest node of each cycle without a leaf."""
    smallest = members.where("closed and num = cycle")
    return smallest.join(links.select("num", "root"), "num").withColumn("family", sf.col("num"))


def _leaves_of_cycles(links: DataFrame, paths: UpwardPaths) -> list[DataFrame]:
    if paths.members is None:
        return []
    closed = _close_cycles(links, paths.members)
    return [closed.select(*_FAMILY, "num", _leaf_place(), _yes("is_leaf"), _yes("named"), _no("orphan"))]


def _places_of_leaves(leaves: DataFrame, families: DataFrame) -> DataFrame:
    placed = leaves.join(families, ["root", "parent", "missing"]).withColumn("closed", sf.lit(False))
    orphan = (sf.col("parent") == _MISSING).alias("orphan")
    return placed.select(*_FAMILY, "num", _leaf_place(), _yes("is_leaf"), _yes("named"), orphan)


def _places_of_steps(walked: DataFrame, before: int) -> DataFrame:
    """Order the steps as in lines: the topmost come first."""
    place = (-1 - sf.col("steps") - before).alias("place")
    named, orphan = (sf.coalesce(name, sf.lit(False)).alias(new) for name, new in _FLAGS)
    return walked.select(*_FAMILY, "num", place, _no("is_leaf"), named, orphan)


_FLAGS = (("goes_round", "named"), ("orphan", "orphan"))


def _leaf_place() -> Column:
    return sf.col("num").alias("place")


def _yes(name: str) -> Column:
    return sf.lit(True).alias(name)


def _no(name: str) -> Column:
    return sf.lit(False).alias(name)


def _rows_of(places: DataFrame, nodes: DataFrame) -> DataFrame:
    texts = nodes.select("num", "node_id", "parent_id", "step")
    places = places.localCheckpoint()
    # Partitions of few enough rows for the driver to hold several: paths compress too well for a bound in bytes.
    parts = places.count() // _ROWS_AT_ONCE + 1
    rows = places.join(texts, "num").repartitionByRange(parts, *_FAMILY, "place")
    return rows.sortWithinPartitions(*_FAMILY, "place").select(
        *_FAMILY,
        "is_leaf",
        "step",
        sf.when(sf.col("named"), sf.col("node_id")).alias("node_id"),
        sf.when(sf.col("orphan"), sf.col("parent_id")).alias("missing"),
    )
