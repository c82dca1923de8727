"""Fields inside structs keep their paths, in what is read and in what is written."""

from __future__ import annotations

import pytest
from pyspark.sql import functions as sf

from tests.spark.capture.specification import Case, frame, queries

STRUCTS = (
    *queries(
        """
        the largest struct still has its fields
            SELECT max(struct(distance, dest)).dest AS farthest FROM flights
            farthest <- flights.dest AGGREGATION, flights.distance CONDITIONAL
        """
    ),
    frame(
        "a field is set in a struct",
        lambda spark: spark.table("airports").select(
            sf.col("location").withField("lat", sf.col("alt") * 2).withField("zone", sf.col("tz")).alias("location")
        ),
        """
        location.lat <- airports.alt TRANSFORMATION
        location.lon <- airports.location.lon
        location.zone <- airports.tz
        """,
    ),
    frame(
        "a field is dropped from a struct",
        lambda spark: spark.table("crews").select(sf.col("contact").dropFields("email").alias("c")),
        "c.phone <- crews.contact.phone",
    ),
)

COLLECTIONS = queries(
    """
    a field of an array's structs
        SELECT employees.name AS names FROM crews
        names <- crews.employees.name
    functions that keep elements keep their fields
        SELECT filter(employees, e -> e.role = 'captain')[0].name AS f, slice(employees, 1, 1)[0].name AS s,
        element_at(array_distinct(employees), 1).name AS d FROM crews
        f <- crews.employees.name TRANSFORMATION, crews.employees.role TRANSFORMATION
        s, d <- crews.employees.name TRANSFORMATION
    a higher-order function is made of what it goes through
        SELECT transform(legs, x -> x + 1) AS t, filter(legs, x -> x > 1) AS f, aggregate(legs, 0, (a, x) -> a + x)
        AS r, exists(legs, x -> x > 1) AS e FROM crews
        t, f, r, e <- crews.legs TRANSFORMATION
    and of what its function takes from outside
        SELECT transform(legs, x -> x + flight) AS t, zip_with(legs, legs, (x, y) -> concat(x, y, note)) AS z FROM
        crews
        t <- crews.legs TRANSFORMATION, crews.flight TRANSFORMATION
        z <- crews.legs TRANSFORMATION, crews.note TRANSFORMATION
    a function of maps
        SELECT transform_values(tags, (k, v) -> concat(v, flight)) AS t, map_filter(tags, (k, v) -> v > k) AS f FROM
        crews
        t <- crews.tags TRANSFORMATION, crews.flight TRANSFORMATION; f <- crews.tags TRANSFORMATION
    """
)


@pytest.mark.parametrize("case", [*STRUCTS, *COLLECTIONS], ids=str)
def test_nested_fields(case: Case, check) -> None:
    check(case)
