"""Aggregates, windows and generators."""

from __future__ import annotations

import pytest
from pyspark.sql import functions as sf

from tests.spark.capture.specification import Case, frame, queries

GROUPS = queries(
    """
    an aggregate of pairs takes the rows in which both are
        SELECT regr_avgx(air_time, distance) AS x, regr_slope(air_time, distance) AS s, regr_count(air_time,
        distance) AS n FROM flights
        x <- flights.distance AGGREGATION, flights.distance CONDITIONAL, flights.air_time CONDITIONAL
        s <- flights.distance AGGREGATION, flights.air_time AGGREGATION
        n <- flights.distance AGGREGATION MASKED, flights.air_time AGGREGATION MASKED
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
    """
)

_STAR = "flight, contact, employees, tags, places, legs, note"
# Columns beside a generator keep their lineage.
_BESIDE = "; ".join(f"{name} <- crews.{name} IDENTITY" for name in _STAR.split(", "))
_WITH_ROLES = """
    who <- crews.employees.name TRANSFORMATION, crews.employees.role TRANSFORMATION
    as_what <- crews.employees.role TRANSFORMATION
"""
GENERATORS = (
    *queries(
        f"""
        values of a text
            SELECT json_tuple(note, 'a', 'b') AS (a, b) FROM crews
            a, b <- crews.note TRANSFORMATION
        an explosion in FROM
            SELECT c.flight, e.col AS leg FROM crews c, LATERAL explode(c.legs) AS e
            flight <- crews.flight; leg <- crews.legs TRANSFORMATION
        an exploded map
            SELECT flight, explode(tags) AS (k, v) FROM crews
            flight <- crews.flight; k, v <- crews.tags TRANSFORMATION
        structs of a filter in a lateral view
            SELECT * FROM crews LATERAL VIEW inline_outer(filter(employees, e -> e.role <> 'pilot')) t AS who, as_what
            {_BESIDE}
            {_WITH_ROLES}
        built structs
            SELECT inline(array(struct(flight AS f, note AS n), struct(1 AS f, contact.email AS n))) AS (f, n)
            FROM crews
            f <- crews.flight TRANSFORMATION; n <- crews.note TRANSFORMATION, crews.contact.email TRANSFORMATION
        a stack in a lateral view
            SELECT * FROM crews LATERAL VIEW stack(2, 'a', note, 'c', contact.email) t AS what, value
            {_BESIDE}
            what <- nothing; value <- crews.note TRANSFORMATION, crews.contact.email TRANSFORMATION
        """
    ),
    frame(
        "an explosion before a star",
        lambda spark: spark.table("crews").select(sf.explode("legs").alias("leg"), "*"),
        f"{_BESIDE}; leg <- crews.legs TRANSFORMATION",
    ),
    frame(
        "structs of a filter before a star",
        lambda spark: spark.table("crews").select(
            sf.inline_outer(sf.filter("employees", lambda each: each["role"] != "pilot")).alias("who", "as_what"), "*"
        ),
        f"{_BESIDE}\n{_WITH_ROLES}",
    ),
    frame(
        "positions and elements",
        lambda spark: spark.table("crews").select(sf.posexplode("legs").alias("at", "leg"), "flight"),
        "at, leg <- crews.legs TRANSFORMATION; flight <- crews.flight",
    ),
    frame(
        "an explosion in the place of a column",
        lambda spark: spark.table("crews").select("flight", "legs").withColumn("legs", sf.explode("legs")),
        "flight <- crews.flight; legs <- crews.legs TRANSFORMATION",
    ),
)


@pytest.mark.parametrize("case", [*GROUPS, *WINDOWS, *GENERATORS], ids=str)
def test_aggregates(case: Case, check) -> None:
    check(case)
