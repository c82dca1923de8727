"""Structs, arrays and maps that a query makes, takes apart and makes again."""

from __future__ import annotations

import pytest
from pyspark.sql import functions as sf

from tests.spark.capture.specification import Case, frame, queries

CASES = (
    *queries(
        """
        structs in a map that is built
            SELECT map(carrier, struct(dest AS d, flight AS f))['UA'].d AS d FROM flights
            d <- flights.carrier TRANSFORMATION, flights.dest TRANSFORMATION
        the first of sorted structs
            SELECT sort_array(collect_list(struct(day, dest)))[0].dest AS d FROM flights
            d <- flights.dest AGGREGATION, flights.day CONDITIONAL
        collected arrays laid flat
            SELECT flatten(collect_list(employees)).name AS names FROM crews
            names <- crews.employees.name AGGREGATION
        structs collected and exploded again
            SELECT e.d AS d FROM (SELECT explode(collect_list(struct(dest AS d, flight AS f))) AS e FROM flights)
            d <- flights.dest AGGREGATION
        an array sorted by a function
            SELECT array_sort(employees, (l, r) -> if(l.role < r.role, -1, 1))[0].name AS n FROM crews
            n <- crews.employees.name TRANSFORMATION, crews.employees.role CONDITIONAL
        either of two arrays of structs
            SELECT array_union(employees, slice(employees, 1, 1))[0].role AS r, coalesce(employees, array()).name AS n
            FROM crews
            r <- crews.employees.role TRANSFORMATION
            n <- crews.employees.name TRANSFORMATION, crews.employees CONDITIONAL
        """
    ),
    frame(
        "a field set in an array's structs",
        lambda spark: spark.table("crews").select(
            sf.transform("employees", lambda staff: staff.withField("role", sf.upper(staff["role"]))).alias("e")
        ),
        "e.name <- crews.employees.name TRANSFORMATION; e.role <- crews.employees.role TRANSFORMATION",
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_made_structs(case: Case, check) -> None:
    check(case)
