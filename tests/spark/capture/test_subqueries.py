"""Subqueries of all kinds, and queries with names: CTEs, views, cached tables."""

from __future__ import annotations

import pytest

from tests.spark.capture.specification import Case, queries

FILTERS = queries(
    """
    subqueries inside subqueries, each correlated with the one around it
        SELECT carrier FROM flights f WHERE EXISTS (SELECT 1 FROM planes p WHERE p.tailnum = f.tailnum AND EXISTS
        (SELECT 1 FROM airports a WHERE a.name = p.model AND a.tz > 5))
        carrier <- flights.carrier
        * <- flights.tailnum FILTER, planes.tailnum FILTER, planes.model FILTER
        * <- airports.name FILTER, airports.tz FILTER
    a lateral join with a condition
        SELECT f.carrier, l.m FROM flights f LEFT JOIN LATERAL (SELECT max(seats) AS m, max(model) AS n FROM planes
        p WHERE p.tailnum = f.tailnum) l ON l.n = f.dest
        carrier <- flights.carrier
        m <- planes.seats AGGREGATION
        * <- flights.tailnum FILTER, planes.tailnum FILTER, planes.model JOIN, flights.dest JOIN
    """
)

NAMED = queries(
    """
    a recursive CTE is of its start and its steps
        since: 4.1
        WITH RECURSIVE reach(place, hops) AS (SELECT origin, 0 FROM flights WHERE carrier = 'UA' UNION ALL SELECT
        f.dest, hops + 1 FROM reach JOIN flights f ON f.origin = reach.place WHERE hops < 2) SELECT place, hops FROM
        reach
        place <- flights.origin, flights.dest
        hops <- nothing
        * <- flights.carrier FILTER, flights.origin JOIN, flights.dest JOIN
    a recursive CTE whose columns change places
        since: 4.1
        WITH RECURSIVE r(n, a, b) AS (SELECT 0, carrier, dest FROM flights UNION ALL SELECT n + 1, b, upper(a) FROM
        r WHERE n < 3) SELECT a FROM r
        a <- flights.carrier, flights.dest, flights.carrier TRANSFORMATION, flights.dest TRANSFORMATION
    a view that stays, with names of its own, and a view of it
        before: CREATE OR REPLACE VIEW view_that_stays (who, far) AS SELECT lower(carrier) AS c, distance \
            FROM flights
        before: CREATE OR REPLACE VIEW view_of_view AS SELECT far, who FROM view_that_stays
        SELECT far, who FROM view_of_view
        far <- flights.distance; who <- flights.carrier TRANSFORMATION
    """
)


@pytest.mark.parametrize("case", [*FILTERS, *NAMED], ids=str)
def test_subqueries_and_named_queries(case: Case, check) -> None:
    check(case)
