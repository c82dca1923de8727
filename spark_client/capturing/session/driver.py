"""Session of the driver: a capture listens to its executions, and extracts their writes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from spark_client.capturing.datasets.session_conf import SessionConf
from spark_client.capturing.jvm.executions import Bounds, Executions, Unavailable
from spark_client.capturing.model import Execution, Read, StreamPlan, StreamStart, Write
from spark_client.capturing.parts import module
from spark_client.capturing.session.worker import Origin

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_client.capturing.datasets.versions import Versions
    from spark_client.capturing.extract import Extractor
    from spark_client.capturing.session.settings import Settings


class DriverSession:
    """Session of a driver, with a JVM in reach of Python.

    Raises:
        Unavailable: Spark's driver is out of reach.
    """

    def __init__(self, spark: SparkSession) -> None:
        context = getattr(spark, "_sc", None)
        if context is None:
            raise Unavailable("there is no JVM of the driver's to listen to, and no client of Spark Connect")
        if getattr(context, "_jsc", context) is None:
            raise Unavailable("Spark was stopped")
        self._spark, self._context = spark, context

    @property
    def version(self) -> str:
        """Version of Spark."""
        return self._spark.version

    @property
    def name(self) -> str | None:
        """Name of the application."""
        name: str | None = self._context.appName
        return name

    @cached_property
    def _conf(self) -> SessionConf:
        return SessionConf(self._spark)

    def conf(self, prefixes: Iterable[str]) -> Mapping[str, str]:
        """Read the entries of Spark's conf by the beginnings of their keys: `["spark.headwater."]`."""
        return self._conf.entries(prefixes)

    def open(self, settings: Settings, *, at_once: bool) -> Origin[Execution, StreamPlan]:
        """Begin to listen to the executions of the context; its classes are compiled `at_once`, or at first need."""
        bounds = Bounds(
            settings.executions_max,
            settings.reads,
            settings.plan_max_nodes,
            settings.plan_max_chars,
            settings.plan_max_ms,
        )
        executions = Executions(self._spark, bounds, at_once=at_once)
        extractor = _LaterExtractor(self._conf, trims_partitions=settings.trims_partitions)

        def self_test() -> Sequence[str]:
            from spark_client.capturing.session.self_test import find_failures

            return executions.test_once(find_failures)

        return Origin(executions, extractor.read, extractor, self_test)


class _LaterExtractor:
    """Extractor, made by the reading thread: the job waits neither for its modules nor for the catalogs."""

    def __init__(self, conf: SessionConf, *, trims_partitions: bool) -> None:
        self._conf = conf
        self._trims_partitions = trims_partitions

    @cached_property
    def _extractor(self) -> Extractor:
        from spark_client.capturing.datasets.catalogs import read_catalogs
        from spark_client.capturing.extract import Extractor

        catalogs = replace(read_catalogs(self._conf, os.environ), trims_partitions=self._trims_partitions)
        return Extractor(catalogs)

    def read(self, execution: Execution) -> Sequence[Read]:
        """Read the writes or reads of an execution (`Extractor.read`)."""
        return self._extractor.read(execution)

    def read_stream(self, start: StreamStart[StreamPlan]) -> Write | None:
        """Read the write of a streaming query into its sink."""
        write: Write | None = module("reading").read_stream(self._extractor, start)
        return write

    def locate(self, versions: Mapping[str, str | None]) -> Versions:
        """Name the datasets of versions by path (`Extractor.locate`)."""
        return self._extractor.locate(versions)
