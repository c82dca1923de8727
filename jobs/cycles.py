"""Nodes that lead into each other: who they are, which cycles no leaf hangs from, and how to walk round them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from jobs.pointer_jumping import goes_round, materialized, up_tables


@dataclass(frozen=True, slots=True)
class Ways:
    """The ways up a forest whose cycles are cut open above their smallest node.

    `members` are the nodes of cycles: `num`, `up` (the way up that is cut at the smallest), `cycle` (its smallest
    node), `size`, and whether it is `closed`: nothing else hangs from it. None if nothing goes round.
    """

    tables: Sequence[DataFrame]
    members: DataFrame | None


def find_ways(parents: DataFrame, children: DataFrame) -> Ways:
    """The ways up; `children` has a row `num`, `children` for each node that has any."""
    tables = up_tables(parents)
    if not goes_round(tables):
        return Ways(tables, None)
    members = _members(tables, children).localCheckpoint()
    cut = members.where("num = cycle").select("num")
    return Ways(up_tables(parents.join(cut, "num", "left_anti").localCheckpoint()), members)


def _members(tables: Sequence[DataFrame], children: DataFrame) -> DataFrame:
    # The smallest of itself, as a minimum: of a mere copy Spark would carry the formula on, twice as long each round.
    nodes = tables[-1].groupBy(sf.col("up").alias("num")).agg(sf.min("up").alias("cycle"))
    named = _smallest(tables[0].join(nodes, "num").localCheckpoint()).select("num", "cycle")
    named = named.join(tables[0], "num").join(children, "num")
    cycles = named.groupBy("cycle").agg(
        sf.count("*").alias("size"), (sf.sum("children") == sf.count("*")).alias("closed")
    )
    return named.join(cycles, "cycle").select("num", "up", "cycle", "size", "closed")


def _smallest(known: DataFrame) -> DataFrame:
    """The smallest node of each one's cycle: after k rounds each knows it of 2**k nodes on its way up.

    A round in which nobody learns of a smaller one is the last: then all know the same.
    """
    while True:
        ahead = known.select(sf.col("num").alias("up"), sf.col("up").alias("further"), sf.col("cycle").alias("other"))
        told = known.join(ahead, "up").select(
            "num",
            sf.col("further").alias("up"),
            sf.least("cycle", "other").alias("cycle"),
            (sf.col("other") < sf.col("cycle")).alias("learned"),
        )
        known = materialized(told)
        if known.where("learned").isEmpty():
            return known
        known = known.drop("learned")
