"""Whatever becomes of the notes on DynamicFrames, the job's calls do what they did, and nothing is left behind."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession, SQLContext

from spark_client.capturing.glue.frames import glue_frames
from tests.spark.capture.conftest import Watch
from tests.spark.capture.glue_jobs import catalog, on_path, to_json, to_parquet, watching

pytestmark = [
    pytest.mark.filterwarnings("ignore:Deprecated in 3.0.0:FutureWarning"),
    pytest.mark.filterwarnings("ignore:DataFrame constructor is internal:UserWarning"),
]


@pytest.fixture
def jvm() -> Iterator[Any]:
    with on_path() as jvm:
        yield jvm


@pytest.fixture
def watch(spark: SparkSession, jvm: Any) -> Iterator[Watch]:
    with watching(spark) as watch:
        yield watch


def methods() -> dict[str, Any]:
    """Return the attributes of the package's classes, and of the class that contexts are made by."""
    from awsglue.context import GlueContext
    from awsglue.data_sink import DataSink
    from awsglue.data_source import DataSource
    from awsglue.dynamicframe import DynamicFrame
    from awsglue.streaming_data_source import StreamingDataSource

    owners = (SQLContext, GlueContext, DynamicFrame, DataSource, DataSink, StreamingDataSource)
    return {f"{owner.__name__}.{name}": value for owner in owners for name, value in vars(owner).items()}


def test_methods_are_what_they_were_once_no_capture_is_left(spark: SparkSession, jvm: Any) -> None:
    if glue_frames._captures:  # another module's
        pytest.skip("a capture of the session is open")
    before = methods()
    first, second = Watch(spark), Watch(spark)
    wrapped = methods()
    changed = {name for name, value in before.items() if wrapped[name] is not value}
    assert {"SQLContext.__init__", "DynamicFrame.toDF", "DynamicFrame.fromDF", "DataSink.writeFrame"} <= changed
    first.close()
    assert methods() == wrapped
    second.close()
    assert methods() == before


def test_wrapped_methods_have_their_signatures_and_names(watch: Watch, jvm: Any) -> None:
    from awsglue.dynamicframe import DynamicFrame

    assert list(inspect.signature(DynamicFrame.apply_mapping).parameters) == [
        *("self", "mappings", "case_sensitive", "transformation_ctx", "info", "stageThreshold", "totalThreshold")
    ]
    assert list(inspect.signature(DynamicFrame.fromDF).parameters) == ["dataframe", "glue_ctx", "name"]
    assert (DynamicFrame.join.__name__, DynamicFrame.join.__qualname__) == ("join", "DynamicFrame.join")


def test_a_package_that_is_imported_after_the_capture_is_captured(
    spark: SparkSession, watch: Watch, jvm: Any, tmp_path: Path
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "awsglue"]:
        del sys.modules[name]
    if glue_frames._wrapped and glue_frames._captures > 1:
        pytest.skip("a capture of the session is open")
    glue_frames._wrapped = None
    from awsglue import jvm as again
    from awsglue.context import GlueContext

    again.TABLES.update(jvm.TABLES)
    glue = GlueContext(spark.sparkContext)
    (write,) = watch.writes_of(lambda: to_json(glue, catalog(glue, "persons"), str(tmp_path / "out")))
    assert [dataset.id.name for dataset in write.inputs] == ["table/legislators/persons"]


def test_a_sink_that_fails_raises_its_own_error_and_is_a_failed_write(
    spark: SparkSession, watch: Watch, jvm: Any, tmp_path: Path
) -> None:
    from awsglue.context import GlueContext

    glue = GlueContext(spark.sparkContext)
    frame, options = catalog(glue, "persons"), {"path": str(tmp_path / "out"), "fails": True}

    def fail() -> None:
        with pytest.raises(RuntimeError, match="the sink is full"):
            glue.write_dynamic_frame.from_options(frame, "s3", options, "json")

    (write,) = watch.writes_of(fail)
    assert write.failure is not None
    assert write.failure.message == "RuntimeError: the sink is full"
    assert [dataset.id.name for dataset in write.inputs] == ["table/legislators/persons"]


def test_wrong_arguments_are_refused_as_they_were(spark: SparkSession, watch: Watch, jvm: Any) -> None:
    from awsglue.context import GlueContext

    glue = GlueContext(spark.sparkContext)
    frame = catalog(glue, "persons")
    with pytest.raises(TypeError, match="unexpected keyword argument 'path'"):
        frame.select_fields(path=["id"])
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        frame.rename_field("id")
    with pytest.raises(KeyError, match="no_table"):
        catalog(glue, "no_table")
    with pytest.raises(AssertionError):
        glue.write_dynamic_frame.from_options("no frame", "s3", {"path": "x"}, "json")


def test_a_frame_without_known_steps_is_an_unknown_input(
    spark: SparkSession, watch: Watch, jvm: Any, tmp_path: Path
) -> None:
    from awsglue.context import GlueContext
    from awsglue.dynamicframe import DynamicFrame
    from awsglue.jvm import JavaFrame

    glue = GlueContext(spark.sparkContext)
    frame = DynamicFrame(JavaFrame(spark.sql("SELECT 1 AS id")), glue).select_fields(["id"])
    (write,) = watch.writes_of(lambda: to_parquet(glue, frame, str(tmp_path / "out")))
    reason = "DynamicFrame: made by an unknown step"
    assert (write.inputs, write.unknown_inputs, dict(write.unknown)) == ((), (reason,), {("id",): reason})


def test_an_argument_that_cannot_be_noted_costs_the_columns_of_that_frame(
    spark: SparkSession, watch: Watch, jvm: Any, tmp_path: Path
) -> None:
    from awsglue.context import GlueContext

    class Odd(str):
        def __str__(self) -> str:
            raise RuntimeError("not for you")

    glue = GlueContext(spark.sparkContext)
    frame = catalog(glue, "persons").select_fields(["id"]).rename_field(Odd("id"), "key")
    (write,) = watch.writes_of(lambda: to_parquet(glue, frame, str(tmp_path / "out")))
    assert dict(write.unknown) == {("key",): "DynamicFrame: made by an unknown step"}


def test_a_capture_imports_no_package_of_glues() -> None:
    program = (
        "import sys; from spark_client.capturing.glue.frames import glue_frames; glue_frames.open(); "
        "glue_frames.close(); sys.exit(any(name.partition('.')[0] == 'awsglue' for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
