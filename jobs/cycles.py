"""Cycles of nodes: their members, cycles without leaves, and the cut into each cycle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from jobs.pointer_jumping import has_cycle, materialize, up_tables


@dataclass(frozen=True, slots=True)
class UpwardPaths:
    """The paths up a forest whose cycles are cut open above their smallest node.

    `members` are the nodes of cycles: `num`, `up` (cut at the smallest), `cycle` (its smallest node), `size`, and
    `closed` (true without a node outside the cycle below it). `members` is None if there are no cycles.
    """

    tables: Sequence[DataFrame]
    members: DataFrame | None


def find_paths(parents: DataFrame, children: DataFrame) -> UpwardPaths:
    """Find the paths up; `children` has a row `num`, `children` for each node with children."""
    tables = up_tables(parents)
    if not has_cycle(tables):
        return UpwardPaths(tables, None)
    members = _members(tables, children).localCheckpoint()
    cut = members.where("num = cycle").select("num")
    return UpwardPaths(up_tables(parents.join(cut, "num", "left_anti").localCheckpoint()), members)


def _members(tables: Sequence[DataFrame], children: DataFrame) -> DataFrame:
    # A minimum of a single value: as a mere copy, the formula would be carried on, twice as long each round.
    nodes = tables[-1].groupBy(sf.col("up").alias("num")).agg(sf.min("up").alias("cycle"))
    named = _smallest(tables[0].join(nodes, "num").localCheckpoint()).select("num", "cycle")
    named = named.join(tables[0], "num").join(children, "num")
    cycles = named.groupBy("cycle").agg(
        sf.count("*").alias("size"), (sf.sum("children") == sf.count("*")).alias("closed")
    )
    return named.join(cycles, "cycle").select("num", "up", "cycle", "size", "closed")


def _smallest(known: DataFrame) -> DataFrame:
    """Find the smallest node of each node's cycle: after k rounds, of the 2**k nodes on its path up.

    The last round is the first without a change.
    """
    while True:
        ahead = known.select(sf.col("num").alias("up"), sf.col("up").alias("further"), sf.col("cycle").alias("other"))
        joined = known.join(ahead, "up").select(
            "num",
            sf.col("further").alias("up"),
            sf.least("cycle", "other").alias("cycle"),
            (sf.col("other") < sf.col("cycle")).alias("learned"),
        )
        known = materialize(joined)
        if known.where("learned").isEmpty():
            return known
        known = known.drop("learned")
