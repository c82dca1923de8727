"""Queries with functions of SQL's own, pipes, variants and scripts."""

from __future__ import annotations

import pytest

from tests.spark.capture.specification import Case, queries, query

FUNCTIONS = (
    *queries(
        """
        a function that SQL defines is its expression
            before: CREATE OR REPLACE TEMPORARY FUNCTION twice_of(x INT) RETURNS INT RETURN x * 2
            since: 4.0
            SELECT twice_of(distance) AS d, carrier FROM flights
            d <- flights.distance TRANSFORMATION; carrier <- flights.carrier
        steps of pipes
            since: 4.0
            FROM flights |> SET distance = distance + flight |> DROP flight |> AS f |> JOIN planes p ON f.tailnum =
            p.tailnum |> SELECT distance, model |> ORDER BY model
            distance <- flights.distance TRANSFORMATION, flights.flight TRANSFORMATION
            model <- planes.model
            * <- flights.tailnum JOIN, planes.tailnum JOIN, planes.model SORT
        rows of a variant
            since: 4.0
            SELECT e.value AS v FROM crews, LATERAL variant_explode(parse_json(note)) e
            v <- crews.note TRANSFORMATION
        a function that gives a table is its query
            since: 4.0
            before: CREATE OR REPLACE TEMPORARY FUNCTION planes_of(n INT) RETURNS TABLE (model STRING) RETURN \
                SELECT model FROM planes WHERE engines = n
            SELECT model AS m FROM planes_of(2)
            m <- planes.model; * <- planes.engines FILTER
        """
    ),
    query(
        "a script is a step that nobody knows",
        "SELECT TRANSFORM (carrier, dest) USING 'cat' AS (a STRING, b STRING) FROM flights WHERE flight > 1",
        "\n".join(
            f"{column} <- flights.{source} UNKNOWN (unknown plan node ScriptTransformation)"
            for column in "ab"
            for source in ("carrier", "dest")
        )
        + "\n* <- flights.flight FILTER",
    ),
)


@pytest.mark.parametrize("case", FUNCTIONS, ids=str)
def test_statements(case: Case, check) -> None:
    check(case)
