"""The one line of a job: `capture(spark)`."""

from __future__ import annotations

import logging
import os
import threading
import uuid
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

from lineage_model.ids import run_id_of
from spark_client.capturing.datasets.catalogs import parse_catalogs, read_catalogs
from spark_client.capturing.events.events import Application
from spark_client.capturing.extract import Understanding
from spark_client.capturing.jvm.executions import Bounds, Executions, Unavailable
from spark_client.capturing.session.counts import Counts
from spark_client.capturing.session.event_transports import open_outlet
from spark_client.capturing.session.job_names import application_name
from spark_client.capturing.session.running import Capture, RunningCapture
from spark_client.capturing.session.settings import Settings, parse_settings
from spark_client.current_run import Head, RunOfJob
from spark_client.redaction import redact

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_log = logging.getLogger("headwater.capture")
_lock = threading.Lock()
# By Spark context, or server of Spark Connect: it has one capture, whichever of its sessions was asked.
_captures: WeakKeyDictionary[Any, Capture] = WeakKeyDictionary()


def capture(
    spark: SparkSession | None,
    *,
    client: object = None,
    namespace: str | None = None,
    name: str | None = None,
    run_id: str | None = None,
    parent: tuple[str, str, str] | None = None,
    root: tuple[str, str, str] | None = None,
    strict: bool = False,
) -> Capture:
    """Tell every batch write of a Spark application from now on, as OpenLineage events; asked again, the same capture.

    Events go to `client` (a `LineageClient`, or a client or transport of openlineage-python); without one, to what
    HEADWATER_URL, HEADWATER_FUNCTION or HEADWATER_FILE name, or `spark.headwater.url`, `.function` or `.file` in
    Spark's conf; without those, by `spark.openlineage.transport.*`, or by openlineage-python's own configuration.

    The application is a run of the job `name` in `namespace`; its writes are runs started by it. Left out, they are
    those of `spark.openlineage.namespace` and `.appName`, or the application's name in Spark. `parent` and `root` are
    the runs that started it, each as (namespace, name, run id).

    Nothing is raised, and the job never waits: what cannot be done is logged once, and counted. With `strict`, what
    keeps the capture from starting is raised. All is sent before the program ends, within
    `spark.headwater.capture.flushSeconds` (10).
    """
    given = _Given(namespace, name, str(run_id or uuid.uuid4()), parent, root)
    if spark is None:  # what SparkSession.getActiveSession() answers where there is none
        return _guarded_start(spark, client, given, strict=strict)
    application = _application_of(spark)
    with _lock:
        found = _captures.get(application)
        if found is None or found.state == "over" or (found.state == "off" and client is not None):
            found = _captures[application] = _guarded_start(spark, client, given, strict=strict)
        return found


def _application_of(spark: SparkSession) -> object:
    """What the sessions of an application have in common: the context, or the server and this program."""
    if not _is_remote(spark):
        return getattr(spark, "_sc", None) or spark
    from spark_client.capturing.connect.commands import place_of

    return place_of(spark.client)


def _is_remote(spark: SparkSession) -> bool:
    """Whether it is a session of Spark Connect."""
    return type(spark).__module__.startswith("pyspark.sql.connect.")


class _Given(NamedTuple):
    """What the job says of the application's run."""

    namespace: str | None
    name: str | None
    run_id: str
    parent: tuple[str, str, str] | None
    root: tuple[str, str, str] | None

    def head(self, settings: Settings, spark_name: str) -> Head:
        """The run, by what the job says of it and, where it says nothing, its configuration and Spark."""
        name = self.name or settings.app_name or application_name(spark_name)
        run = RunOfJob(self.namespace or settings.namespace, name, run_id_of(self.run_id))
        parent, root = self.parent and RunOfJob(*self.parent), self.root and RunOfJob(*self.root)
        return Head(run, parent or settings.parent, root or settings.root)

    def off(self) -> Capture:
        """The capture that captures nothing, of a run by the same id."""
        return Capture(run_id_of(self.run_id), (self.namespace or "default", self.name or "spark"))


def _guarded_start(spark: SparkSession | None, client: object, given: _Given, *, strict: bool) -> Capture:
    """This is the one place where everything is caught: lineage must not end the job that it describes."""
    try:
        return _start(spark, client, given)
    except Exception as error:
        if strict:
            raise
        _log.warning("capture is off: %s", redact(str(error)))
        return given.off()


def _start(spark: SparkSession | None, client: object, given: _Given) -> Capture:
    """A capture that is on, or off if the configuration says so.

    Raises:
        Unavailable: Spark's driver cannot be listened to.
        Misconfigured: there is no place to send to.
    """
    if spark is None:
        raise Unavailable("there is no session")
    if _is_remote(spark):
        return _start_remote(spark, client, given)
    context = getattr(spark, "_sc", None)
    if context is None:
        raise Unavailable("there is no JVM of the driver's to listen to, and no client of Spark Connect")
    settings = parse_settings(dict(context.getConf().getAll()), os.environ)
    if not settings.enabled:
        _log.info("capture is switched off by the configuration")
        return given.off()
    counts = Counts()
    outlet = open_outlet(client, settings, os.environ, counts)
    bounds = Bounds(
        kept=settings.executions_max,
        nodes=settings.plan_max_nodes,
        chars=settings.plan_max_chars,
        read_ms=settings.plan_max_ms,
    )
    executions = Executions(spark, bounds)
    try:
        application = Application(given.head(settings, context.appName or "spark"), spark.version)
        understanding = Understanding(read_catalogs(spark, os.environ))
        return RunningCapture(application, executions, understanding.read_write, outlet, counts, settings)
    except Exception:
        executions.close()
        raise


def _start_remote(spark: SparkSession, client: object, given: _Given) -> Capture:
    """As `_start`, of a session of Spark Connect: its commands are heard, and understood table by table.

    Raises:
        Unanswered: the server does not tell its configuration.
    """
    from spark_client.capturing.connect.commands import Commands
    from spark_client.capturing.connect.server import Server
    from spark_client.capturing.connect.writes import Understanding as CommandUnderstanding

    server = Server(spark.client)
    conf = server.configuration()
    settings = parse_settings(conf, os.environ)
    if not settings.enabled:
        _log.info("capture is switched off by the configuration")
        return given.off()
    counts = Counts()
    outlet = open_outlet(client, settings, os.environ, counts)
    application = Application(given.head(settings, conf.get("spark.app.name") or "spark"), server.spark_version())
    commands = Commands(spark.client, settings.executions_max)
    try:
        understanding = CommandUnderstanding(parse_catalogs(conf, os.environ))
        understanding.meet(spark.client)
        return RunningCapture(application, commands, understanding.read_write, outlet, counts, settings)
    except Exception:
        commands.close()
        raise
