"""Aggregates, pivots, windows and generators."""

from __future__ import annotations

import pytest

from tests.spark.capture.specification import Case, queries

GROUPS = queries(
    """
    an aggregate is made of its argument, by groups
        SELECT carrier, sum(distance) AS total FROM flights GROUP BY carrier
        carrier <- flights.carrier; total <- flights.distance AGGREGATION; * <- flights.carrier GROUP_BY
    an aggregate of pairs takes the rows in which both are
        SELECT regr_avgx(air_time, distance) AS x, regr_slope(air_time, distance) AS s, regr_count(air_time,
        distance) AS n FROM flights
        x <- flights.distance AGGREGATION, flights.distance CONDITIONAL, flights.air_time CONDITIONAL
        s <- flights.distance AGGREGATION, flights.air_time AGGREGATION
        n <- flights.distance AGGREGATION MASKED, flights.air_time AGGREGATION MASKED
    aggregates of expressions and expressions of aggregates
        SELECT avg(distance / air_time) AS speed, sum(distance) / max(flight) + 1 AS x FROM flights
        speed <- flights.distance AGGREGATION, flights.air_time AGGREGATION
        x <- flights.distance AGGREGATION, flights.flight AGGREGATION
    aggregates of many arguments
        SELECT max_by(dest, distance) AS far, collect_set(carrier) AS who, first(origin) AS one,
        percentile_approx(distance, 0.5) AS mid, corr(distance, air_time) AS c FROM flights
        far <- flights.dest AGGREGATION, flights.distance AGGREGATION
        who <- flights.carrier AGGREGATION
        one <- flights.origin AGGREGATION
        mid <- flights.distance AGGREGATION
        c <- flights.distance AGGREGATION, flights.air_time AGGREGATION
    an aggregate that decides is a condition
        SELECT CASE WHEN sum(distance) > 100 THEN max(dest) END AS c FROM flights
        c <- flights.distance CONDITIONAL, flights.dest AGGREGATION
    """
)

PIVOTS = queries(
    """
    a pivot of a text is by conditions
        SELECT * FROM (SELECT day, carrier, dest FROM flights) PIVOT (collect_list(dest) FOR carrier IN ('UA' AS u))
        day <- flights.day
        u <- flights.dest AGGREGATION, flights.carrier CONDITIONAL
        * <- flights.day GROUP_BY
    an unpivot casts what is of another type
        SELECT * FROM (SELECT carrier, CAST(flight AS BIGINT) AS f, distance FROM flights) UNPIVOT (v FOR k IN (f,
        distance))
        carrier <- flights.carrier
        k <- nothing
        v <- flights.flight TRANSFORMATION, flights.distance TRANSFORMATION
        * <- flights.flight FILTER, flights.distance FILTER
    """
)

WINDOWS = queries(
    """
    a rank is of its window alone
        SELECT rank() OVER (PARTITION BY carrier ORDER BY distance) AS r, row_number() OVER (PARTITION BY origin
        ORDER BY day) AS n, ntile(4) OVER (ORDER BY flight) AS q FROM flights
        r <- flights.carrier WINDOW, flights.distance WINDOW
        n <- flights.origin WINDOW, flights.day WINDOW
        q <- flights.flight WINDOW
    a value out of a window's row
        SELECT lag(distance) OVER (PARTITION BY carrier ORDER BY day) AS l, lead(dest, 1, origin) OVER (ORDER BY
        day) AS m FROM flights
        l <- flights.distance TRANSFORMATION, flights.carrier WINDOW, flights.day WINDOW
        m <- flights.dest TRANSFORMATION, flights.origin TRANSFORMATION, flights.day WINDOW
    a window over aggregates
        SELECT carrier, sum(sum(distance)) OVER (PARTITION BY carrier ORDER BY max(flight)) AS s FROM flights GROUP
        BY carrier
        carrier <- flights.carrier
        s <- flights.distance AGGREGATION, flights.carrier WINDOW, flights.flight WINDOW
        * <- flights.carrier GROUP_BY
    """
)

GENERATORS = queries(
    """
    values of a text
        SELECT json_tuple(note, 'a', 'b') AS (a, b) FROM crews
        a, b <- crews.note TRANSFORMATION
    an explosion in FROM
        SELECT c.flight, e.col AS leg FROM crews c, LATERAL explode(c.legs) AS e
        flight <- crews.flight; leg <- crews.legs TRANSFORMATION
    """
)


@pytest.mark.parametrize("case", [*GROUPS, *PIVOTS, *WINDOWS, *GENERATORS], ids=str)
def test_aggregates(case: Case, check) -> None:
    check(case)
