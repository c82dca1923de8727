"""Datasets that Spark reads and writes have OpenLineage's names: the location first, the table's name beside it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.utils import AnalysisException

from headwater_model.ids import DatasetId
from spark_client.capturing.events.run_events import Application, run_of_write
from spark_client.capturing.model import SchemaField, Symlink, Write
from spark_client.current_run import JobRun, RunContext
from tests.spark.capture.conftest import Watch

_DERBY = "jdbc:derby:memory:names;create=true"
_PLACE = "derby:memory:names"
_DRIVER = "org.apache.derby.jdbc.EmbeddedDriver"
_ROW = "SELECT 'UA' AS carrier, 1545 AS flight"
_COLUMNS = (SchemaField("carrier", "string"), SchemaField("flight", "integer"))

WriteOf = Callable[[Callable[[], object]], Write]


@pytest.fixture
def write_of(watch: Watch) -> WriteOf:
    """Return the one write captured from an action."""

    def write_of(act: Callable[[], object]) -> Write:
        [write] = watch.writes_of(act)
        return write

    return write_of


@pytest.fixture
def warehouse(spark: SparkSession) -> str:
    return str(spark.conf.get("spark.sql.warehouse.dir")).removeprefix("file:")


def files(path: object) -> DatasetId:
    return DatasetId("file", str(path))


def by_name(warehouse: str, name: str) -> Symlink:
    return Symlink(f"file:{warehouse}", name)


def ids(write: Write) -> list[DatasetId]:
    return [dataset.id for dataset in write.inputs]


def test_partitions_are_their_dataset_when_written_and_when_read(spark, write_of, tmp_path):
    written = write_of(lambda: spark.sql(_ROW).write.mode("overwrite").csv(f"{tmp_path}/out/day=2013-01-01"))
    read = write_of(lambda: spark.read.csv(f"{tmp_path}/out/day=2013-01-01").write.csv(f"{tmp_path}/copy"))
    one_file = next(Path(f"{tmp_path}/out/day=2013-01-01").glob("part-*.csv"))
    of_one = write_of(lambda: spark.read.csv(str(one_file)).write.csv(f"{tmp_path}/copy2"))

    assert (written.output.id, written.change) == (files(tmp_path / "out"), None)
    assert ids(read) == ids(of_one) == [files(tmp_path / "out")]


MAKE = {
    "ctas": lambda spark: spark.sql(f"CREATE TABLE named_ctas USING parquet AS {_ROW}"),
    "save": lambda spark: spark.sql(_ROW).write.saveAsTable("named_save"),
    "writeto": lambda spark: spark.sql(_ROW).writeTo("named_writeto").using("parquet").create(),
}


@pytest.mark.parametrize("way", MAKE)
def test_a_table_that_is_made_is_one_write_of_where_it_lies(spark, write_of, warehouse, way):
    write = write_of(lambda: MAKE[way](spark))

    assert write.output.id == files(f"{warehouse}/named_{way}")
    assert write.output.symlinks == (by_name(warehouse, f"default.named_{way}"),)
    assert (write.change, write.output.schema, write.written.rows) == ("CREATE", _COLUMNS, 1)


def test_a_table_is_read_and_added_to_under_the_same_names(spark, write_of, warehouse, tmp_path):
    spark.sql(f"CREATE TABLE names_in USING parquet AS {_ROW}")

    added = write_of(lambda: spark.sql(f"INSERT INTO names_in {_ROW}"))
    over = write_of(lambda: spark.sql(f"INSERT OVERWRITE names_in {_ROW}"))
    read = write_of(lambda: spark.table("names_in").write.parquet(f"{tmp_path}/out"))

    assert added.output == over.output == read.inputs[0]
    assert (added.output.id, added.output.symlinks) == (
        files(f"{warehouse}/names_in"),
        (by_name(warehouse, "default.names_in"),),
    )
    assert (added.change, over.change, read.change) == (None, "OVERWRITE", None)


def test_partitions_that_are_replaced_are_not_all_of_their_table(spark, write_of, tmp_path):
    spark.sql("CREATE TABLE in_days (carrier STRING, day STRING) USING parquet PARTITIONED BY (day)")
    dynamic = {"partitionOverwriteMode": "dynamic"}
    frame = spark.sql("SELECT 'UA' AS carrier, '2013-01-01' AS day")

    whole = write_of(lambda: spark.sql("INSERT OVERWRITE in_days SELECT 'UA', '2013-01-01'"))
    named = write_of(lambda: spark.sql("INSERT OVERWRITE in_days PARTITION (day = '2013-01-01') SELECT 'B6'"))
    has_rows = write_of(
        lambda: frame.write.partitionBy("day").mode("overwrite").options(**dynamic).parquet(f"{tmp_path}/out")
    )

    assert (whole.change, named.change, has_rows.change) == ("OVERWRITE", None, None)


@pytest.mark.parametrize(
    ("mode", "options", "change"),
    [
        ("dynamic", {}, None),
        ("dynamic", {"partitionOverwriteMode": "static"}, "OVERWRITE"),
        ("static", {}, "OVERWRITE"),
    ],
)
def test_the_mode_of_overwriting_partitions_is_the_sessions_when_it_was_written(
    mode, options, change, spark, write_of, tmp_path
):
    def act() -> None:
        spark.conf.set("spark.sql.sources.partitionOverwriteMode", mode)
        try:
            frame = spark.sql("SELECT 'UA' AS carrier, '2013-01-01' AS day")
            frame.write.partitionBy("day").mode("overwrite").options(**options).parquet(f"{tmp_path}/out")
        finally:
            spark.conf.unset("spark.sql.sources.partitionOverwriteMode")

    assert write_of(act).change == change


def test_inserts_that_share_a_from_are_a_write_each_even_into_one_table(spark, watch, warehouse):
    spark.sql("CREATE TABLE many_a (carrier STRING, flight INT) USING parquet")
    spark.sql("CREATE TABLE many_b (carrier STRING) USING parquet")
    spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW many AS {_ROW}")

    writes = watch.writes_of(
        lambda: spark.sql(
            "FROM many INSERT INTO many_a SELECT * INSERT OVERWRITE many_b SELECT carrier "
            "INSERT INTO many_a SELECT * WHERE flight < 0"
        )
    )

    assert [(write.output.id, write.change, write.written.rows) for write in writes] == [
        (files(f"{warehouse}/many_a"), None, 1),
        (files(f"{warehouse}/many_b"), "OVERWRITE", 1),
        (files(f"{warehouse}/many_a"), None, 0),
    ]
    application = Application(RunContext(JobRun("tests", "tests", str(uuid4()))))
    assert len({run_of_write(write, application) for write in writes}) == 3


def test_directories_and_tables_that_share_a_from_are_a_write_each(spark, watch, datasets, warehouse, tmp_path):
    spark.sql("CREATE TABLE beside_folders (carrier STRING) USING parquet")
    inserts = " ".join(
        f"INSERT OVERWRITE DIRECTORY '{tmp_path}/{folder}' USING parquet SELECT {column}"
        for folder, column in (("x", "carrier"), ("y", "distance"), ("x", "dest"))
    )

    writes = watch.writes_of(
        lambda: spark.sql(f"FROM flights {inserts} INSERT INTO beside_folders SELECT carrier WHERE distance > 1500")
    )

    assert sorted(
        (write.output.id.name, write.change or "", *write.columns.fields, write.written.rows) for write in writes
    ) == [
        (f"{tmp_path}/x", "OVERWRITE", ("carrier",), 2),
        (f"{tmp_path}/x", "OVERWRITE", ("dest",), 2),
        (f"{tmp_path}/y", "OVERWRITE", ("distance",), 2),
        (f"{warehouse}/beside_folders", "", ("carrier",), 1),
    ]


def test_what_was_there_already_is_not_written_again(spark, watch, tmp_path):
    spark.sql(_ROW).write.parquet(f"{tmp_path}/out")
    spark.sql(f"CREATE TABLE was_there USING parquet AS {_ROW}")
    spark.sql("CREATE TABLE in_parts_there USING parquet PARTITIONED BY (day) AS SELECT 'UA' AS carrier, 1 AS day")
    spark.sql(_ROW).write.jdbc(_DERBY, "was_there", properties={"driver": _DRIVER})

    def act() -> None:
        spark.sql(_ROW).write.mode("ignore").parquet(f"{tmp_path}/out")
        spark.sql(f"CREATE TABLE IF NOT EXISTS was_there USING parquet AS {_ROW}")
        spark.sql(_ROW).write.mode("ignore").saveAsTable("was_there")
        spark.sql("INSERT OVERWRITE in_parts_there PARTITION (day = 1) IF NOT EXISTS SELECT 'B6'")
        spark.sql(_ROW).write.mode("ignore").jdbc(_DERBY, "was_there", properties={"driver": _DRIVER})

    assert watch.writes_of(act) == []


def test_what_was_not_there_is_written_in_spite_of_an_if(spark, write_of, warehouse, tmp_path):
    none = spark.sql(f"{_ROW} WHERE false")
    wrote = write_of(lambda: none.write.mode("ignore").partitionBy("carrier").parquet(f"{tmp_path}/out"))
    created = write_of(lambda: spark.sql(f"CREATE TABLE IF NOT EXISTS not_there USING parquet AS {_ROW}"))
    into = write_of(lambda: none.write.mode("ignore").jdbc(_DERBY, "not_there", properties={"driver": _DRIVER}))

    assert (wrote.output.id, wrote.written.files) == (files(tmp_path / "out"), 0)
    assert (created.output.id, created.change) == (files(f"{warehouse}/not_there"), "CREATE")
    assert into.output.id == DatasetId(_PLACE, "not_there")


def test_a_failed_write_has_the_name_of_what_it_would_have_written(spark, watch, warehouse, tmp_path):
    spark.sql(_ROW).write.parquet(f"{tmp_path}/out")
    spark.sql(f"CREATE TABLE fails USING parquet AS {_ROW}")

    def act() -> None:
        with pytest.raises(AnalysisException):
            spark.sql(_ROW).write.parquet(f"{tmp_path}/out")
        with pytest.raises(AnalysisException):
            spark.sql(f"CREATE TABLE fails USING parquet AS {_ROW}")

    of_path, of_table = watch.writes_of(act)

    assert (of_path.output.id, of_path.failure is not None) == (files(tmp_path / "out"), True)
    assert (of_table.output.id, of_table.failure is not None) == (DatasetId(f"file:{warehouse}", "default.fails"), True)


def test_data_that_is_loaded_is_a_write_of_files_as_they_are(hive, write_of, warehouse, tmp_path):
    hive.sql("CREATE TABLE loaded (a STRING) STORED AS TEXTFILE")
    (tmp_path / "raw.txt").write_text("x\n")

    write = write_of(lambda: hive.sql(f"LOAD DATA LOCAL INPATH '{tmp_path}/raw.txt' INTO TABLE loaded"))

    assert write.output.id == DatasetId(f"file:{warehouse}", "default.loaded")
    assert (ids(write), write.tier) == ([files(tmp_path / "raw.txt")], "tables")
