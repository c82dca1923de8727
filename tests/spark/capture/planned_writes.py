"""The write of a frame as Spark's listeners see it: the analyzed command, planned and not run."""

from __future__ import annotations

import time
import zlib
from itertools import count
from typing import Any

from pyspark.sql import DataFrame

from tests.spark.capture.specification import Case

# One case in so many runs its write, too.
_RUNS_ONE_OF = 12
# Ids that no execution of a session reaches.
_IDS = count(1 << 40)


def runs_too(case: Case) -> bool:
    """Return True for the one case in twelve that runs its write; the name decides, so it is the same in each run."""
    return zlib.crc32(case.name.encode()) % _RUNS_ONE_OF == 0


def post_planned_write(frame: DataFrame, path: str) -> None:
    """Post the end of `frame.write.parquet(path)` to Spark's listeners, without its jobs and files."""
    jvm, session = frame.sparkSession._jvm, frame.sparkSession._jsparkSession
    skip = _object(jvm.org.apache.spark.sql.execution, "CommandExecutionMode").SKIP()
    execution = session.sessionState().executePlan(_command(jvm, frame, path), skip)
    # Spark 3.5 names an error here, Spark 4.3 a query id, too; there is neither.
    event = jvm.java.lang.Class.forName("org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd")
    [constructor] = event.getConstructors()
    absent = [jvm.scala.Option.empty()] * (constructor.getParameterCount() - 2)
    ended = jvm.org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd(
        next(_IDS), int(time.time() * 1000), *absent
    )
    getattr(ended, "qe_$eq")(execution)
    getattr(ended, "executionName_$eq")(jvm.scala.Option.apply("save"))
    frame.sparkSession.sparkContext._jsc.sc().listenerBus().post(ended)


def _command(jvm: Any, frame: DataFrame, path: str) -> Any:
    datasources = jvm.org.apache.spark.sql.execution.datasources
    none, no_values, no_options = (
        jvm.scala.Option.empty(),
        _object(jvm.scala.collection.immutable, "Nil"),
        _empty_map(jvm),
    )
    return datasources.InsertIntoHadoopFsRelationCommand(
        jvm.org.apache.hadoop.fs.Path(path),
        no_options,
        False,
        no_values,
        none,
        datasources.parquet.ParquetFileFormat(),
        no_options,
        frame._jdf.logicalPlan(),
        jvm.org.apache.spark.sql.SaveMode.ErrorIfExists,
        none,
        none,
        jvm.org.apache.spark.api.python.PythonUtils.toSeq(frame.columns),
    )


def _empty_map(jvm: Any) -> Any:
    return _object(jvm.scala.collection.immutable, "Map").empty()


def _object(package: Any, name: str) -> Any:
    """Return an object of Scala's."""
    return getattr(getattr(package, f"{name}$"), "MODULE$")
