"""Unknown sources are reported as unknown, never as made of nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as sf

from tests.spark.capture.specification import Case, frame, write


def _flights(spark: SparkSession) -> DataFrame:
    return spark.table("flights").select("carrier", "distance")


def _write_texts(spark: SparkSession, out: str) -> None:
    """Of three folders beside the output: one through Hadoop, one file of another, and all two of the third."""
    texts = Path(f"{out}-texts")
    for name in ("notes/1.txt", "notes/2.txt", "single/a.csv", "single/b.csv", "days/1.csv", "days/2.csv"):
        file = texts / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("text\n")
    lines = spark.sparkContext.textFile(f"{texts}/notes")
    for read in (f"{texts}/single/a.csv", f"{texts}/days"):
        lines = lines.union(spark.read.text(read).rdd.map(lambda row: row.value))
    lines.map(lambda line: Row(line=line)).toDF("line STRING").write.parquet(out)


CASES = (
    frame(
        "an RDD is made of all that it was joined of",
        lambda spark: (
            spark.table("flights")
            .rdd.map(lambda row: (row.tailnum, row.carrier))
            .join(spark.table("planes").repartition(3).rdd.map(lambda row: (row.tailnum, row.seats)), 2)
            .map(lambda pair: Row(tailnum=pair[0], seats=pair[1][1]))
            .toDF("tailnum STRING, seats INT")
        ),
        "tailnum, seats <- unknown; inputs: flights, planes",
    ),
    write(
        "an RDD of text, a single file of a folder, and a folder of several",
        lambda spark, out: _write_texts(spark, out),
        "line <- unknown; inputs: notes, a.csv, days",
    ),
    frame(
        "rows of the program are unknown",
        lambda spark: spark.createDataFrame([("UA", 1)], "c STRING, n INT").select("c"),
        "c <- unknown; inputs: unknown",
    ),
    frame(
        "the file that a row lies in is no column of the dataset",
        lambda spark: spark.table("planes").select("seats", sf.col("_metadata.file_path").alias("file")),
        "seats <- planes.seats; file <- nothing",
    ),
)

# What a source without a name can do without being in any column: only that there is one is known.
DECIDING = {
    "joins": lambda flights, sent: flights.join(sent, "carrier", "left_semi"),
    "multiplies": lambda flights, sent: flights.crossJoin(sent.select("rate")).drop("rate"),
    "is subtracted": lambda flights, sent: flights.exceptAll(sent.select("carrier", "rate").limit(0)),
    "joins, checkpointed": lambda flights, sent: flights.join(sent.localCheckpoint(), "carrier", "left_semi"),
}
STATEMENTS = {
    "is looked into": "carrier IN (SELECT carrier FROM sent)",
    "is compared with": "distance > (SELECT max(rate) FROM sent)",
}


@pytest.mark.parametrize("act", [*DECIDING.values(), *STATEMENTS.values()], ids=[*DECIDING, *STATEMENTS])
def test_a_source_without_a_name_that_only_decides_about_rows_is_emitted(act, spark, watch, tmp_path) -> None:
    flights, sent = _flights(spark), spark.createDataFrame([("UA", 2)], "carrier STRING, rate INT")
    flights.createOrReplaceTempView("some_flights")
    sent.createOrReplaceTempView("sent")

    def write() -> None:
        frame = spark.sql(f"SELECT * FROM some_flights WHERE {act}") if isinstance(act, str) else act(flights, sent)
        frame.write.parquet(str(tmp_path / "out"))

    (written,) = watch.writes_of(write)
    assert [dataset.id.name.rsplit("/", 1)[-1] for dataset in written.inputs] == ["flights"]
    assert len(written.unknown_inputs) == 1
    assert written.unknown_inputs[0].partition(": ")[2] in ("made of an RDD", "rows of the program")


def test_a_source_without_a_name_is_emitted_of_a_table_made_as_selected(spark, watch) -> None:
    sent = spark.createDataFrame([("UA",)], "carrier STRING")

    (written,) = watch.writes_of(lambda: _flights(spark).join(sent, "carrier", "left_semi").write.saveAsTable("semi"))

    assert (written.tier, written.unknown, len(written.unknown_inputs)) == ("full", {}, 1)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_is_unknown(case: Case, check) -> None:
    check(case)
