"""Dependencies of columns and datasets on filters, joins, sorts and set operations."""

from __future__ import annotations

import pytest

from tests.spark.capture.specification import Case, frame, queries, query

ROWS = (
    *queries(
        """
        limits and offsets are of nothing
            SELECT carrier FROM flights LIMIT 5 OFFSET 1
            carrier <- flights.carrier
        """
    ),
    frame(
        "samples, partitions and hints are of nothing",
        lambda spark: (
            spark.table("flights").sample(0.5).repartition(2, "dest").coalesce(1).hint("broadcast").select("carrier")
        ),
        "carrier <- flights.carrier",
    ),
    frame(
        "dropping duplicates groups by their keys",
        lambda spark: spark.table("planes").select("tailnum", "seats").dropDuplicates(["tailnum"]),
        "tailnum <- planes.tailnum; seats <- planes.seats; * <- planes.tailnum GROUP_BY",
    ),
)

_JOINED = "flights.tailnum JOIN, planes.tailnum JOIN"
JOINS = (
    *(
        query(
            f"a {kind} join is by its condition",
            f"SELECT f.carrier, p.seats FROM flights f {kind} JOIN planes p ON f.tailnum = p.tailnum",
            f"""
            carrier <- flights.carrier IDENTITY
            seats <- planes.seats IDENTITY
            * <- {_JOINED}
            """,
        )
        for kind in ("INNER", "LEFT OUTER", "RIGHT OUTER", "FULL OUTER")
    ),
    *(
        query(
            f"a {kind} join gives the left's columns",
            f"SELECT * FROM (SELECT carrier, tailnum FROM flights) f {kind} JOIN planes p ON f.tailnum = p.tailnum",
            f"""
            carrier <- flights.carrier IDENTITY
            tailnum <- flights.tailnum IDENTITY
            * <- {_JOINED}
            """,
        )
        for kind in ("LEFT SEMI", "LEFT ANTI")
    ),
    *queries(
        f"""
        a join of what was filtered and grouped
            SELECT p.model, t.total FROM planes p JOIN (SELECT tailnum, sum(distance) AS total FROM flights WHERE origin
            = 'JFK' GROUP BY tailnum) t ON t.tailnum = p.tailnum
            model <- planes.model
            total <- flights.distance AGGREGATION
            * <- {_JOINED}
            * <- flights.origin FILTER, flights.tailnum GROUP_BY
        """
    ),
)

SETS = (
    *queries(
        """
        a distinct union groups by all its columns
            SELECT carrier FROM flights UNION SELECT model FROM planes
            carrier <- flights.carrier, planes.model; * <- flights.carrier GROUP_BY, planes.model GROUP_BY
        """
    ),
    *(
        query(
            f"{kind} compares all columns and gives the left's",
            f"SELECT carrier, tailnum FROM flights {kind} SELECT model, tailnum FROM planes",
            """
        carrier <- flights.carrier
        tailnum <- flights.tailnum
        * <- flights.carrier JOIN, flights.tailnum JOIN, planes.model JOIN, planes.tailnum JOIN
        """,
        )
        for kind in ("INTERSECT", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL")
    ),
)


@pytest.mark.parametrize("case", [*ROWS, *JOINS, *SETS], ids=str)
def test_relations(case: Case, check) -> None:
    check(case)
