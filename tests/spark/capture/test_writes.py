"""However data is written, the write is captured once, with the columns that it writes."""

from __future__ import annotations

import pytest

from tests.spark.capture.specification import Case, query, statement, statements, write

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
    write(
        "a frame as text",
        lambda spark, out: spark.sql("SELECT carrier AS value FROM flights").write.text(out),
        "value <- flights.carrier",
    ),
    write(
        "a frame in partitions, one of which is no dataset",
        lambda spark, out: spark.sql(_SQL).write.partitionBy("carrier").parquet(out),
        _COLUMNS,
    ),
    statement("a directory", f"INSERT OVERWRITE DIRECTORY '{{out}}' USING parquet {_SQL}", _COLUMNS),
    write(
        "two writes of one frame are two",
        lambda spark, out: [spark.sql(_SQL).write.mode("append").parquet(out) for _ in range(2)],
        f"out:{_COLUMNS}out:{_COLUMNS}",
    ),
    write("nothing is told where nothing is written", lambda spark, out: spark.sql(_SQL).collect(), "nothing"),
)

_CHARS = "(v VARCHAR(20), c CHAR(5), s STRUCT<x: VARCHAR(9)>)"
_OF_CHARS = """
        v <- flights.carrier IDENTITY
        c <- flights.dest IDENTITY
        s.x <- flights.origin IDENTITY
"""
_FROM_CHARS = "v <- from_chars.v IDENTITY; c <- from_chars.c IDENTITY; u <- from_chars.c TRANSFORMATION"
CHAR_TYPES = (
    statement(
        "texts into types of a length are the same texts",
        "INSERT INTO into_chars SELECT carrier, dest, named_struct('x', origin) FROM flights",
        f"into_chars:{_OF_CHARS}",
        before=(f"CREATE TABLE into_chars {_CHARS} USING parquet",),
    ),
    query(
        "texts out of types of a length",
        "SELECT v, c, upper(c) AS u FROM from_chars",
        _FROM_CHARS,
        before=(f"CREATE TABLE from_chars {_CHARS} USING parquet",),
    ),
)

_AS = "(carrier STRING, far INT) USING parquet"
TABLES = (
    *statements(
        f"""
        a table as selected
            CREATE TABLE made_so USING parquet AS {_SQL}
            made_so:{_COLUMNS}
        a table at a place of its own
            CREATE TABLE at_place USING parquet LOCATION '{{out}}' AS {_SQL}
            out:{_COLUMNS}
        """
    ),
    write(
        "a frame as a new table",
        lambda spark, out: spark.sql(_SQL).write.saveAsTable("saved_so"),
        f"saved_so:{_COLUMNS}",
    ),
    write(
        "a frame inserted into a table, by places",
        lambda spark, out: spark.sql("SELECT dest, flight FROM flights").write.insertInto("by_place"),
        "by_place:; carrier <- flights.dest; far <- flights.flight",
        before=(f"CREATE TABLE by_place {_AS}",),
    ),
    *statements(
        f"""
        INSERT
            before: CREATE TABLE inserted (carrier STRING, far INT) USING parquet
            INSERT INTO inserted {_SQL}
            inserted:{_COLUMNS}
        a column that is left out has its default, which is made of nothing
            before: CREATE TABLE inserted_default (carrier STRING, far INT DEFAULT 7) USING parquet
            INSERT INTO inserted_default (carrier) SELECT carrier FROM flights
            inserted_default:; carrier <- flights.carrier; far <- nothing
        INSERT of rows that the statement holds
            before: CREATE TABLE inserted_values (carrier STRING, far INT DEFAULT 7) USING parquet
            INSERT INTO inserted_values VALUES ('UA', DEFAULT), ('B6', 2)
            inserted_values:; carrier, far <- nothing; inputs: none
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
        partitions that the rows name are columns
            before: CREATE TABLE dynamic_part (carrier STRING, far INT, day DATE) USING parquet PARTITIONED BY (day)
            INSERT INTO dynamic_part PARTITION (day) SELECT carrier, distance, day FROM flights
            dynamic_part:
            carrier <- flights.carrier
            far <- flights.distance
            day <- flights.day
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
        a column's name that the table spells in another way
            before: CREATE TABLE other_case (Carrier STRING) USING parquet
            INSERT INTO other_case SELECT carrier FROM flights
            other_case:; Carrier <- flights.carrier
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


@pytest.mark.parametrize("case", [*FILES, *CHAR_TYPES, *TABLES], ids=str)
def test_a_write(case: Case, check) -> None:
    check(case)
