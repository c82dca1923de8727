"""Columns of queries in SQL, read from the analyzed plans that Spark 4.3 prints, without a server."""

from __future__ import annotations

import difflib

import pytest

from spark_client.capturing.connect.literal_risks import LiteralRisks, risks_of
from spark_client.capturing.connect.snapshots import Column, Snapshot, Unreadable
from tests.spark.capture.specification import expected
from tests.unit.spark_client.capturing.connect_programs import a_table, lines_of_text

FLIGHTS = (
    "SubqueryAlias spark_catalog.default.flights\n"
    "{0}+- Relation spark_catalog.default.flights"
    "[carrier#35,flight#36,tailnum#37,origin#38,dest#39,distance#40,air_time#41] parquet"
)
PLANES = (
    "SubqueryAlias spark_catalog.default.planes\n"
    "{0}+- Relation spark_catalog.default.planes[tailnum#45,seats#46,model#48] parquet"
)


def _opaque(function: str) -> str:
    return ", ".join(f"flights.{name} TRANSFORMATION (opaque: {function})" for name in ("carrier", "distance"))


def above(*steps: str, leaf: str = FLIGHTS) -> str:
    """Return the text of steps, each below the one before it, over a table."""
    lines = [f"{'   ' * (depth - 1)}+- {step}" if depth else step for depth, step in enumerate(steps)]
    indent = "   " * len(steps)
    return "\n".join([*lines, f"{indent[3:]}+- {leaf.format(indent)}"])


CASES = {
    "groups, a condition on them, and an order": (
        "SELECT carrier, sum(distance) AS total, count(DISTINCT dest) d FROM flights GROUP BY carrier",
        above(
            "Sort [carrier#35 ASC NULLS FIRST], true",
            "Filter (total#49L > cast(2 as bigint))",
            "Aggregate [carrier#35], [carrier#35, sum(distance#40) AS total#49L, count(distinct dest#39) AS d#51L]",
        ),
        """
        carrier <- flights.carrier
        total <- flights.distance AGGREGATION
        d <- flights.dest AGGREGATION MASKED
        * <- flights.carrier GROUP_BY, flights.distance FILTER, flights.carrier SORT
        """,
    ),
    "choices, casts, and a name as it is written": (
        "SELECT CARRIER, CASE WHEN distance > 3 THEN dest ELSE 'b c' END AS x, if(distance > 2, dest, origin) AS i ...",
        above(
            "Project [CARRIER#35, CASE WHEN (distance#40 > 3) THEN dest#39 ELSE b c END AS x#72, "
            "if ((distance#40 > 2)) dest#39 else origin#38 AS i#73, cast(flight#36 as string) AS g#74, "
            "cast(carrier#35 as string) AS same#75]"
        ),
        """
        CARRIER <- flights.carrier
        x <- flights.dest TRANSFORMATION, flights.distance CONDITIONAL
        i <- flights.dest TRANSFORMATION, flights.origin TRANSFORMATION, flights.distance CONDITIONAL
        g <- flights.flight TRANSFORMATION
        same <- flights.carrier
        """,
    ),
    "a literal that looks like a part of an expression leaves the sources, not how": (
        "SELECT concat(carrier, ' AS x), (', dest) AS c, origin FROM flights",
        above("Project [concat(carrier#35,  AS x), (, dest#39) AS c#1, origin#38]"),
        "c <- flights.carrier SOMEHOW, flights.dest SOMEHOW; origin <- flights.origin IDENTITY",
    ),
    "a window": (
        "SELECT sum(distance) OVER (PARTITION BY origin ORDER BY flight) s FROM flights",
        above(
            "Project [s#171L]",
            "Window [sum(distance#40) windowspecdefinition(origin#38, flight#36 ASC NULLS FIRST, "
            "specifiedwindowframe(RowFrame, -1, currentrow$())) AS s#171L], [origin#38], [flight#36 ASC NULLS FIRST]",
        ),
        "s <- flights.distance AGGREGATION, flights.origin WINDOW, flights.flight WINDOW",
    ),
    "subqueries of a filter, one about the row": (
        "SELECT carrier FROM flights WHERE tailnum IN (SELECT tailnum FROM planes WHERE seats > distance)",
        f"""Project [carrier#35]
+- Filter tailnum#37 IN (list#83 [distance#40])
   :  +- Project [tailnum#45]
   :     +- Filter (seats#46 > outer(distance#40))
   :        +- {PLANES.format("   :           ")}
   +- {FLIGHTS.format("      ")}""",
        """
        carrier <- flights.carrier
        * <- flights.tailnum FILTER, planes.tailnum FILTER, planes.seats FILTER, flights.distance FILTER
        """,
    ),
    "a join and a union": (
        "SELECT f.carrier, p.seats FROM flights f JOIN planes p USING (tailnum) UNION ALL SELECT model, seats FROM ...",
        f"""Union false, false
:- Project [carrier#35, seats#46]
:  +- Join LeftOuter, (tailnum#37 = tailnum#45)
:     :- SubqueryAlias f
:     :  +- {FLIGHTS.format(":     :     ")}
:     +- SubqueryAlias p
:        +- {PLANES.format(":           ")}
+- Project [model#58, seats#56]
   +- {PLANES.format("      ").replace("#4", "#5")}""",
        """
        carrier <- flights.carrier, planes.model
        seats <- planes.seats
        * <- flights.tailnum JOIN, planes.tailnum JOIN
        """,
    ),
    "CTEs": (
        "WITH a AS (SELECT carrier FROM flights) SELECT * FROM a",
        f"""WithCTE
:- CTERelationDef 0, false
:  +- SubqueryAlias a
:     +- Project [carrier#35]
:        +- {FLIGHTS.format(":           ")}
+- Project [carrier#119]
   +- SubqueryAlias a
      +- CTERelationRef 0, true, [carrier#119], false, false""",
        "carrier <- flights.carrier IDENTITY",
    ),
    "functions of the program: of a row, of groups, as a key, and in a condition": (
        "",
        above(
            "Filter (double(far#6)#9 > 2)",
            "Aggregate [near(dest#39)#5], [near(dest#39)#5 AS near#7, mean_of(distance#40)#8 AS far#6]",
        ),
        """
        near <- flights.dest TRANSFORMATION (python udf near)
        far <- flights.distance AGGREGATION (python udf mean_of)
        * <- flights.dest GROUP_BY (python udf near), flights.distance FILTER (python udf double)
        """,
    ),
    "a function over rows": (
        "",
        above(
            "MapInPandas tidy(carrier#35, distance#40)#25, [x#26, y#27L], false", "Project [carrier#35, distance#40]"
        ),
        f"x <- {_opaque('MapInPandas tidy')}; y <- {_opaque('MapInPandas tidy')}",
    ),
    "a function over groups with a state": (
        "",
        above(
            "FlatMapGroupsInPandasWithState f(carrier#35, distance#40)#25, [carrier#35], [x#26], StructType(), Append",
            "Project [carrier#35, distance#40]",
        ),
        f"x <- {_opaque('FlatMapGroupsInPandasWithState f')}; * <- flights.carrier GROUP_BY",
    ),
    "a function over groups of two sides": (
        "",
        f"""FlatMapCoGroupsInArrow 1, 1, meet(distance#40, seats#46)#25, [x#26]
:- Project [tailnum#37, distance#40]
:  +- {FLIGHTS.format(":     ")}
+- Project [tailnum#45, seats#46]
   +- {PLANES.format("      ")}""",
        """
        x <- flights.distance TRANSFORMATION (opaque: FlatMapCoGroupsInArrow meet)
        x <- flights.tailnum TRANSFORMATION (opaque: FlatMapCoGroupsInArrow meet)
        x <- planes.seats TRANSFORMATION (opaque: FlatMapCoGroupsInArrow meet)
        x <- planes.tailnum TRANSFORMATION (opaque: FlatMapCoGroupsInArrow meet)
        * <- flights.tailnum GROUP_BY, planes.tailnum GROUP_BY
        """,
    ),
    "fields that are set and dropped": (
        "",
        "Project [update_fields(contact#3, WithField(email, upper(flight#4)), dropfield(phone)) AS c#9]\n"
        "+- Relation spark_catalog.default.crews[flight#4,contact#3,employees#5,tags#6] parquet",
        "c.email <- crews.flight TRANSFORMATION",
    ),
    "the nearest rows, numbered": (
        "",
        f"""Project [n#9L, carrier#35]
+- AttachDistributedSequence[n#9L, carrier#35] Index: n#9L
   +- AsOfJoin (distance#40 >= seats#46), Inner
      :- {FLIGHTS.format("      :  ")}
      +- {PLANES.format("         ")}""",
        "n <- nothing; carrier <- flights.carrier IDENTITY; * <- flights.distance JOIN, planes.seats JOIN",
    ),
    "a table and a made up source as streams, with a watermark": (
        "",
        """~Join Inner, (flight#36 = value#2L)
:- ~EventTimeWatermark 1a-2b, flight#36: timestamp, 10 seconds
:  +- ~SubqueryAlias spark_catalog.default.flights
:     +- StreamingRelation FileSource[/lake/flights], [carrier#35-T10000ms, flight#36-T10000ms], name=<Unassigned>
+- ~StreamingRelationV2 org.apache.Rate@1, rate, org.apache.RateTable@2, [], [timestamp#1, value#2L]""",
        """
        carrier <- flights.carrier
        flight <- flights.flight
        timestamp, value <- nothing
        * <- flights.flight JOIN
        """,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_columns_of_a_query(name: str) -> None:
    sql, analyzed, lineage = CASES[name]
    lines = lines_of_text(sql, f"carrier: string, x: int\n{analyzed}", ["flights", "planes", "crews"])
    if lines != (expected_lines := expected(lineage)):
        pytest.fail("\n".join(difflib.ndiff(expected_lines, lines)), pytrace=False)


def test_a_view_is_what_it_was_by_its_own_names() -> None:
    was = lines_of_view(("a", "b"))
    assert was == expected("x <- flights.carrier IDENTITY; inputs: flights")
    with pytest.raises(Unreadable, match="a view that has changed"):
        lines_of_view(("b", "a"))


def lines_of_view(names: tuple[str, str]) -> list[str]:
    """Return the lines of a query of a view that was made of two columns of the flights."""
    table = a_table("flights")
    columns = tuple(Column(name, "") for name in names)
    view = Snapshot(columns, table.values[:2])
    text = "Project [a#1 AS x#9]\n+- View (`v`, [a#1, b#2])\n   +- OneRowRelation"
    return lines_of_text("SELECT a AS x FROM v", f"x: string\n{text}", [], {"v": view})


@pytest.mark.parametrize(
    ("sql", "analyzed", "reason"),
    [
        ("SELECT '#' AS a FROM flights", above("Project [# AS a#1]"), "# or"),
        ("SELECT * FROM flights", above("Project [carrier#35, ... 5 more fields]"), "maxToStringFields"),
        ("SELECT carrier FROM flights", above("Strange [carrier#35]"), "the operator Strange"),
        ("SELECT carrier FROM other", above("Project [carrier#35]"), "which the statement does not name"),
        ("SELECT carrier FROM v", "Project [a#1]\n+- View (`v`, [a#1])\n   +- OneRowRelation", "the view v"),
        ("SELECT max('[') FROM flights GROUP BY dest", above("Aggregate [dest#39], [max([) AS m#1]"), "Aggregate"),
    ],
    ids=["an id in a literal", "a cut text", "an unknown operator", "another table", "a view before", "brackets"],
)
def test_a_text_that_can_mean_something_else_is_refused(sql: str, analyzed: str, reason: str) -> None:
    tables = [] if "other" in sql else ["flights"]
    with pytest.raises(Unreadable, match=reason):
        lines_of_text(sql, f"a: string\n{analyzed}", tables)


@pytest.mark.parametrize(
    ("sql", "risks"),
    [
        ("SELECT a, 'x y' FROM t", LiteralRisks(ids=False, parts=False, brackets=False, commas=False)),
        ("SELECT 'a, b' FROM t", LiteralRisks(ids=False, parts=False, brackets=False, commas=True)),
        ("SELECT 'it''s (1)' FROM t", LiteralRisks(ids=False, parts=True, brackets=True, commas=False)),
        ("SELECT 1 -- it's (one)\nFROM t", LiteralRisks(ids=False, parts=False, brackets=False, commas=False)),
        ("SELECT `it's` FROM t", LiteralRisks(ids=False, parts=False, brackets=False, commas=False)),
        ("SELECT 'a--b', 'THEN' FROM t", LiteralRisks(ids=False, parts=True, brackets=False, commas=False)),
        (r"SELECT '\u0023' FROM t", LiteralRisks(ids=True, parts=True, brackets=False, commas=False)),
        ("SELECT 'two\nlines' FROM t", LiteralRisks(ids=True, parts=True, brackets=False, commas=False)),
    ],
)
def test_what_literals_can_be_taken_for(sql: str, risks: LiteralRisks) -> None:
    assert risks_of(sql) == risks
