"""Queries of collections: generators, functions of arrays and maps, variants."""

from __future__ import annotations

import pytest

from tests.spark.capture.specification import Case, queries

GENERATORS = queries(
    """
    a map that is made and exploded has its keys apart from its values
        SELECT k, v.d AS d FROM (SELECT explode(map(carrier, struct(dest AS d), 'x', struct(origin AS d))) AS (k, v)
        FROM flights)
        k <- flights.carrier TRANSFORMATION; d <- flights.dest TRANSFORMATION, flights.origin TRANSFORMATION
    """
)

COLLECTIONS = queries(
    """
    literals where a column stands mostly
        SELECT array_repeat('x', 3) AS a, array_repeat('x', flight) AS b, element_at(array('x', 'y'), 1 + flight %
        2) AS c, slice(array(1, 2), 1, flight) AS d, array_remove(array(1, 2), flight) AS e, flight FROM flights
        a <- nothing; b, c, d, e <- flights.flight TRANSFORMATION; flight <- flights.flight
    lambdas whose variables have the same name
        SELECT transform(legs, x -> aggregate(legs, flight, (a, x) -> a + x) + x) AS t FROM crews
        t <- crews.legs TRANSFORMATION, crews.flight TRANSFORMATION
    the entries of a map
        SELECT map_entries(places).value.city AS c, map_entries(tags)[0].key AS k FROM crews
        c <- crews.places.city TRANSFORMATION; k <- crews.tags TRANSFORMATION
    a map of entries
        SELECT map_from_entries(array(struct(carrier AS k, struct(dest, flight) AS v)))['UA'].dest AS d FROM flights
        d <- flights.carrier TRANSFORMATION, flights.dest TRANSFORMATION
    a map's values, united with another's
        SELECT map_zip_with(tags, tags, (k, a, b) -> concat(a, b, note)) AS z, transform_keys(places, (k, v) ->
        v.city)['x'].country AS c FROM crews
        z <- crews.tags TRANSFORMATION, crews.note TRANSFORMATION
        c <- crews.places.country TRANSFORMATION, crews.places.city TRANSFORMATION
    a union of structs with other names
        SELECT struct(carrier AS a, dest AS b) AS s FROM flights UNION ALL SELECT struct(model, tailnum) FROM planes
        s.a <- flights.carrier, planes.model; s.b <- flights.dest, planes.tailnum
    the order of structs that are sorted
        SELECT array_max(transform(employees, e -> struct(e.role AS r, e.name AS n))).n AS last FROM crews
        last <- crews.employees.name TRANSFORMATION, crews.employees.role CONDITIONAL
    an index is no part of what it finds
        SELECT get(employees, flight).name AS a, slice(employees, flight, 1).role AS b, array_insert(employees,
        flight, employees[0])[0].name AS c, array_except(employees, employees).name AS d, map_keys(map(carrier,
        dest))[0] AS e FROM crews JOIN flights USING (flight)
        a <- crews.employees.name TRANSFORMATION, crews.flight TRANSFORMATION
        b <- crews.employees.role TRANSFORMATION, crews.flight TRANSFORMATION
        c <- crews.employees.name TRANSFORMATION, crews.flight TRANSFORMATION
        d <- crews.employees.name TRANSFORMATION, crews.employees TRANSFORMATION
        e <- flights.carrier TRANSFORMATION
        * <- crews.flight JOIN, flights.flight JOIN
    a try at an element
        SELECT try_element_at(places, note).city AS c FROM crews
        c <- crews.places.city TRANSFORMATION, crews.note TRANSFORMATION
    a struct as a variant
        since: 4.0
        SELECT to_variant_object(contact):email::string AS e FROM crews
        e <- crews.contact TRANSFORMATION
    a text in another collation
        since: 4.0
        SELECT collate(carrier, 'UTF8_LCASE') AS c, max(dest COLLATE UNICODE_CI) AS d FROM flights GROUP BY 1
        c <- flights.carrier TRANSFORMATION; d <- flights.dest AGGREGATION; * <- flights.carrier GROUP_BY
    """
)


@pytest.mark.parametrize("case", [*GENERATORS, *COLLECTIONS], ids=str)
def test_collections_in_sql(case: Case, check) -> None:
    check(case)
