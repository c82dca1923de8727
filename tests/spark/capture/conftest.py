"""Datasets of the flights' story to read from, and the writes captured in a test."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pyspark
import pytest
from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from spark_client.capturing.connect.commands import Command, Commands
from spark_client.capturing.connect.streams import CommandSource
from spark_client.capturing.connect.writes import ConnectExtractor
from spark_client.capturing.datasets.catalogs import read_catalogs
from spark_client.capturing.datasets.session_conf import SessionConf
from spark_client.capturing.extract import Extractor
from spark_client.capturing.jvm.executions import Bounds, Executions
from spark_client.capturing.model import (
    Execution,
    Over,
    Read,
    StreamEnd,
    StreamProgress,
    StreamStart,
    UnknownTarget,
    Write,
)
from spark_client.capturing.session.write_merger import WriteMerger
from spark_client.capturing.streams.reading import read_stream
from tests.spark.capture.planned_writes import post_planned_write, runs_too
from tests.spark.capture.specification import Case, expected, lines_of
from tests.waiting import LONG_S

DATASETS = {
    "flights": """
        SELECT 'UA' AS carrier, 1545 AS flight, 'N14228' AS tailnum, 'EWR' AS origin, 'IAH' AS dest,
               1400 AS distance, 227.0D AS air_time, DATE '2013-01-01' AS day
        UNION ALL SELECT 'B6', 725, 'N804JB', 'JFK', 'BQN', 1576, 183.0D, DATE '2013-01-01'
    """,
    "planes": "SELECT 'N14228' AS tailnum, 149 AS seats, 2 AS engines, '737-824' AS model",
    "airports": """
        SELECT 'EWR' AS faa, 'Newark' AS name, named_struct('lat', 40.7D, 'lon', -74.2D) AS location, 18 AS alt, 5 AS tz
    """,
    "crews": """
        SELECT 1545 AS flight, array(named_struct('name', 'Ada', 'role', 'captain')) AS employees,
               named_struct('email', 'a@b.c', 'phone', named_struct('home', '1', 'work', '2')) AS contact,
               map('seat', '1A') AS tags, map('home', named_struct('city', 'Rome', 'country', 'IT')) AS places,
               array(1, 2) AS legs, '{"a": 1, "b": "x"}' AS note
    """,
    "odd": "SELECT 'x' AS `a.b`, 1 AS `C d`, named_struct('e.f', 2) AS s",
}


@pytest.fixture(scope="session")
def datasets(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the datasets; each is a table by its own name, too."""
    folder = tmp_path_factory.mktemp("data")
    for name, rows in DATASETS.items():
        spark.sql(rows).coalesce(1).write.parquet(f"{folder}/{name}")
        spark.sql(f"CREATE TABLE {name} USING parquet LOCATION '{folder}/{name}'")
    return folder


class Watch:
    """Writes and reads captured in a Spark context from now on."""

    def __init__(
        self,
        spark: SparkSession,
        bounds: Bounds | None = None,
        environment: Mapping[str, str] | None = None,
        **more: Any,
    ) -> None:
        # A new listener hears earlier events that are still in the queue.
        spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty(int(LONG_S * 1000))
        self._executions = Executions(spark, bounds, at_once=True)
        self._extractor = Extractor(replace(read_catalogs(SessionConf(spark), environment or {}), **more))
        self._merger = WriteMerger()

    def writes_of(self, act: Callable[[], object]) -> list[Write]:
        """Capture the writes of an action, each once."""
        return [read for read in self.all_of(act) if isinstance(read, Write)]

    def reads_of(self, act: Callable[[], object]) -> list[Read]:
        """Capture the reads of an action without a write."""
        return [read for read in self.all_of(act) if not isinstance(read, Write)]

    def all_of(self, act: Callable[[], object]) -> list[Read]:
        """Capture the writes of an action, and its reads without a write."""
        self._discard()
        act()
        return self._drained()

    def close(self) -> None:
        self._executions.close()

    def _discard(self) -> None:
        """Read all earlier executions: the watch sees the whole context, and earlier targets may have no name."""
        assert self._executions.drain(LONG_S)
        for execution in iter(lambda: self._executions.next(0), None):
            with suppress(UnknownTarget):
                self._extracted(execution)
        self._merger.release()

    def _drained(self) -> list[Read]:
        assert self._executions.drain(LONG_S)
        reads: list[Read] = [
            write for execution in iter(lambda: self._executions.next(0), None) for write in self._extracted(execution)
        ]
        return [*reads, *self._merger.release()]

    def _extracted(self, execution: object) -> list[Read]:
        if isinstance(execution, Over | StreamProgress | StreamEnd):
            return []
        if isinstance(execution, StreamStart):
            written = read_stream(self._extractor, execution)
            return [written] if written else []
        assert isinstance(execution, Execution), execution
        reads_of_execution = self._extractor.read(execution)
        reads = [read for read in reads_of_execution if not isinstance(read, Write)]
        return [
            *reads,
            *self._merger.add(execution, [write for write in reads_of_execution if isinstance(write, Write)]),
        ]


@pytest.fixture(scope="session")
def watch(spark: SparkSession, datasets: Path) -> Iterator[Watch]:
    watch = Watch(spark)
    yield watch
    watch.close()


@pytest.fixture
def check(spark: SparkSession, watch: Watch, tmp_path: Path) -> Callable[[Case], None]:
    """Run a case, and compare the captured lineage with the expected lineage.

    The write of a frame is planned, and not run: a job adds nothing to the plan. Every twelfth case runs, too.
    """

    def check(case: Case, session: SparkSession = spark) -> None:
        if pyspark.__version__ < case.since:
            pytest.skip(f"needs Spark {case.since}")
        for before in case.before:
            session.sql(before)
        out = str(tmp_path / "out")
        if case.make is not None:
            compare(case, watch.writes_of(lambda: post_planned_write(case.make(session), out)))
        if case.make is None or runs_too(case):
            compare(case, watch.writes_of(lambda: case.act(session, out)))

    return check


def compare(case: Case, writes: list[Write]) -> None:
    """Compare the captured lineage of a case with the expected lineage."""
    assert {write.tier for write in writes} <= {"full"}
    if (lines := lines_of(writes)) != (expected_lines := expected(case.lineage)):
        pytest.fail("\n".join(difflib.ndiff(expected_lines, lines)), pytrace=False)


@pytest.fixture(scope="session")
def hive(spark: SparkSession, datasets: Path) -> SparkSession:
    """A session of the same context with a Hive metastore (Derby, in memory), and the datasets in it."""
    sessions = spark._jvm.org.apache.spark.sql.SparkSession
    sessions.clearActiveSession()
    sessions.clearDefaultSession()
    java = sessions.builder().sparkContext(spark.sparkContext._jsc.sc()).enableHiveSupport().getOrCreate()
    sessions.setDefaultSession(spark._jsparkSession)
    hive = SparkSession(spark.sparkContext, java)
    for name in DATASETS:
        hive.sql(f"CREATE TABLE {name} USING parquet LOCATION '{datasets}/{name}'")
    return hive


@pytest.fixture(scope="session")
def endpoint(spark: SparkSession, datasets: Path) -> str:
    """A server of Spark Connect in the JVM of the tests, for the JVM's whole life; PySpark 3.5 brings none."""
    pytest.importorskip("grpc", reason="Spark Connect's client needs grpcio")
    service = getattr(spark._jvm, "org.apache.spark.sql.connect.service.SparkConnectService$")
    try:
        service = getattr(service, "MODULE$")
    except Py4JError:
        pytest.skip("PySpark 3.5 brings no server of Spark Connect")
    service.start(spark.sparkContext._jsc.sc())
    return f"sc://localhost:{service.localPort()}"


def a_session(endpoint: str) -> Any:
    """Make a new session of Spark Connect."""
    from pyspark.sql.connect.session import SparkSession as RemoteSession

    return RemoteSession.builder.remote(endpoint).create()


@pytest.fixture(scope="module")
def remote(endpoint: str) -> Iterator[Any]:
    session = a_session(endpoint)
    yield session
    session.stop()


# A slow client fetches its response again: a warning of Spark on a busy machine.
_DETACHED = re.compile(r"[^\n]*during: async-grpc-response-sender[^\n]*\n[^\n]*(?:\n\tat [^\n]*)+")


class ServerLog:
    """Warnings of a Spark Connect server in the tests' JVM, and its notes on failed queries."""

    def __init__(self, spark: SparkSession) -> None:
        jvm: Any = spark._jvm
        log4j = jvm.org.apache.logging.log4j
        self._text = jvm.java.io.StringWriter()
        appender = log4j.core.appender.WriterAppender.createAppender(None, None, self._text, "log", False, True)
        appender.start()
        context = log4j.LogManager.getContext(False)
        for name, level in (("org.apache.spark", "WARN"), ("org.apache.spark.sql.connect.utils.ErrorUtils", "INFO")):
            logger = log4j.core.config.LoggerConfig(name, log4j.Level.getLevel(level), False)
            logger.addAppender(appender, None, None)
            context.getConfiguration().addLogger(name, logger)
        context.updateLoggers()

    @contextmanager
    def without_stacks(self) -> Iterator[None]:
        """Fail if the server prints a stack trace meanwhile: no question of ours may make it do so."""
        self._text.getBuffer().setLength(0)
        yield
        text = _DETACHED.sub("", self._text.toString())
        assert "\tat " not in text, text


@cache
def server_log(spark: SparkSession) -> ServerLog:
    """Make the log of the server, once."""
    return ServerLog(spark)


class Hearing:
    """Writes captured from the commands of a server's clients."""

    def __init__(self, remote: Any, spark: SparkSession, *, columns: bool = True) -> None:
        self.log = server_log(spark)
        self._commands = CommandSource(Commands(remote.client, drain_s=0), interval_s=60)
        self._extractor = ConnectExtractor(read_catalogs(SessionConf(spark), {}), columns=columns)
        self._merger = WriteMerger()

    def writes(self) -> list[Write]:
        """Capture the writes since the last call, by any session."""
        items = iter(lambda: self._commands.next(0), None)
        return [write for item in items for write in self._read(item)]

    def _read(self, item: object) -> list[Write]:
        if isinstance(item, StreamStart):
            sink = self._extractor.read_stream(item)
            return [sink] if sink else []
        return self._merger.add(item, self._extractor.read_write(item)) if isinstance(item, Command) else []

    def writes_of_frame(self, frame: Any, path: str, *, is_known: bool = True) -> list[Write]:
        """Capture the write of a frame into a folder, as its client would send it; nothing is written.

        `is_known`: the server knows the frame's source, so its log stays without a stack trace.
        """
        from pyspark.sql.connect import proto

        written = self.writes()
        message = proto.Command()
        message.write_operation.input.CopyFrom(frame._plan.to_proto(frame._session.client).root)
        message.write_operation.source, message.write_operation.path = "parquet", path
        command = Command(0, frame._session.client, message, {}, 0, 0)
        with self.log.without_stacks() if is_known else nullcontext():
            return [*written, *self._extractor.read_write(command)]

    def close(self) -> None:
        self._commands.close()


@pytest.fixture
def hearing(remote: Any, spark: SparkSession) -> Iterator[Hearing]:
    """The writes of the module's session, made active: PySpark hands all its checkpoints to the active session."""
    type(remote)._active_session.session = remote
    hearing = Hearing(remote, spark)
    yield hearing
    hearing.close()
