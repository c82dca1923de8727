"""Fields inside structs keep their paths, in what is read and in what is written."""

from __future__ import annotations

import pytest
from pyspark.sql import functions as sf

from tests.spark.capture.specification import Case, frame, queries

STRUCTS = (
    *queries(
        """
        all fields of a struct
            SELECT location.* FROM airports
            lat <- airports.location.lat; lon <- airports.location.lon
        a struct that is built has a line for each field
            SELECT named_struct('a', carrier, 'd', distance * 2, 'one', 1) AS s FROM flights
            s.a <- flights.carrier; s.d <- flights.distance TRANSFORMATION; s.one <- nothing
        either of two structs
            SELECT if(alt > 9, location, named_struct('lat', 0D, 'lon', 0D)) AS l FROM airports
            l.lat <- airports.alt CONDITIONAL, airports.location.lat TRANSFORMATION
            l.lon <- airports.alt CONDITIONAL, airports.location.lon TRANSFORMATION
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
    an element that a column names
        SELECT legs[flight - 1545] AS leg FROM crews
        leg <- crews.legs TRANSFORMATION, crews.flight TRANSFORMATION
    a value of a map
        SELECT tags['seat'] AS seat, places['home'].city AS city FROM crews
        seat <- crews.tags TRANSFORMATION; city <- crews.places.city TRANSFORMATION
    what is taken out of a built array's structs
        SELECT array(struct(origin AS place, flight))[0].place AS p FROM flights
        p <- flights.origin TRANSFORMATION
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
    what its function takes of a struct has the field's path
        SELECT transform(employees, e -> upper(e.name)) AS t FROM crews
        t <- crews.employees.name TRANSFORMATION
    a function of maps
        SELECT transform_values(tags, (k, v) -> concat(v, flight)) AS t, map_filter(tags, (k, v) -> v > k) AS f FROM
        crews
        t <- crews.tags TRANSFORMATION, crews.flight TRANSFORMATION; f <- crews.tags TRANSFORMATION
    """
)

TEXTS = queries(
    """
    what is parsed out of a text has no path in it
        SELECT from_json(note, 'a INT, b STRING') AS j, from_json(note, 'a INT').a AS a FROM crews
        j, a <- crews.note TRANSFORMATION
    a value in a text
        SELECT get_json_object(note, '$.a') AS a, split(note, ',')[0] AS b FROM crews
        a, b <- crews.note TRANSFORMATION
    """
)


@pytest.mark.parametrize("case", [*STRUCTS, *COLLECTIONS, *TEXTS], ids=str)
def test_nested_fields(case: Case, check) -> None:
    check(case)
