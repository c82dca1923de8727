"""Tables of a Hive metastore, in Hive's formats and in Spark's own."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from tests.spark.capture.specification import Case, statement, statements, write

_SQL = "SELECT carrier, distance * 2 AS far FROM flights"
_COLUMNS = """
        carrier <- flights.carrier IDENTITY
        far <- flights.distance TRANSFORMATION
"""

CASES = (
    write(
        "a frame appended by names, in another order",
        lambda spark, out: (
            spark.sql("SELECT distance * 2 AS far, carrier FROM flights")
            .write.format("hive")
            .mode("append")
            .saveAsTable("hive_turned")
        ),
        f"hive_turned:{_COLUMNS}",
        before=("CREATE TABLE hive_turned (carrier STRING, far INT) STORED AS ORC",),
    ),
    *statements(
        """
        what a table with a serde holds
            before: CREATE TABLE hive_source (carrier STRING, far INT) STORED AS TEXTFILE
            before: CREATE TABLE hive_copied (carrier STRING, far INT) STORED AS SEQUENCEFILE
            INSERT OVERWRITE hive_copied SELECT upper(carrier), far FROM hive_source WHERE far > 0
            hive_copied:
            carrier <- hive_source.carrier TRANSFORMATION
            far <- hive_source.far
            * <- hive_source.far FILTER
        partitions of both kinds
            before: CREATE TABLE hive_parts (carrier STRING) PARTITIONED BY (year STRING, dest STRING) STORED AS \
                TEXTFILE
            INSERT OVERWRITE TABLE hive_parts PARTITION (year = '2013', dest) SELECT carrier, dest FROM flights
            hive_parts:
            carrier <- flights.carrier
            year <- nothing
            dest <- flights.dest
        """
    ),
    statement(
        "a directory",
        f"INSERT OVERWRITE DIRECTORY '{{out}}' STORED AS TEXTFILE {_SQL}",
        _COLUMNS,
    ),
    *statements(
        """
        a table in a format of Spark's own
            before: CREATE TABLE hive_parquet STORED AS PARQUET AS SELECT * FROM planes
            CREATE TABLE hive_upper STORED AS PARQUET AS SELECT upper(model) AS m FROM hive_parquet
            hive_upper:; m <- hive_parquet.model TRANSFORMATION
        what one partition holds
            before: CREATE TABLE hive_parted (n INT) PARTITIONED BY (part STRING) STORED AS TEXTFILE
            before: INSERT INTO hive_parted PARTITION (part = 'a') VALUES (1)
            CREATE TABLE hive_of_part USING parquet AS SELECT n, part FROM hive_parted WHERE part = 'a'
            hive_of_part:
            n <- hive_parted.n
            part <- hive_parted.part
            * <- hive_parted.part FILTER
        """
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_write_with_hive(case: Case, check, hive: SparkSession) -> None:
    check(case, hive)
