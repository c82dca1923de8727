"""Datasets of the flights' story to read from, and what capture understands of the writes that a test does."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyspark
import pytest
from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from spark_client.capturing.connect.commands import Command, Commands
from spark_client.capturing.connect.writes import Understanding as CommandUnderstanding
from spark_client.capturing.datasets.catalogs import read_catalogs
from spark_client.capturing.extract import Understanding
from spark_client.capturing.jvm.executions import Bounds, Executions
from spark_client.capturing.model import Execution, Over, Write
from spark_client.capturing.session.write_merger import Joining
from tests.spark.capture.specification import Case, expected, told

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
_DRAIN_S = 30.0


@pytest.fixture(scope="session")
def datasets(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the datasets; each is a table by its own name, too."""
    folder = tmp_path_factory.mktemp("data")
    for name, rows in DATASETS.items():
        spark.sql(rows).coalesce(1).write.parquet(f"{folder}/{name}")
        spark.sql(f"CREATE TABLE {name} USING parquet LOCATION '{folder}/{name}'")
    return folder


class Watch:
    """What is told of the writes in a Spark context."""

    def __init__(self, spark: SparkSession, bounds: Bounds | None = None) -> None:
        self._executions = Executions(spark, bounds)
        self._understanding = Understanding(read_catalogs(spark, {}))
        self._joining = Joining()

    def writes_of(self, act: Callable[[], object]) -> list[Write]:
        """The writes that were done meanwhile, each once."""
        self._told()
        act()
        return self._told()

    def close(self) -> None:
        self._executions.close()

    def _told(self) -> list[Write]:
        assert self._executions.drain(_DRAIN_S)
        writes = [write for one in iter(lambda: self._executions.next(0), None) for write in self._understood(one)]
        return [*writes, *self._joining.release()]

    def _understood(self, execution: object) -> list[Write]:
        if isinstance(execution, Over):
            return []
        assert isinstance(execution, Execution), execution
        return self._joining.add(execution, self._understanding.read_write(execution))


@pytest.fixture(scope="session")
def watch(spark: SparkSession, datasets: Path) -> Iterator[Watch]:
    watch = Watch(spark)
    yield watch
    watch.close()


@pytest.fixture
def check(spark: SparkSession, watch: Watch, tmp_path: Path) -> Callable[[Case], None]:
    """Do what a case does, and compare all that is told with all that must be."""

    def check(case: Case, session: SparkSession = spark) -> None:
        if pyspark.__version__ < case.since:
            pytest.skip(f"needs Spark {case.since}")
        for before in case.before:
            session.sql(before)
        writes = watch.writes_of(lambda: case.act(session, str(tmp_path / "out")))
        assert {write.tier for write in writes} <= {"full"}
        if (is_told := told(writes)) != (wanted := expected(case.told)):
            pytest.fail("\n".join(difflib.ndiff(wanted, is_told)), pytrace=False)

    return check


@pytest.fixture(scope="session")
def hive(spark: SparkSession, datasets: Path) -> SparkSession:
    """A session of the same context with a Hive metastore (Derby, in memory) for a catalog, and the datasets in it."""
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
    """A server of Spark Connect in the JVM of the tests, as long as that lives; PySpark 3.5 brings none."""
    pytest.importorskip("grpc", reason="Spark Connect's client needs grpcio")
    service = getattr(spark._jvm, "org.apache.spark.sql.connect.service.SparkConnectService$")
    try:
        service = getattr(service, "MODULE$")
    except Py4JError:
        pytest.skip("PySpark 3.5 brings no server of Spark Connect")
    service.start(spark.sparkContext._jsc.sc())
    return f"sc://localhost:{service.localPort()}"


def a_session(endpoint: str) -> Any:
    """A new session of Spark Connect."""
    from pyspark.sql.connect.session import SparkSession as RemoteSession

    return RemoteSession.builder.remote(endpoint).create()


@pytest.fixture(scope="module")
def remote(endpoint: str) -> Iterator[Any]:
    session = a_session(endpoint)
    yield session
    session.stop()


class Hearing:
    """What is told of the writes that the clients of a server send."""

    def __init__(self, remote: Any, spark: SparkSession) -> None:
        self._commands = Commands(remote.client, settle_s=0)
        self._understanding = CommandUnderstanding(read_catalogs(spark, {}))

    def writes(self) -> list[Write]:
        """Those since the last time, by whichever session."""
        heard = iter(lambda: self._commands.next(0), None)
        commands = (one for one in heard if isinstance(one, Command))
        return [write for one in commands for write in self._understanding.read_write(one)]

    def close(self) -> None:
        self._commands.close()


@pytest.fixture
def hearing(remote: Any, spark: SparkSession) -> Iterator[Hearing]:
    hearing = Hearing(remote, spark)
    yield hearing
    hearing.close()
