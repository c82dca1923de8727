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
    fields of comma-separated values, and back
        SELECT from_csv(note, 'a INT, b STRING').b AS b, to_csv(struct(flight, note)) AS c FROM crews
        b <- crews.note TRANSFORMATION; c <- crews.flight TRANSFORMATION, crews.note TRANSFORMATION
    a generator on the right of a left join
        SELECT c.flight, e.name FROM crews c LEFT JOIN LATERAL inline_outer(c.employees) AS e(name, role)
        flight <- crews.flight; name <- crews.employees.name TRANSFORMATION
    """
)

COLLECTIONS = queries(
    """
    literals where a column stands mostly
        SELECT array_repeat('x', 3) AS a, array_repeat('x', flight) AS b, element_at(array('x', 'y'), 1 + flight %
        2) AS c, slice(array(1, 2), 1, flight) AS d, array_remove(array(1, 2), flight) AS e, flight FROM flights
        a <- nothing; b, c, d, e <- flights.flight TRANSFORMATION; flight <- flights.flight
    structs, arrays and maps as texts
        SELECT CAST(contact AS STRING) AS c, CAST(employees AS STRING) AS e, CAST(places AS STRING) AS p,
        CAST(struct(flight, note) AS STRING) AS s, CAST(employees AS ARRAY<STRUCT<n: STRING, r: STRING>>).r AS r,
        CAST(places AS MAP<STRING, STRUCT<a: STRING, b: STRING>>)['home'].b AS b, CAST(contact AS STRUCT<e: STRING,
        p: STRUCT<h: STRING, w: BIGINT>>).p.w AS w FROM crews
        c <- crews.contact TRANSFORMATION
        e <- crews.employees TRANSFORMATION
        p <- crews.places TRANSFORMATION
        s <- crews.flight TRANSFORMATION, crews.note TRANSFORMATION
        r <- crews.employees.role TRANSFORMATION
        b <- crews.places.country TRANSFORMATION
        w <- crews.contact.phone.work TRANSFORMATION
    arrays of arrays of structs
        SELECT flatten(array(employees, employees)).name AS n, transform(array(employees), es -> transform(es, e ->
        e.role))[0] AS r FROM crews
        n <- crews.employees.name TRANSFORMATION; r <- crews.employees.role TRANSFORMATION
    a struct of an element and its number
        SELECT transform(employees, (e, i) -> struct(i AS n, e.name AS who)) AS t FROM crews
        t.n <- nothing; t.who <- crews.employees.name TRANSFORMATION
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
    paths into a variant
        since: 4.0
        SELECT try_variant_get(parse_json(note), '$.a', 'int') AS a, is_variant_null(parse_json(note):b) AS b,
        schema_of_variant(parse_json(note)) AS s FROM crews
        a, b, s <- crews.note TRANSFORMATION
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
