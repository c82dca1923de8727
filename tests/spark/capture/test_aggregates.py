"""Aggregates, pivots, windows and generators."""

from __future__ import annotations

import pytest
from pyspark.sql import functions as sf

from tests.spark.capture.specification import Case, frame, queries, query

GROUPS = queries(
    """
    an aggregate is made of its argument, by groups
        SELECT carrier, sum(distance) AS total FROM flights GROUP BY carrier
        carrier <- flights.carrier; total <- flights.distance AGGREGATION; * <- flights.carrier GROUP_BY
    without groups there are no keys
        SELECT max(distance) AS m FROM flights
        m <- flights.distance AGGREGATION
    counting rows takes nothing
        SELECT carrier, count(*) AS n, count(1) AS m FROM flights GROUP BY carrier
        carrier <- flights.carrier; n, m <- nothing; * <- flights.carrier GROUP_BY
    counting values hides them
        SELECT count(tailnum) AS n, count(DISTINCT carrier, dest) AS d FROM flights
        n <- flights.tailnum AGGREGATION MASKED
        d <- flights.carrier AGGREGATION MASKED, flights.dest AGGREGATION MASKED
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
    a condition inside an aggregate
        SELECT sum(CASE WHEN origin = 'JFK' THEN distance ELSE 0 END) AS s FROM flights
        s <- flights.origin CONDITIONAL, flights.distance AGGREGATION
    an aggregate's own filter is of its column
        SELECT sum(distance) FILTER (WHERE origin = 'JFK') AS s, max(flight) AS m FROM flights
        s <- flights.distance AGGREGATION, flights.origin FILTER; m <- flights.flight AGGREGATION
    keys may be expressions
        SELECT upper(carrier) AS c, year(day) AS y, sum(distance) AS s FROM flights GROUP BY upper(carrier),
        year(day)
        c <- flights.carrier TRANSFORMATION
        y <- flights.day TRANSFORMATION
        s <- flights.distance AGGREGATION
        * <- flights.carrier GROUP_BY, flights.day GROUP_BY
    keys may be given by their place or alias
        SELECT carrier AS c, dest, sum(distance) AS s FROM flights GROUP BY c, 2
        c <- flights.carrier
        dest <- flights.dest
        s <- flights.distance AGGREGATION
        * <- flights.carrier GROUP_BY, flights.dest GROUP_BY
    all that is no aggregate is a key
        SELECT carrier, dest, count(*) AS n FROM flights GROUP BY ALL
        carrier <- flights.carrier
        dest <- flights.dest
        n <- nothing
        * <- flights.carrier GROUP_BY, flights.dest GROUP_BY
    having filters by the aggregate
        SELECT carrier FROM flights GROUP BY carrier HAVING sum(distance) > 100
        carrier <- flights.carrier; * <- flights.carrier GROUP_BY, flights.distance FILTER
    an aggregate of aggregates
        SELECT max(total) AS m FROM (SELECT carrier, sum(distance) AS total FROM flights GROUP BY carrier)
        m <- flights.distance AGGREGATION; * <- flights.carrier GROUP_BY
    an aggregate that decides is a condition
        SELECT CASE WHEN sum(distance) > 100 THEN max(dest) END AS c FROM flights
        c <- flights.distance CONDITIONAL, flights.dest AGGREGATION
    """
)

_ROLLED = """
        carrier <- flights.carrier IDENTITY
        dest <- flights.dest IDENTITY
        s <- flights.distance AGGREGATION
        * <- flights.carrier GROUP_BY, flights.dest GROUP_BY
"""
GROUPING_SETS = (
    *(
        query(
            f"{by} keeps its keys",
            f"SELECT carrier, dest, sum(distance) AS s FROM flights GROUP BY {by}",
            _ROLLED,
        )
        for by in ("ROLLUP (carrier, dest)", "CUBE (carrier, dest)", "GROUPING SETS ((carrier, dest), (carrier), ())")
    ),
    frame(
        "a frame's cube keeps its keys",
        lambda spark: spark.table("flights").cube("carrier", "dest").agg(sf.sum("distance").alias("s")),
        _ROLLED,
    ),
    *queries(
        """
        which keys are grouped is made of nothing
            SELECT carrier, grouping(carrier) AS g, grouping_id() AS i FROM flights GROUP BY CUBE (carrier)
            carrier <- flights.carrier; g, i <- nothing; * <- flights.carrier GROUP_BY
        a key that is aggregated, too
            SELECT carrier, max(carrier) AS m FROM flights GROUP BY ROLLUP (carrier)
            carrier <- flights.carrier; m <- flights.carrier AGGREGATION; * <- flights.carrier GROUP_BY
        """
    ),
)

PIVOTS = (
    frame(
        "a pivot's columns are aggregates, on condition of the pivot's column",
        lambda spark: spark.table("flights").groupBy("day").pivot("carrier", ["UA", "B6"]).sum("distance"),
        """
        day <- flights.day
        UA, B6 <- flights.distance AGGREGATION, flights.carrier CONDITIONAL
        * <- flights.day GROUP_BY, flights.carrier GROUP_BY
        """,
    ),
    *queries(
        """
        a pivot of a text is by conditions
            SELECT * FROM (SELECT day, carrier, dest FROM flights) PIVOT (collect_list(dest) FOR carrier IN ('UA' AS u))
            day <- flights.day
            u <- flights.dest AGGREGATION, flights.carrier CONDITIONAL
            * <- flights.day GROUP_BY
        a pivot with several aggregates
            SELECT * FROM (SELECT day, carrier, distance, flight FROM flights) PIVOT (sum(distance) AS d, max(flight) AS
            f FOR carrier IN ('UA' AS u))
            day <- flights.day
            u_d <- flights.distance AGGREGATION, flights.carrier CONDITIONAL
            u_f <- flights.flight AGGREGATION, flights.carrier CONDITIONAL
            * <- flights.day GROUP_BY, flights.carrier GROUP_BY
        an unpivot casts what is of another type
            SELECT * FROM (SELECT carrier, CAST(flight AS BIGINT) AS f, distance FROM flights) UNPIVOT (v FOR k IN (f,
            distance))
            carrier <- flights.carrier
            k <- nothing
            v <- flights.flight TRANSFORMATION, flights.distance TRANSFORMATION
            * <- flights.flight FILTER, flights.distance FILTER
        """
    ),
    frame(
        "an unpivot's value is each of its columns",
        lambda spark: spark.table("planes").unpivot(["tailnum"], ["seats", "engines"], "what", "how_many"),
        "tailnum <- planes.tailnum; what <- nothing; how_many <- planes.seats, planes.engines",
    ),
)

WINDOWS = queries(
    """
    a rank is of its window alone
        SELECT rank() OVER (PARTITION BY carrier ORDER BY distance) AS r, row_number() OVER (PARTITION BY origin
        ORDER BY day) AS n, ntile(4) OVER (ORDER BY flight) AS q FROM flights
        r <- flights.carrier WINDOW, flights.distance WINDOW
        n <- flights.origin WINDOW, flights.day WINDOW
        q <- flights.flight WINDOW
    the other ranks, too
        SELECT dense_rank() OVER w AS d, percent_rank() OVER w AS p, cume_dist() OVER w AS c FROM flights WINDOW w
        AS (PARTITION BY carrier ORDER BY distance)
        d, p, c <- flights.carrier WINDOW, flights.distance WINDOW
    a value out of a window's row
        SELECT lag(distance) OVER (PARTITION BY carrier ORDER BY day) AS l, lead(dest, 1, origin) OVER (ORDER BY
        day) AS m FROM flights
        l <- flights.distance TRANSFORMATION, flights.carrier WINDOW, flights.day WINDOW
        m <- flights.dest TRANSFORMATION, flights.origin TRANSFORMATION, flights.day WINDOW
    an aggregate over a window
        SELECT carrier, sum(distance) OVER (PARTITION BY carrier ORDER BY day ROWS 2 PRECEDING) AS s, first(dest)
        OVER (PARTITION BY carrier ORDER BY day) AS f FROM flights
        carrier <- flights.carrier
        s <- flights.distance AGGREGATION, flights.carrier WINDOW, flights.day WINDOW
        f <- flights.dest AGGREGATION, flights.carrier WINDOW, flights.day WINDOW
    a window over aggregates
        SELECT carrier, sum(sum(distance)) OVER (PARTITION BY carrier ORDER BY max(flight)) AS s FROM flights GROUP
        BY carrier
        carrier <- flights.carrier
        s <- flights.distance AGGREGATION, flights.carrier WINDOW, flights.flight WINDOW
        * <- flights.carrier GROUP_BY
    a window in an expression, and a filter by it
        SELECT dest FROM (SELECT dest, 1 + row_number() OVER (PARTITION BY carrier ORDER BY distance) AS n FROM
        flights) WHERE n = 2
        dest <- flights.dest; * <- flights.carrier FILTER, flights.distance FILTER
    a share of the whole
        SELECT distance / sum(distance) OVER (PARTITION BY carrier) AS share FROM flights
        share <- flights.distance TRANSFORMATION, flights.distance AGGREGATION, flights.carrier WINDOW
    """
)

GENERATORS = queries(
    """
    what is exploded is of the collection
        SELECT flight, explode(legs) AS leg FROM crews
        flight <- crews.flight; leg <- crews.legs TRANSFORMATION
    a field behind an explosion keeps its path
        SELECT e.name, e FROM (SELECT explode(employees) AS e FROM crews)
        name <- crews.employees.name TRANSFORMATION; e <- crews.employees TRANSFORMATION
    a lateral view is an explosion
        SELECT c.flight, e.role FROM crews c LATERAL VIEW OUTER explode(c.employees) t AS e
        flight <- crews.flight; role <- crews.employees.role TRANSFORMATION
    two lateral views
        SELECT e.name, l FROM crews LATERAL VIEW explode(employees) a AS e LATERAL VIEW posexplode(legs) b AS p, l
        name <- crews.employees.name TRANSFORMATION; l <- crews.legs TRANSFORMATION
    positions are of the collection, too
        SELECT posexplode(legs) AS (p, l) FROM crews
        p, l <- crews.legs TRANSFORMATION
    keys and values of a map
        SELECT explode(tags) AS (k, v) FROM crews
        k, v <- crews.tags TRANSFORMATION
    structs laid out as columns
        SELECT inline(employees) AS (name, role) FROM crews
        name <- crews.employees.name TRANSFORMATION; role <- crews.employees.role TRANSFORMATION
    values of a text
        SELECT json_tuple(note, 'a', 'b') AS (a, b) FROM crews
        a, b <- crews.note TRANSFORMATION
    an explosion of what is built
        SELECT carrier, place FROM flights LATERAL VIEW explode(array(origin, dest)) AS place
        carrier <- flights.carrier; place <- flights.origin TRANSFORMATION, flights.dest TRANSFORMATION
    an explosion in FROM
        SELECT c.flight, e.col AS leg FROM crews c, LATERAL explode(c.legs) AS e
        flight <- crews.flight; leg <- crews.legs TRANSFORMATION
    """
)


@pytest.mark.parametrize("case", [*GROUPS, *GROUPING_SETS, *PIVOTS, *WINDOWS, *GENERATORS], ids=str)
def test_aggregates(case: Case, check) -> None:
    check(case)
