"""A job over empty frames of today's schemas: `python -m headwater.features.check.job job.py arguments...`.

Each file system is a folder, and a read gets the service's schema without rows: nothing is read or written elsewhere.
Capture writes the events into `HEADWATER_FILE`. Tables of the session become empty tables.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial, wraps
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from pyspark.sql.readwriter import DataFrameReader, DataFrameWriter
from pyspark.sql.types import StringType, StructField, StructType, _parse_datatype_string

from headwater.cli.service import fetch_json
from headwater.features.check import sources
from headwater.features.check.tables import MARK, find_table
from headwater.features.check.today import Today
from headwater_model.ids import DatasetId
from spark_client import run_captured

# Of the environment.
SANDBOX, URL = "HEADWATER_CHECK_SANDBOX", "HEADWATER_CHECK_URL"
_SCHEMES = ("s3", "s3a", "s3n", "gs", "abfs", "abfss", "wasbs", "hdfs", "dbfs")
_MISSING = ("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND")
# Tables made for a statement.
_TABLES_MAX = 100


class Job:
    """The environment of a checked job: where files lie, and the schemas of the service."""

    def __init__(self, sandbox: Path, url: str) -> None:
        self._sandbox = sandbox
        self._get = partial(fetch_json, url, token=os.environ.get("HEADWATER_TOKEN"))
        self._today = Today(self._get)
        self._sql = SparkSession.sql

    def install(self) -> None:
        """Replace the reads of files, and make tables where a session knows none."""
        for name in ("load", "csv", "json", "orc", "parquet", "text"):
            setattr(DataFrameReader, name, self._reading(getattr(DataFrameReader, name)))
        for owner, name in (
            (SparkSession, "sql"),
            (SparkSession, "table"),
            (DataFrameReader, "table"),
            (DataFrameWriter, "saveAsTable"),
            (DataFrameWriter, "insertInto"),
        ):
            setattr(owner, name, self._with_tables(getattr(owner, name)))
        sources.install()
        make = SparkSession.Builder.getOrCreate

        def make_in_sandbox(builder: Any) -> Any:
            started = SparkSession.getActiveSession() is not None
            session = make(self._configure(builder))
            if not started:
                self._use_sandbox(session)
            return session

        SparkSession.Builder.getOrCreate = make_in_sandbox  # type: ignore[assignment,method-assign]

    def _configure(self, builder: Any) -> Any:
        warehouse = str(self._sandbox / "warehouse")
        settings = {"spark.sql.warehouse.dir": warehouse, "spark.ui.enabled": "false", "spark.log.level": "ERROR"}
        settings |= {"spark.hadoop.headwater.sandbox": str(self._sandbox), "spark.sql.shuffle.partitions": "1"}
        settings |= {"spark.ui.showConsoleProgress": "false"}
        # No way around `sources` opens a connection.
        settings |= {"spark.sql.sources.disabledJdbcConnProviderList": "basic,db2,mariadb,mssql,oracle,postgres"}
        for name, value in settings.items():
            builder = builder.config(name, value)
        return builder.master("local[1]")

    def _use_sandbox(self, session: Any) -> None:
        compiler = session._jvm.org.codehaus.janino.SimpleCompiler()
        compiler.setParentClassLoader(session._jvm.java.lang.Thread.currentThread().getContextClassLoader())
        compiler.cook(Path(__file__).with_name("SandboxFiles.java").read_text("utf-8"))
        settings = session.sparkContext._jsc.hadoopConfiguration()
        settings.setClassLoader(compiler.getClassLoader())
        settings.set("fs.file.impl", "headwater.check.SandboxFiles")
        for scheme in _SCHEMES:
            settings.set(f"fs.{scheme}.impl", "headwater.check.SandboxFiles$Raw")
        files = session._jvm.org.apache.hadoop.fs.FileSystem
        files.closeAll()
        # Tasks have this file system from Hadoop's cache: their settings have no class of ours.
        files.get(settings)

    def _reading(self, method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def read(reader: Any, *paths: Any, **options: Any) -> Any:
            named = [*paths, options.get("path")]
            if method.__name__ == "load":
                named = [*paths[:1], options.get("path")]
            texts = [text for each in named for text in (each if isinstance(each, list) else [each])]
            self._prepare(reader, [text for text in texts if isinstance(text, str)])
            return method(reader, *paths, **options)

        return read

    def _prepare(self, reader: Any, paths: Sequence[str]) -> None:
        """Make an empty folder for each path, and give the reader the schema of the first."""
        for path in paths:
            parts = urlsplit(path)
            scheme, local = parts.scheme or "file", os.path.abspath(parts.path) if not parts.netloc else parts.path
            folder = self._sandbox / scheme / parts.netloc / local.strip("/")
            # A path written by the job has files.
            if not folder.exists():
                folder.mkdir(parents=True)
                name = DatasetId(f"{scheme}://{parts.netloc}", parts.path.strip("/")) if parts.netloc else None
                reader.schema(self._schema(name or DatasetId("file", local)))

    def _schema(self, name: DatasetId) -> StructType:
        today = self._today.dataset(name)
        if today is None or not today.types:
            raise SystemExit(f"headwater check: {name.node_id}: must have a schema in the service, to be read empty")
        return StructType([_field(path[0], kind) for path, kind in today.types.items() if len(path) == 1])

    def _with_tables(self, method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def call(owner: Any, *arguments: Any, **options: Any) -> Any:
            for _ in range(_TABLES_MAX):
                try:
                    return method(owner, *arguments, **options)
                except AnalysisException as error:
                    if not self._make_missing(error):
                        raise
            return method(owner, *arguments, **options)

        return call

    def _make_missing(self, error: AnalysisException) -> bool:
        """Make the table or schema that an error names; false for another error."""
        # PySpark 3.5 has the older name alone.
        condition = getattr(error, "getCondition", error.getErrorClass)()
        parameters = error.getMessageParameters() or {}
        session = SparkSession.getActiveSession()
        if session is None or condition not in _MISSING:
            return False
        if condition == "SCHEMA_NOT_FOUND":
            self._sql(session, f"CREATE SCHEMA {parameters['schemaName']}")
            return True
        table = parameters["relationName"]
        schema = self._schema(find_table(self._get, table.replace("`", "")))
        parts = table.split(".")
        if len(parts) > 1:
            self._sql(session, f"CREATE SCHEMA IF NOT EXISTS {parts[-2]}")
        columns = ", ".join(f"`{field.name}` {field.dataType.simpleString()}" for field in schema.fields)
        self._sql(session, f"CREATE TABLE {table} ({columns}) USING parquet TBLPROPERTIES ('{MARK}' = 'true')")
        return True


def _field(name: str, kind: str | None) -> StructField:
    """Make a column with a type of the service; a type unknown to Spark becomes text."""
    try:
        return StructField(name, _parse_datatype_string(kind or "string"))
    except Exception:  # noqa: BLE001 - the JVM's parser has errors of its own
        return StructField(name, StringType())


if __name__ == "__main__":
    # PySpark logs each missing table with its stack.
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)
    Job(Path(os.environ[SANDBOX]), os.environ[URL]).install()
    sys.argv[0] = "run_captured"
    run_captured.main()
