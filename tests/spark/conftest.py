"""A local Spark session for the whole run; it costs seconds to make."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pyspark
import pytest
from pyspark.sql import SparkSession

from tests.spark import table_formats

OPTIONS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.shuffle.partitions": "1",
    # Any free port for the tests' server of Spark Connect in the JVM.
    "spark.connect.grpc.binding.port": "0",
    # A few rows are read sooner than code for them is made; plans are the same.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    # A JVM of a few minutes starts faster without its best compiler and with its simplest collector. All tests of a run
    # fill 1 GB of heap, and more than this compiler's default of 48 MB of code.
    "spark.driver.memory": "3g",
    "spark.driver.extraJavaOptions": (
        "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m -XX:+UseSerialGC -Dderby.stream.error.file=/dev/null"
    ),
    # A Hive metastore and a database, both in the JVM's memory; `derby.APP` is the database's schema.
    "spark.sql.catalog.derby": "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog",
    "spark.sql.catalog.derby.url": "jdbc:derby:memory:flights;create=true",
    "spark.sql.catalog.derby.driver": "org.apache.derby.jdbc.EmbeddedDriver",
    "spark.hadoop.javax.jdo.option.ConnectionURL": "jdbc:derby:memory:metastore;create=true",
}

_OF_SPARK_35 = (
    "unclosed <socket:ResourceWarning",
    "distutils Version classes are deprecated:DeprecationWarning",
    "is_datetime64tz_dtype is deprecated:DeprecationWarning",
)
# Spark's workers run the driver's Python.
os.environ["PYSPARK_PYTHON"] = sys.executable


def pytest_configure(config: pytest.Config) -> None:
    """Allow PySpark 3.5's warnings: it leaves sockets to the garbage collector and uses old names."""
    if pyspark.__version__.startswith("3."):
        for message in _OF_SPARK_35:
            config.addinivalue_line("filterwarnings", f"ignore:{message}")


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    builder = SparkSession.builder.master("local[2]").appName("tests")
    warehouse = str(tmp_path_factory.mktemp("warehouse"))
    for name, value in {**OPTIONS, **table_formats.options(warehouse)}.items():
        builder = builder.config(name, value)
    session = builder.config("spark.sql.warehouse.dir", warehouse).getOrCreate()
    _use_local_files(session)
    yield session
    session.stop()


def _use_local_files(session: SparkSession) -> None:
    """Let Hadoop set permissions without a process for each; it keeps the file system made here for every task."""
    compiler = session._jvm.org.codehaus.janino.SimpleCompiler()
    compiler.setParentClassLoader(session._jvm.java.lang.Thread.currentThread().getContextClassLoader())
    compiler.cook(Path(__file__).with_name("LocalFiles.java").read_text("utf-8"))
    settings = session.sparkContext._jsc.hadoopConfiguration()
    before = settings.getClassLoader()
    settings.setClassLoader(compiler.getClassLoader())
    settings.set("fs.file.impl", "headwater.tests.LocalFiles")
    files = session._jvm.org.apache.hadoop.fs.FileSystem
    files.closeAll()
    assert files.get(settings).getClass().getName() == "headwater.tests.LocalFiles"
    settings.unset("fs.file.impl")
    settings.setClassLoader(before)
