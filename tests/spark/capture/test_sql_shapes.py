"""Queries as those write them who know SQL well: subqueries everywhere, aggregates, windows."""

from __future__ import annotations

import pytest

from tests.spark.capture.specification import Case, queries

SUBQUERIES = queries(
    """
    whether there is a row, as a value
        SELECT EXISTS (SELECT 1 FROM planes p WHERE p.tailnum = f.tailnum AND seats > 9) AS known FROM flights f
        known <- planes.tailnum FILTER, planes.seats FILTER, flights.tailnum FILTER
    whether it is in a subquery, as a value
        SELECT tailnum IN (SELECT tailnum FROM planes WHERE seats > 9) AS known FROM flights
        known <- flights.tailnum TRANSFORMATION, planes.tailnum TRANSFORMATION, planes.seats FILTER
    a union of the row before it
        SELECT t.place FROM flights f, LATERAL (SELECT f.origin AS place UNION ALL SELECT f.dest) t
        place <- flights.origin, flights.dest
    """
)

AGGREGATES = queries(
    """
    filtering and sorting by whether a key is grouped
        SELECT carrier, sum(distance) AS s FROM flights GROUP BY ROLLUP (carrier) HAVING grouping(carrier) = 0 ORDER
        BY grouping(carrier), s
        carrier <- flights.carrier
        s <- flights.distance AGGREGATION
        * <- flights.carrier GROUP_BY, flights.distance SORT
    counting what is so
        SELECT count_if(distance > 9) AS n, bool_and(distance > 9) AS b, regr_slope(distance, air_time) AS r FROM
        flights
        n <- flights.distance AGGREGATION MASKED, flights.distance CONDITIONAL MASKED
        b <- flights.distance AGGREGATION
        r <- flights.distance AGGREGATION, flights.air_time AGGREGATION
    texts joined in an order
        since: 4.0
        SELECT listagg(DISTINCT dest, ',') WITHIN GROUP (ORDER BY dest) AS l, mode() WITHIN GROUP (ORDER BY carrier)
        AS m FROM flights
        l <- flights.dest AGGREGATION; m <- flights.carrier AGGREGATION
    windows of a time that a condition chooses
        SELECT w.end AS e, count(*) AS n FROM (SELECT window(CASE WHEN distance > 9 THEN CAST(day AS TIMESTAMP) END,
        '1 day') AS w FROM flights) GROUP BY w
        e <- flights.day TRANSFORMATION, flights.distance CONDITIONAL
        n <- nothing
        * <- flights.day FILTER, flights.day GROUP_BY, flights.distance FILTER, flights.distance GROUP_BY
    """
)

WINDOWS = queries(
    """
    a place in a window
        SELECT nth_value(dest, 2) IGNORE NULLS OVER w AS n, last_value(origin) OVER w AS l, lag(struct(dest,
        distance)) OVER w AS g FROM flights WINDOW w AS (PARTITION BY carrier ORDER BY day)
        n <- flights.dest TRANSFORMATION, flights.carrier WINDOW, flights.day WINDOW
        l <- flights.origin AGGREGATION, flights.carrier WINDOW, flights.day WINDOW
        g.dest <- flights.dest TRANSFORMATION, flights.carrier WINDOW, flights.day WINDOW
        g.distance <- flights.distance TRANSFORMATION, flights.carrier WINDOW, flights.day WINDOW
    a window's filter
        since: 4.0
        SELECT count(dest) FILTER (WHERE distance > 9) OVER (PARTITION BY carrier) AS n FROM flights
        n <- flights.dest AGGREGATION MASKED, flights.distance FILTER, flights.carrier WINDOW
    """
)


@pytest.mark.parametrize("case", [*SUBQUERIES, *AGGREGATES, *WINDOWS], ids=str)
def test_shapes_of_sql(case: Case, check) -> None:
    check(case)
