"""Columns of Spark Connect's frames, read from the protocol's plans, without a server."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

pytest.importorskip("grpc", reason="Spark Connect's client needs grpcio")

from pyspark.sql.connect import functions as sf
from pyspark.sql.connect.window import Window

from spark_client.capturing.connect.snapshots import Unreadable
from tests.spark.capture.specification import expected
from tests.unit.spark_client.capturing.connect_programs import lines_of_frame, table


@cache
def flights() -> Any:
    return table("flights")


@cache
def planes() -> Any:
    return table("planes")


CASES: dict[str, tuple[Callable[[], Any], str]] = {
    "columns, aliases and literals": (
        lambda: flights().select("carrier", sf.col("dest").alias("to"), sf.lit(1).alias("one")),
        "carrier <- flights.carrier IDENTITY; to <- flights.dest IDENTITY; one <- nothing",
    ),
    "names in any case, and with their table": (
        lambda: flights().select("CARRIER", "flights.dest", sf.col("spark_catalog.default.flights.origin")),
        "CARRIER <- flights.carrier IDENTITY; dest <- flights.dest IDENTITY; origin <- flights.origin IDENTITY",
    ),
    "a function that only changes, one that hides, one of chance": (
        lambda: flights().select(
            (sf.col("distance") / sf.col("air_time")).alias("speed"), sf.md5("carrier").alias("h"), sf.rand().alias("r")
        ),
        """
        speed <- flights.distance TRANSFORMATION, flights.air_time TRANSFORMATION
        h <- flights.carrier TRANSFORMATION MASKED
        r <- nothing
        """,
    ),
    "a choice": (
        lambda: flights().select(
            sf.when(sf.col("distance") > 9, sf.col("dest")).otherwise(sf.coalesce("origin", sf.lit("?"))).alias("x")
        ),
        """
        x <- flights.dest TRANSFORMATION, flights.origin TRANSFORMATION
        x <- flights.distance CONDITIONAL, flights.origin CONDITIONAL
        """,
    ),
    "casts to the same and to another type": (
        lambda: flights().select(
            sf.col("carrier").cast("string").alias("a"), sf.col("flight").cast("bigint").alias("b")
        ),
        "a <- flights.carrier IDENTITY; b <- flights.flight TRANSFORMATION",
    ),
    "a function of the job's own, of which nobody knows how": (
        lambda: flights().select(sf.call_function("mine", "carrier").alias("x")),
        "x <- flights.carrier SOMEHOW",
    ),
    "a column that is set, renamed, dropped": (
        lambda: (
            flights()
            .withColumn("distance", sf.col("distance") + 1)
            .withColumnRenamed("carrier", "airline")
            .drop("tailnum", "origin", "flight", "air_time")
        ),
        """
        airline <- flights.carrier IDENTITY
        dest <- flights.dest IDENTITY
        distance <- flights.distance TRANSFORMATION
        """,
    ),
    "columns set at once see what was before": (
        lambda: flights().select("origin", "dest").withColumns({"origin": sf.col("dest"), "dest": sf.col("origin")}),
        "origin <- flights.dest IDENTITY; dest <- flights.origin IDENTITY",
    ),
    "a filter and a sort by a column that was left out": (
        lambda: flights().select("carrier").filter(flights()["distance"] > 9).sort("dest"),
        "carrier <- flights.carrier IDENTITY; * <- flights.distance FILTER, flights.dest SORT",
    ),
    "an alias in the same select": (
        lambda: flights().select(sf.upper("dest").alias("place"), sf.lower("place").alias("small")),
        "place <- flights.dest TRANSFORMATION; small <- flights.dest TRANSFORMATION",
    ),
    "an alias in the same select, before a column that was left out": (
        lambda: flights().select("carrier").select(sf.upper("carrier").alias("dest"), sf.lower("dest").alias("x")),
        "dest <- flights.carrier TRANSFORMATION; x <- flights.carrier TRANSFORMATION",
    ),
    "a join by a condition on the frames' own columns": (
        lambda: (
            flights()
            .join(planes(), flights()["tailnum"] == planes()["tailnum"], "left")
            .select(flights()["tailnum"], "seats")
        ),
        """
        tailnum <- flights.tailnum IDENTITY
        seats <- planes.seats IDENTITY
        * <- flights.tailnum JOIN, planes.tailnum JOIN
        """,
    ),
    "a join by equal names has one of them, and the other side's by its frame": (
        lambda: flights().join(planes(), "tailnum").select("tailnum", planes()["tailnum"].alias("theirs")),
        """
        tailnum <- flights.tailnum IDENTITY
        theirs <- planes.tailnum IDENTITY
        * <- flights.tailnum JOIN, planes.tailnum JOIN
        """,
    ),
    "a full outer join has either key": (
        lambda: flights().select("tailnum").join(planes().select("tailnum"), "tailnum", "outer"),
        """
        tailnum <- flights.tailnum TRANSFORMATION, planes.tailnum TRANSFORMATION, flights.tailnum CONDITIONAL
        * <- flights.tailnum JOIN, planes.tailnum JOIN
        """,
    ),
    "a half join has the left side alone": (
        lambda: flights().select("carrier", "tailnum").join(planes(), "tailnum", "left_semi").select("carrier"),
        "carrier <- flights.carrier IDENTITY; * <- flights.tailnum JOIN, planes.tailnum JOIN",
    ),
    "a frame joined with itself under two names": (
        lambda: (
            flights()
            .alias("a")
            .join(flights().alias("b"), sf.col("a.dest") == sf.col("b.origin"))
            .select(sf.col("a.carrier").alias("one"), sf.col("b.dest").alias("end"))
        ),
        "one <- flights.carrier IDENTITY; end <- flights.dest IDENTITY; * <- flights.dest JOIN, flights.origin JOIN",
    ),
    "groups, and a condition on them": (
        lambda: (
            flights()
            .groupBy("carrier")
            .agg(sf.sum("distance").alias("far"), sf.count("*").alias("n"))
            .filter(sf.col("far") > 9)
        ),
        """
        carrier <- flights.carrier IDENTITY
        far <- flights.distance AGGREGATION
        n <- nothing
        * <- flights.carrier GROUP_BY, flights.distance FILTER
        """,
    ),
    "a rank, and a sum over a window": (
        lambda: flights().select(
            sf.row_number().over(Window.partitionBy("carrier").orderBy("distance")).alias("n"),
            sf.sum("distance").over(Window.partitionBy("origin")).alias("s"),
        ),
        """
        n <- flights.carrier WINDOW, flights.distance WINDOW
        s <- flights.distance AGGREGATION, flights.origin WINDOW
        """,
    ),
    "a union by position, and one by name": (
        lambda: (
            flights()
            .select("carrier", "dest")
            .union(planes().select("model", "tailnum"))
            .unionByName(planes().select(sf.col("model").alias("dest"), sf.col("tailnum").alias("carrier")))
        ),
        """
        carrier <- flights.carrier IDENTITY, planes.model IDENTITY, planes.tailnum IDENTITY
        dest <- flights.dest IDENTITY, planes.tailnum IDENTITY, planes.model IDENTITY
        """,
    ),
    "what is in both, and each once by a key": (
        lambda: flights().select("tailnum").intersect(planes().select("tailnum")).dropDuplicates(["tailnum"]),
        """
        tailnum <- flights.tailnum IDENTITY
        * <- flights.tailnum JOIN, planes.tailnum JOIN, flights.tailnum GROUP_BY
        """,
    ),
    "fields of structs, of arrays of them, and a star of one": (
        lambda: table("crews").select("contact.phone.work", "employees.name", "contact.*"),
        """
        work <- crews.contact.phone.work IDENTITY
        name <- crews.employees.name IDENTITY
        email <- crews.contact.email IDENTITY
        phone <- crews.contact.phone IDENTITY
        """,
    ),
    "a field set in a struct": (
        lambda: table("crews").select(sf.col("contact").withField("email", sf.lit("x")).alias("c")).select("c.phone"),
        "phone <- crews.contact.phone IDENTITY",
    ),
    "elements laid out as rows, and keys with values": (
        lambda: (
            table("crews")
            .select(sf.explode("employees").alias("e"), "tags")
            .select("e.role", sf.explode("tags").alias("k", "v"))
        ),
        """
        role <- crews.employees.role TRANSFORMATION
        k <- crews.tags TRANSFORMATION
        v <- crews.tags TRANSFORMATION
        """,
    ),
    "a lambda": (
        lambda: table("crews").select(
            sf.transform("employees", lambda employee: sf.concat(employee["name"], sf.col("contact.email"))).alias("x")
        ),
        "x <- crews.employees.name TRANSFORMATION, crews.contact.email TRANSFORMATION",
    ),
    "missing values filled in, and rows without some dropped": (
        lambda: flights().select("carrier", "distance").na.fill({"distance": 0}).na.drop(subset=["carrier"]),
        """
        carrier <- flights.carrier IDENTITY
        distance <- flights.distance TRANSFORMATION, flights.distance CONDITIONAL
        * <- flights.carrier FILTER
        """,
    ),
    "an expression that nobody can read is unknown, those beside it are not": (
        lambda: flights().select(sf.expr("distance + 1").alias("x"), "carrier"),
        "x <- unknown; carrier <- flights.carrier IDENTITY; inputs: flights",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_columns_of_a_frame(name: str) -> None:
    make, lineage = CASES[name]
    if (lines := lines_of_frame(make())) != (expected_lines := expected(lineage)):
        pytest.fail("\n".join(difflib.ndiff(expected_lines, lines)), pytrace=False)


def test_a_chain_of_hundreds_of_steps_comes_to_its_first_columns() -> None:
    """PySpark's own client ends at some hundred more: it recurses."""
    frame = flights().select("distance", sf.lit(0).alias("v"))
    for _ in range(400):
        frame = frame.withColumn("v", sf.col("v") + sf.col("distance"))
    assert lines_of_frame(frame.select("v")) == expected("v <- flights.distance TRANSFORMATION")


@pytest.mark.parametrize(
    "make",
    [
        lambda: flights().filter("distance > 9"),
        lambda: flights().join(planes(), sf.expr("seats > distance")),
        lambda: flights().select(sf.upper("dest")),
        lambda: flights().join(planes(), "tailnum").select(sf.col("no_such")),
    ],
    ids=["a filter in SQL", "a join in SQL", "a name that Spark makes up", "a name that is not there"],
)
def test_what_only_the_server_knows_is_refused_without_one(make: Callable[[], Any]) -> None:
    with pytest.raises(Unreadable):
        lines_of_frame(make())
