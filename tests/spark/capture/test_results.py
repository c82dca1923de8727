"""Results of statements: a statement runs once, and is a run alone, whatever an action does with its result."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyspark
import pytest
from pyspark.sql import DataFrame, SparkSession

from spark_client.capturing.jvm.executions import Bounds
from spark_client.capturing.model import Read, Write
from tests.spark import table_formats
from tests.spark.capture.conftest import Watch
from tests.spark.capture.row_tables import add_catalog
from tests.spark.capture.specification import short_name

_ROWS = "SELECT carrier, flight FROM flights"
# By kind of table, the catalog and database of the table, and how it is made.
_FORMS = {
    "files": ("", "USING parquet"),
    "hive": ("of_hive_", "STORED AS ORC"),
    "rows": ("rows.", "LOCATION 'file:/lake/collected'"),
    "delta": ("", "USING delta"),
    "iceberg": ("ice.db.", "USING iceberg"),
}
# Statements, and the tables that they write.
_ANY = {
    f"INSERT INTO {{of}}collected {_ROWS}": ["collected"],
    "INSERT INTO {of}collected VALUES ('UA', 1)": ["collected"],
    f"INSERT OVERWRITE {{of}}collected {_ROWS}": ["collected"],
}
_TRUNCATES = {"TRUNCATE TABLE {of}collected": ["collected"]}  # not of Delta
_CATALOGED = {
    "DROP TABLE {of}collected": ["collected"],
    f"CREATE TABLE {{of}}made {{made}} AS {_ROWS}": ["made"],
}
_OF_FILES = {
    f"INSERT OVERWRITE DIRECTORY '{{out}}' USING parquet {_ROWS}": ["out"],
    "FROM flights INSERT INTO collected SELECT carrier, 1 INSERT INTO made SELECT dest, flight": ["collected", "made"],
}
if pyspark.__version__ >= "4":
    _OF_FILES |= {
        f"EXECUTE IMMEDIATE 'INSERT INTO collected {_ROWS}'": ["collected"],
        f"BEGIN INSERT INTO collected {_ROWS}; INSERT INTO made {_ROWS}; END": ["collected", "made"],
    }
_OF_ROWS = {
    "UPDATE {of}collected SET flight = 1 WHERE carrier = 'UA'": ["collected"],
    "DELETE FROM {of}collected WHERE flight = 1": ["collected"],
    f"MERGE INTO {{of}}collected c USING ({_ROWS}) f ON c.flight = f.flight "
    "WHEN MATCHED THEN UPDATE SET carrier = f.carrier WHEN NOT MATCHED THEN INSERT *": ["collected"],
}
CASES = [
    (form, sql, written)
    for form, statements in {
        "files": _ANY | _TRUNCATES | _CATALOGED | _OF_FILES,
        "hive": _ANY | _TRUNCATES | _CATALOGED,
        # Iceberg's rules for its format 3 fail on changed rows in tables of others.
        "rows": _ANY | _TRUNCATES | ({} if "iceberg" in table_formats.chosen() else _OF_ROWS),
        "delta": _ANY | _CATALOGED | _OF_ROWS,
        "iceberg": _ANY | _TRUNCATES | _CATALOGED | _OF_ROWS,
    }.items()
    if form not in ("delta", "iceberg") or form in table_formats.chosen()
    for sql, written in statements.items()
]


@pytest.fixture(scope="module", autouse=True)
def rows(spark: SparkSession, datasets: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    add_catalog(spark, "rows", tmp_path_factory.mktemp("rows"))


@pytest.fixture(scope="module")
def reading(spark: SparkSession, datasets: Path) -> Iterator[Watch]:
    watch = Watch(spark, Bounds(reads=True))
    yield watch
    watch.close()


def name_of(seen: Read) -> str:
    """Return the name of the table that was written; a read has none."""
    return short_name(seen.output.id).split(".")[-1].removeprefix("of_hive_") if isinstance(seen, Write) else str(seen)


def act_on(result: DataFrame) -> None:
    """Do all that a program may do with a result."""
    result.collect()
    result.toPandas()
    list(result.toLocalIterator())
    result.take(1)
    result.tail(1)
    result.show()
    result.count()
    result.isEmpty()
    result.rdd.collect()
    result.foreach(print)
    result.localCheckpoint()
    result.write.format("noop").mode("overwrite").save()


@pytest.mark.parametrize(("form", "sql", "written"), CASES)
def test_a_statement_is_one_run_whatever_becomes_of_its_result(
    form: str, sql: str, written: list[str], request: pytest.FixtureRequest, reading: Watch, tmp_path: Path
) -> None:
    session = request.getfixturevalue("hive" if form == "hive" else "spark")
    of, clause = _FORMS[form]
    if form == "iceberg":
        session.sql("CREATE NAMESPACE IF NOT EXISTS ice.db")
    for table in ("collected", "made"):
        session.sql(f"DROP TABLE IF EXISTS {of}{table}")
    for table in ("collected",) if "CREATE" in sql else ("collected", "made"):
        session.sql(f"CREATE TABLE {of}{table} (carrier STRING, flight INT) {clause}")
    statement = sql.format(of=of, made=clause, out=tmp_path / "out")
    seen = reading.all_of(lambda: act_on(session.sql(statement)))
    assert [name_of(each) for each in seen] == written
