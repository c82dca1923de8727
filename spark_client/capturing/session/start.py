"""Start of a capture, in one line of a job: `capture(spark)`."""

from __future__ import annotations

import functools
import logging
import os
import re
import threading
import uuid
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

from headwater_model.ids import normalize_run_id
from spark_client.capturing.events.run_events import Application
from spark_client.capturing.jvm.executions import Unavailable
from spark_client.capturing.parts import part_of_session
from spark_client.capturing.session.counts import Counts
from spark_client.capturing.session.driver import DriverSession
from spark_client.capturing.session.event_transports import open_event_transport
from spark_client.capturing.session.running import Capture, RunningCapture
from spark_client.capturing.session.settings import PREFIXES, Settings, parse_settings
from spark_client.current_run import JobRun, RunContext
from spark_client.job_names import application_name
from spark_client.redaction import redact

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_log = logging.getLogger("headwater.capture")
_OLDEST = (3, 5)
_lock = threading.RLock()
# The capture of each Spark context, or server of Spark Connect, for all its sessions.
_captures: WeakKeyDictionary[Any, Capture] = WeakKeyDictionary()
# The latest capture of a driver, with its call's arguments: it goes on when Spark is stopped and started again.
_latest: tuple[RunningCapture, object, _Given] | None = None


def capture(
    spark: SparkSession | None,
    *,
    client: object = None,
    namespace: str | None = None,
    name: str | None = None,
    run_id: str | None = None,
    parent: JobRun | None = None,
    root: JobRun | None = None,
    strict: bool = False,
) -> Capture:
    """Capture every write of a Spark application from now on, as OpenLineage events.

    A second call for the same application returns the same capture. When Spark is stopped, and the program makes
    another session, the new application is captured too, as a run of its own.

    Events go to `client` (a `LineageClient`, or a client or transport of openlineage-python); without one, to
    HEADWATER_URL, HEADWATER_FUNCTION or HEADWATER_FILE, or `spark.headwater.url`, `.function` or `.file` in Spark's
    conf; else by `spark.openlineage.transport.*`, or by openlineage-python's own configuration.

    The application is a run of the job `name` in `namespace`; its writes are runs below it. The names default to
    `spark.openlineage.namespace` and `.appName`, or the application's name in Spark. `parent` is the run above the
    application, `root` the run at the top.

    Nothing is raised, and the job never waits: failures are logged once, and counted. With `strict`, an error of the
    start is raised. All is sent before the program ends, within
    `spark.headwater.capture.flushSeconds` (10).
    """
    given = _Given(namespace, name, str(run_id or uuid.uuid4()), parent, root)
    if spark is None:  # from SparkSession.getActiveSession(), without a session
        return _guarded_start(spark, client, given, strict=strict)
    application = _application_of(spark)
    with _lock:
        running = _captures.get(application)
        if isinstance(running, RunningCapture) and not running.was_started:
            if client is None and not any((namespace, name, run_id, parent, root)):
                running.start()
            else:
                running.close()  # it went on by itself; a new capture takes the arguments
        if running is None or running.state == "over" or (running.state == "off" and client is not None):
            running = _captures[application] = _guarded_start(spark, client, given, strict=strict)
            _remember(spark, running, client, given)
        return running


def _remember(spark: SparkSession, running: Capture, client: object, given: _Given) -> None:
    global _latest
    if isinstance(running, RunningCapture) and part_of_session(spark) is None:
        _latest = (running, client, given)
        _notice_sessions()


@functools.cache
def _notice_sessions() -> None:
    """Go on with each new session of the driver."""
    from pyspark.sql import SparkSession

    initialize = SparkSession.__init__

    @functools.wraps(initialize)
    def initialize_and_notice(session: Any, *arguments: Any, **named: Any) -> None:
        initialize(session, *arguments, **named)
        _go_on(session)

    SparkSession.__init__ = initialize_and_notice  # type: ignore[assignment,method-assign]


def _go_on(spark: SparkSession) -> None:
    """Go on with the context of a new session, unless it is captured, or the program closed the latest capture.

    Its START waits for its first write: until then, a call of `capture` may say more about the application.
    """
    with _lock:
        application = _application_of(spark)
        if _latest is None or application in _captures or _latest[0].is_closed:
            return
        former, client, given = _latest
        former.follow()
        given = given._replace(run_id=str(uuid.uuid4()))
        running = _captures[application] = _guarded_start(spark, client, given, strict=False, starts_at_once=False)
        _remember(spark, running, client, given)


def _application_of(spark: SparkSession) -> object:
    """Identify an application by its context, or by the part's `application_of`."""
    part = part_of_session(spark)
    return getattr(spark, "_sc", None) or spark if part is None else part.load("sessions").application_of(spark)


class _Given(NamedTuple):
    """Arguments that describe the application's run."""

    namespace: str | None
    name: str | None
    run_id: str
    parent: JobRun | None
    root: JobRun | None

    def context(self, settings: Settings, spark_name: str) -> RunContext:
        """Name the run by the arguments, then the configuration, then Spark."""
        name = self.name or settings.app_name or application_name(spark_name)
        run = JobRun(self.namespace or settings.namespace, name, normalize_run_id(self.run_id))
        parent = self.parent and JobRun.of(self.parent, "parent")
        root = self.root and JobRun.of(self.root, "root")
        return RunContext(run, parent or settings.parent, root or settings.root)

    def off(self) -> Capture:
        """Make a capture without events, of a run with the same id."""
        return Capture(JobRun(self.namespace or "default", self.name or "spark", normalize_run_id(self.run_id)))


def _guarded_start(
    spark: SparkSession | None, client: object, given: _Given, *, strict: bool, starts_at_once: bool = True
) -> Capture:
    """Start the capture, and log any error unless `strict`: lineage must not end its job."""
    try:
        return _start(spark, client, given, strict=strict, starts_at_once=starts_at_once)
    except Exception as error:
        if strict:
            raise
        _log.warning("capture is off: %s", redact(str(error)))
        return given.off()


def check_version(version: str) -> None:
    """Raise Unavailable for a Spark before 3.5: its plans and listeners differ. A vendor's suffix is ignored.

    >>> check_version("3.5.6-amzn-1")
    >>> check_version("3.4.1")
    Traceback (most recent call last):
    spark_client.capturing.jvm.executions.Unavailable: it needs Spark 3.5 or newer, this is Spark 3.4.1
    """
    numbered = re.match(r"(\d+)\.(\d+)", version)
    if numbered and tuple(map(int, numbered.groups())) < _OLDEST:
        raise Unavailable(f"it needs Spark 3.5 or newer, this is Spark {version}")


def _start(spark: SparkSession | None, client: object, given: _Given, *, strict: bool, starts_at_once: bool) -> Capture:
    """Start a capture, unless the configuration switches it off.

    Raises:
        Unavailable: Spark's driver is out of reach, or too old.
        Misconfigured: there is no destination.
    """
    if spark is None:
        raise Unavailable("there is no session")
    part = part_of_session(spark)
    session = DriverSession(spark) if part is None else part.load("sessions").Session(spark)
    version = session.version
    check_version(version or "")
    settings = parse_settings(session.conf(PREFIXES), os.environ)
    if not settings.enabled:
        _log.info("capture is switched off by the configuration")
        return given.off()
    counts = Counts()
    # A client's program waits for its server anyway.
    at_once = strict or part is not None
    transport = open_event_transport(client, settings, os.environ, counts, at_once=at_once)
    application = Application(given.context(settings, session.name or "spark"), version, settings.description)
    # Listening begins here, so a later failure must end it.
    origin = session.open(settings, at_once=strict)
    try:
        return RunningCapture(application, origin, transport, counts, settings, starts_at_once=starts_at_once)
    except Exception:
        origin.source.close()
        raise
