"""Walking up a forest in O(log depth) joins: pointer jumping.

An *up table* has the columns `num` and `up`: from a node to its parent, or to an ancestor further up. A node without
the ancestor has no row.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf


def up_tables(parents: DataFrame) -> list[DataFrame]:
    """Build materialized tables; table k leads from each node to its ancestor 2**k steps up.

    No node has an ancestor above the last table's. With cycles, the last table jumps over more steps than there are
    nodes: it leads to exactly the members of cycles (`has_cycle`).
    """
    tables = [parents]
    nodes = parents.count()
    while 2 ** (len(tables) - 1) <= nodes:
        table = materialize(jump(tables[-1]))
        if table.isEmpty():
            break
        tables.append(table)
    return tables


def materialize(table: DataFrame) -> DataFrame:
    """Compute the table once: later plans contain neither its plan nor an estimate of its size.

    A checkpoint alone keeps the estimate, the product of the joined tables: round by round it has twice as many digits,
    until numbers of megabytes are multiplied for every plan (Spark 3.5 to 4.3). A cached table is measured.
    """
    kept = table.localCheckpoint(eager=False).persist()
    kept.count()
    return kept


def has_cycle(tables: Sequence[DataFrame]) -> bool:
    """True if there is a cycle: without it, no table jumps over more steps than there are nodes."""
    nodes: int = tables[0].count()
    return 0 < nodes < 1 << (len(tables) - 1)


def jump(table: DataFrame) -> DataFrame:
    """Build a table of jumps twice as far up."""
    ahead = table.select(sf.col("num").alias("up"), sf.col("up").alias("further"))
    return table.join(ahead, "up").select("num", sf.col("further").alias("up"))


def walk_up(starts: DataFrame, tables: Sequence[DataFrame]) -> DataFrame:
    """Walk from each start (a `num` and further columns) to every node above it, with its `steps` from the start.

    A number of steps is the sum of its bits: with the longest jumps first, each node above is reached once.
    """
    kept = [name for name in starts.columns if name != "num"]
    walked = starts.withColumn("steps", sf.lit(0).cast("long"))
    for power in reversed(range(len(tables))):
        jumped = walked.join(tables[power], "num", "left")
        walked = jumped.select(*kept, sf.explode(_here_and_above(2**power)).alias("at")).select(*kept, "at.*")
    return walked


def climb(starts: DataFrame, tables: Sequence[DataFrame]) -> DataFrame:
    """Count the `steps` from each start (a `num` and further columns) to the topmost node above it."""
    kept = [name for name in starts.columns if name != "num"]
    climbed = starts.withColumn("steps", sf.lit(0).cast("long"))
    for power in reversed(range(len(tables))):
        jumped = climbed.join(tables[power], "num", "left")
        steps = sf.col("steps") + sf.when(sf.col("up").isNull(), 0).otherwise(2**power)
        climbed = jumped.select(*kept, sf.coalesce("up", "num").alias("num"), steps.alias("steps"))
    return climbed.drop("num")


def _here_and_above(steps: int) -> Column:
    here = sf.struct("num", "steps")
    above = sf.struct(sf.col("up").alias("num"), (sf.col("steps") + steps).alias("steps"))
    return sf.when(sf.col("up").isNull(), sf.array(here)).otherwise(sf.array(here, above))
