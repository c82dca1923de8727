"""Rows changed in place: what MERGE, UPDATE and DELETE make of which columns, however a format has them done."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pyspark.sql import SparkSession

from tests.spark.capture.row_tables import add_catalog
from tests.spark.capture.specification import Case, statement, statements, write

_TABLE = (
    "CREATE TABLE rows.checked (carrier STRING, flight INT, tailnum STRING, distance INT, air_time DOUBLE, "
    "route STRUCT<origin: STRING, dest: STRING>) LOCATION 'file:/lake/checked' TBLPROPERTIES ('changes' = '{changes}')"
)
_ROUTED = "SELECT carrier, flight, tailnum, distance, air_time, named_struct('origin', origin, 'dest', dest) AS route"
_BY_FLIGHT = "* <- checked.flight JOIN, flights.flight JOIN"
_NONE_ELSE = "tailnum <- nothing; air_time <- nothing; route <- nothing"

UPDATES = statements(
    """
    a column is made of what it is set to, and of what chooses the rows
        UPDATE rows.checked SET distance = flight + 1 WHERE carrier = 'UA'
        distance <- checked.flight TRANSFORMATION, checked.carrier CONDITIONAL
    of what it was
        UPDATE rows.checked SET air_time = air_time * 1.1 WHERE distance > 9
        air_time <- checked.air_time TRANSFORMATION, checked.distance CONDITIONAL
    a value for all rows is made of nothing, and reads nothing
        UPDATE rows.checked SET tailnum = 'none'
        tailnum <- nothing; inputs: none
    what is set to itself is kept
        UPDATE rows.checked SET carrier = carrier, distance = 1 WHERE flight = 1
        distance <- checked.flight CONDITIONAL
    the table under another name, columns in another case
        UPDATE rows.checked AS c SET c.DISTANCE = c.Flight + c.distance WHERE C.carrier = 'UA'
        distance <- checked.flight TRANSFORMATION, checked.distance TRANSFORMATION, checked.carrier CONDITIONAL
    a field is set alone
        UPDATE rows.checked SET route.origin = 'EWR' WHERE carrier = 'UA'
        route.origin <- checked.carrier CONDITIONAL
    a field of a field beside it
        UPDATE rows.checked SET route.origin = route.dest, route.dest = lower(route.origin)
        route.origin <- checked.route.dest; route.dest <- checked.route.origin TRANSFORMATION
    of a struct that is made anew, the fields that change
        UPDATE rows.checked SET route = named_struct('origin', carrier, 'dest', route.dest)
        route.origin <- checked.carrier
    of a subquery
        UPDATE rows.checked SET distance = (SELECT max(seats) FROM planes WHERE engines = 2)
        distance <- planes.seats AGGREGATION, planes.engines FILTER
    rows that a subquery chooses
        UPDATE rows.checked SET carrier = tailnum WHERE tailnum IN (SELECT tailnum FROM planes WHERE engines = 2)
        carrier <- checked.tailnum, checked.tailnum CONDITIONAL
        carrier <- planes.tailnum CONDITIONAL, planes.engines CONDITIONAL
    rows for which there is another
        UPDATE rows.checked c SET carrier = 'x' WHERE EXISTS (SELECT 1 FROM planes p WHERE p.tailnum = c.tailnum)
        carrier <- checked.tailnum CONDITIONAL, planes.tailnum CONDITIONAL
    """
)

# No Spark can do this where updates are split.
CORRELATED = (
    statement(
        "of a subquery about the row",
        "UPDATE rows.checked c SET distance = (SELECT max(seats) FROM planes p WHERE p.tailnum = c.tailnum)",
        "distance <- planes.seats AGGREGATION, planes.tailnum FILTER, checked.tailnum FILTER",
    ),
)

DELETES = statements(
    """
    rows are deleted by what chooses them, and no column is made
        DELETE FROM rows.checked WHERE carrier = 'UA' AND distance > 9
        * <- checked.carrier FILTER, checked.distance FILTER
    all of them, whatever is in them
        DELETE FROM rows.checked
        inputs: none
    those that a subquery chooses
        DELETE FROM rows.checked WHERE tailnum IN (SELECT tailnum FROM planes WHERE engines = 2)
        * <- checked.tailnum FILTER, planes.tailnum FILTER, planes.engines FILTER
    """
)


MERGES = (
    *statements(
        f"""
        columns that are updated, and all of a row that is inserted
            MERGE INTO rows.checked c USING flights f ON c.flight = f.flight
            WHEN MATCHED THEN UPDATE SET distance = f.distance * 2
            WHEN NOT MATCHED THEN INSERT (flight, carrier) VALUES (f.flight, f.carrier)
            flight <- flights.flight
            carrier <- flights.carrier
            distance <- flights.distance TRANSFORMATION
            {_NONE_ELSE}
            {_BY_FLIGHT}
        stars are all columns, by their names
            MERGE INTO rows.checked c USING ({_ROUTED} FROM flights) f ON c.flight = f.flight
            WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *
            carrier <- flights.carrier
            flight <- flights.flight
            tailnum <- flights.tailnum
            distance <- flights.distance
            air_time <- flights.air_time
            route.origin <- flights.origin
            route.dest <- flights.dest
            {_BY_FLIGHT}
        a deletion's condition is of all rows
            MERGE INTO rows.checked c USING flights f ON c.flight = f.flight WHEN MATCHED AND f.dest = 'IAH' THEN DELETE
            * <- flights.dest FILTER; {_BY_FLIGHT}
        an insertion's condition is of all rows
            MERGE INTO rows.checked c USING flights f ON c.flight = f.flight
            WHEN MATCHED THEN UPDATE SET distance = f.distance
            WHEN NOT MATCHED AND f.dest = 'IAH' THEN INSERT (flight, carrier, distance) VALUES (f.flight, 'UA', 0)
            flight <- flights.flight
            carrier <- nothing
            distance <- flights.distance
            {_NONE_ELSE}
            * <- flights.dest FILTER
            {_BY_FLIGHT}
        rows that the source does not have are updated or deleted
            MERGE INTO rows.checked c USING flights f ON c.flight = f.flight
            WHEN NOT MATCHED BY SOURCE AND c.distance > 9 THEN UPDATE SET tailnum = c.carrier
            WHEN NOT MATCHED BY SOURCE AND c.air_time > 9 THEN DELETE
            tailnum <- checked.carrier, checked.distance CONDITIONAL; * <- checked.air_time FILTER; {_BY_FLIGHT}
        clauses of all kinds
            MERGE INTO rows.checked c USING flights f ON c.flight = f.flight WHEN MATCHED AND f.dest = 'IAH' THEN DELETE
            WHEN MATCHED AND f.distance > 9 THEN UPDATE SET distance = f.distance
            WHEN MATCHED THEN UPDATE SET distance = c.distance + f.distance, tailnum = f.tailnum
            WHEN NOT MATCHED THEN INSERT (flight) VALUES (f.flight)
            WHEN NOT MATCHED BY SOURCE THEN UPDATE SET tailnum = 'gone'
            flight <- flights.flight
            distance <- flights.distance, flights.distance CONDITIONAL
            distance <- flights.distance TRANSFORMATION, checked.distance TRANSFORMATION
            tailnum <- flights.tailnum
            carrier, air_time, route <- nothing
            * <- flights.dest FILTER
            {_BY_FLIGHT}
        a field that one clause sets, of a struct that another does
            MERGE INTO rows.checked c USING crossed f ON c.flight = f.flight
            WHEN MATCHED AND f.distance > 9 THEN UPDATE SET c.route.origin = f.route.dest
            WHEN MATCHED THEN UPDATE SET route = f.route
            route <- crossed.route
            route.origin <- crossed.route.dest, crossed.distance CONDITIONAL
            * <- checked.flight JOIN, crossed.flight JOIN
        what is set to itself is kept
            MERGE INTO rows.checked c USING flights f ON c.flight = f.flight
            WHEN MATCHED AND f.distance > 9 THEN UPDATE SET carrier = c.carrier, tailnum = coalesce(f.tailnum,
            c.tailnum)
            tailnum <- flights.tailnum TRANSFORMATION, flights.tailnum CONDITIONAL, checked.tailnum TRANSFORMATION
            tailnum <- flights.distance CONDITIONAL
            {_BY_FLIGHT}
        of the table itself, as another
            MERGE INTO rows.checked c USING rows.checked f ON c.flight = f.flight
            WHEN MATCHED THEN UPDATE SET distance = f.distance, carrier = c.carrier
            distance <- checked.distance; * <- checked.flight JOIN
        a source with a name
            WITH late AS (SELECT flight, distance FROM flights WHERE air_time > 9) MERGE INTO rows.checked c USING late
            f ON c.flight = f.flight AND c.carrier = 'UA'
            WHEN MATCHED THEN UPDATE SET distance = f.distance
            distance <- flights.distance; * <- flights.air_time FILTER, checked.carrier JOIN; {_BY_FLIGHT}
        rows are only inserted
            MERGE INTO rows.checked c USING flights f ON c.flight = f.flight
            WHEN NOT MATCHED AND f.distance > 9 THEN INSERT (flight, distance) VALUES (f.flight, f.distance)
            flight <- flights.flight
            distance <- flights.distance
            carrier <- nothing
            {_NONE_ELSE}
            * <- flights.distance FILTER
            {_BY_FLIGHT}
        rows are only inserted, of two kinds
            MERGE INTO rows.checked c USING flights f ON c.flight = f.flight
            WHEN NOT MATCHED AND f.distance > 9 THEN INSERT (flight, distance) VALUES (f.flight, f.distance)
            WHEN NOT MATCHED THEN INSERT (flight, carrier) VALUES (-f.flight, 'UA')
            flight <- flights.flight, flights.flight TRANSFORMATION
            distance <- flights.distance
            carrier <- nothing
            {_NONE_ELSE}
            * <- flights.distance FILTER
            {_BY_FLIGHT}
        """
    ),
    write(
        "a source that nobody knows is told as unknown",
        lambda spark, out: (
            spark.sparkContext.parallelize([(1, 2)]).toDF("flight INT, distance INT").createOrReplaceTempView("sent")
            or spark.sql(
                "MERGE INTO rows.checked c USING sent f ON c.flight = f.flight "
                "WHEN MATCHED THEN UPDATE SET distance = f.distance + c.distance"
            )
        ),
        """
        distance <- checked.distance TRANSFORMATION, unknown
        * <- checked.flight JOIN
        inputs: checked, unknown
        """,
    ),
)

FILTERED = statements(
    """
    a table that deletes by itself is named by what
        DELETE FROM rows.checked WHERE carrier = 'UA'
        * <- checked.carrier FILTER
    all rows of it
        TRUNCATE TABLE rows.checked
        inputs: none
    """
)


@pytest.fixture(scope="module")
def rows(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> SparkSession:
    """Return a session with tables whose rows can be changed, and a source with a struct."""
    session = spark.newSession()
    add_catalog(session, "rows", tmp_path_factory.mktemp("jar"))
    folder = tmp_path_factory.mktemp("crossed")
    session.sql(f"{_ROUTED} FROM flights").write.parquet(f"{folder}/crossed")
    session.read.parquet(f"{folder}/crossed").createOrReplaceTempView("crossed")
    return session


def _of(case: Case, changes: str) -> Case:
    lineage = case.lineage if case.lineage == "nothing" else f"checked:\n{case.lineage}"
    return replace(case, lineage=lineage, before=("DROP TABLE IF EXISTS rows.checked", _TABLE.format(changes=changes)))


@pytest.mark.parametrize("changes", ["groups", "deltas", "split"])
@pytest.mark.parametrize("case", [*UPDATES, *DELETES, *MERGES], ids=str)
def test_rows_changed(case: Case, changes: str, check, rows: SparkSession) -> None:
    check(_of(case, changes), rows)


@pytest.mark.parametrize("changes", ["groups", "deltas"])
@pytest.mark.parametrize("case", CORRELATED, ids=str)
def test_rows_changed_by_correlated_subqueries(case: Case, changes: str, check, rows: SparkSession) -> None:
    check(_of(case, changes), rows)


@pytest.mark.parametrize("case", FILTERED, ids=str)
def test_rows_deleted_by_filters(case: Case, check, rows: SparkSession) -> None:
    check(_of(case, "filters"), rows)
