"""However data is written, the write is captured once, with the columns that it writes."""

from __future__ import annotations

import pytest

from tests.spark.capture.specification import Case, statement, statements, write

_SQL = "SELECT carrier, distance * 2 AS far FROM flights"
_COLUMNS = """
        carrier <- flights.carrier IDENTITY
        far <- flights.distance TRANSFORMATION
"""

FILES = (
    *(
        write(
            f"a frame as {form}",
            lambda spark, out, form=form: spark.sql(_SQL).write.format(form).save(out),
            _COLUMNS,
        )
        for form in ("parquet", "orc", "json", "csv")
    ),
    statement("a directory", f"INSERT OVERWRITE DIRECTORY '{{out}}' USING parquet {_SQL}", _COLUMNS),
)

TABLES = (
    write(
        "a frame inserted into a table, by places",
        lambda spark, out: spark.sql("SELECT dest, flight FROM flights").write.insertInto("by_place"),
        "by_place:; carrier <- flights.dest; far <- flights.flight",
        before=("CREATE TABLE by_place (carrier STRING, far INT) USING parquet",),
    ),
    statement(
        "texts into types of a length are the same texts",
        "INSERT INTO into_chars SELECT carrier, dest, named_struct('x', origin) FROM flights",
        "into_chars:; v <- flights.carrier; c <- flights.dest; s.x <- flights.origin",
        before=("CREATE TABLE into_chars (v VARCHAR(20), c CHAR(5), s STRUCT<x: VARCHAR(9)>) USING parquet",),
    ),
    *statements(
        f"""
        a table as selected
            CREATE TABLE made_so USING parquet AS {_SQL}
            made_so:{_COLUMNS}
        a column that is left out has its default, which is made of nothing
            before: CREATE TABLE inserted_default (carrier STRING, far INT DEFAULT 7) USING parquet
            INSERT INTO inserted_default (carrier) SELECT carrier FROM flights
            inserted_default:; carrier <- flights.carrier; far <- nothing
        INSERT of a table's own rows reads it
            before: CREATE TABLE own_rows (carrier STRING, far INT) USING parquet
            before: INSERT INTO own_rows VALUES ('UA', 1)
            INSERT INTO own_rows SELECT carrier, far + 1 FROM own_rows
            own_rows:; carrier <- own_rows.carrier; far <- own_rows.far TRANSFORMATION
        a partition that the statement names is made of nothing
            before: CREATE TABLE static_part (carrier STRING, far INT, day STRING) USING parquet PARTITIONED BY (day)
            INSERT OVERWRITE static_part PARTITION (day = '2013-01-01') SELECT carrier, distance FROM flights
            static_part:
            carrier <- flights.carrier
            far <- flights.distance
            day <- nothing
        one statement that writes two tables
            before: CREATE TABLE first_of_two (carrier STRING, far INT) USING parquet
            before: CREATE TABLE second_of_two (carrier STRING, far INT) USING parquet
            FROM flights INSERT INTO first_of_two SELECT carrier, distance WHERE distance > 9 INSERT INTO second_of_two
            SELECT dest, flight
            first_of_two:
            carrier <- flights.carrier
            far <- flights.distance
            * <- flights.distance FILTER
            second_of_two:
            carrier <- flights.dest
            far <- flights.flight
        structs are inserted by their fields
            before: CREATE TABLE structs (faa STRING, at STRUCT<lat: DOUBLE, lon: DOUBLE>) USING parquet
            INSERT INTO structs SELECT faa, named_struct('lat', alt, 'lon', location.lon) FROM airports
            structs:
            faa <- airports.faa
            at.lat <- airports.alt
            at.lon <- airports.location.lon
        """
    ),
)


@pytest.mark.parametrize("case", [*FILES, *TABLES], ids=str)
def test_a_write(case: Case, check) -> None:
    check(case)
