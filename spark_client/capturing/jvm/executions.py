"""Spark's executions, out of the JVM: a listener and a reader in Java, compiled on the driver by Spark's own compiler.

Janino generates Spark's code, so it is on every driver's class path: there is no jar to bring, and no server for
callbacks. Each execution is read in one call.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any

from spark_client.capturing.jvm.early_events import EarlyEvents
from spark_client.capturing.jvm.items import Item, parse_item
from spark_client.capturing.jvm.object_rules import SKIPPED, getters_with, options_with
from spark_client.capturing.jvm.rdd_actions import rdd_actions
from spark_client.capturing.jvm.signatures import SIGNATURES
from spark_client.capturing.parts import modules
from spark_client.capturing.plans.plan import Node, parse_plan
from spark_client.capturing.registry import registry

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PACKAGE = "headwater.capture"
_REASON_CHARS = 300
# Class that hears of executions.
LISTENER = "ExecutionListener"
# Classes that writes are reported without where this Spark does not compile them (`Parts.java`).
# Each line is compiled by itself.
OPTIONAL = (
    ("MergedSchemas",),
    ("Queries",),
    ("RddPlaces",),
    ("ScanMetrics", "ExecutedPlans"),
    ("TableVersions", "DeltaVersions", "IcebergVersions", "StreamVersions", "ExecutedPlans"),
    ("WriteMetrics", "ExecutedPlans"),
)
_PARTS = tuple(tuple(f"{name}.java" for name in names) for names in OPTIONAL)
# Releases that the tests run on, as their project or AWS (Glue, EMR) builds them; what builds that change more set in
# their configuration.
_TRIED = re.compile(r"(?:3\.5|4\.3)\.\d+(?:-amzn-\d+)?")
_VENDORS = ("spark.databricks.clusterUsageTags.sparkVersion",)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of what reading may cost.

    Attributes:
        kept: executions that wait to be read; each keeps its plan alive.
        reads: True if queries whose rows go to the program are kept, too.
        nodes, chars: of one plan; a larger plan is read with less detail.
        read_ms: CPU time for one plan, all tiers together.
    """

    kept: int = 500
    reads: bool = False
    nodes: int = 150_000
    chars: int = 12_000_000
    read_ms: int = 1_000


class Unavailable(Exception):
    """Missing access to a JVM or client; the message says why."""


class Executions:
    """Executions of commands and checkpoints in a Spark context, of all its sessions, from now on.

    Streams, and actions of RDDs, are among them. The classes are compiled when they are first needed, mostly by the
    thread that reads; until then Java's own classes keep what happens.

    `classes` are those of the package in the JVM, unless a test has others. With `at_once` they are compiled now.

    `next` and `analyze` are for one thread at a time; all else for any. The JVM, and so this reader, outlives
    `SparkContext.stop` until the program ends.

    Raises:
        Unavailable: the driver does not let Python reach its classes.
    """

    def __init__(
        self,
        spark: SparkSession,
        bounds: Bounds | None = None,
        *,
        classes: JavaClasses | None = None,
        at_once: bool = False,
    ) -> None:
        context = getattr(spark, "_sc", None)
        if context is None or getattr(context, "_jsc", None) is None:
            raise Unavailable("there is no JVM of the driver's (Spark Connect)")
        self._bounds = bounds or Bounds()
        self._lock = threading.RLock()
        self._listener: Any = None
        self._reader: Any = None
        self._actions: Any = None
        self._classes = classes
        self._is_closed = False
        try:
            self._python_context, self._gateway = context, context._gateway
            self._context, self._session = context._jsc.sc(), spark._jsparkSession
            self._early = EarlyEvents(self._gateway.jvm, self._context)
            if at_once or not self._early.is_open:
                self._listening()
        except Exception as error:  # py4j raises what the platform makes of it
            raise Unavailable(f"{type(error).__name__}: {' '.join(str(error).split())[:_REASON_CHARS]}") from error
        rdd_actions.open(context, self._receiver)
        for wrapped in modules("methods"):
            wrapped.wrap()

    @property
    def dropped(self) -> int:
        """Number of executions that found the queue full."""
        return 0 if self._listener is None else int(self._listener.dropped())

    def next(self, timeout_s: float) -> Item | None:
        """Return the next item; None if there is none within so many seconds."""
        text = self._reading().next(int(timeout_s * 1000))
        return None if text is None else parse_item(text)

    def analyze(self, sql: str) -> Node:
        """Return the analyzed plan of a query, which is not run; for the thread that calls `next`."""
        plan = json.loads(self._reading().plan(self._session.sql(sql).queryExecution().analyzed()))["plan"]
        return parse_plan(plan["kinds"], plan["objects"], plan["types"])

    def lacking(self, signatures: Mapping[str, Iterable[str]] = SIGNATURES) -> tuple[str, ...]:
        """Return what the nodes of this Spark lack of the parameters that are read, as in `Filter.condition`."""
        expected = "\n".join(" ".join((name, *parameters)) for name, parameters in signatures.items())
        return tuple(self._java().new("Shapes", "", "").lacking(expected).splitlines())

    @property
    def is_tried(self) -> bool:
        """True if Spark is a release that this client is tested with, as its project or AWS builds it."""
        conf = self._context.conf()
        vendors = any(conf.contains(key) for key in _VENDORS)
        return not vendors and _TRIED.fullmatch(self._context.version()) is not None

    def test_once(self, test: Callable[[Executions], tuple[str, ...]]) -> tuple[str, ...]:
        """Return the result of a test of this Spark's plans, which is made once in a JVM."""
        classes = self._java()
        if classes.tested is None:
            classes.tested = test(self)
        return classes.tested

    def _java(self) -> JavaClasses:
        with self._lock:
            if self._classes is None:
                self._classes = _classes_of(self._gateway)
            return self._classes

    def _receiver(self) -> Any:
        """Return the receiver of actions of RDDs; actions and streams before the classes are there wait for them."""
        with self._lock:
            if self._actions is None:
                self._listening()
                self._actions = self._java().new("Actions", self._context)
            return self._actions

    def _listening(self) -> Any:
        """Return the listener, which has taken over what happened before it was compiled."""
        with self._lock:
            if self._listener is None:
                streams = self._session.sharedState().activeStreamingQueries()
                met = self._gateway.jvm.java.util.HashMap(streams)  # those that may end meanwhile
                values = (self._bounds.kept, self._bounds.reads, self._context.conf(), streams, met)
                listener = self._java().new(LISTENER, *values)
                listens = not self._is_closed and self._add(listener)
                self._early.close()
                listener.takeOver(self._early.queue, listens)
                self._listener = listener
            return self._listener

    def _add(self, listener: Any) -> bool:
        """Add a listener to Spark's bus; return False if that has stopped."""
        from py4j.protocol import Py4JJavaError

        try:
            self._context.addSparkListener(listener)
        except Py4JJavaError:  # java.lang.IllegalStateException: LiveListenerBus is stopped.
            return False
        return True

    def _reading(self) -> Any:
        if self._reader is None:
            self._reader = self._java().reader(self._listening(), self._bounds)
        return self._reader

    def drain(self, timeout_s: float) -> bool:
        """Wait until `next` can return all that happened so far; return True if it can."""
        from py4j.protocol import Py4JError

        try:
            self._context.listenerBus().waitUntilEmpty(int(timeout_s * 1000))
        except Py4JError:  # what java.util.concurrent.TimeoutException comes as
            return False
        return True

    def close(self) -> None:
        """Stop listening; kept executions can still be read."""
        with self._lock:
            if not self._is_closed:
                self._is_closed = True
                for wrapped in modules("methods"):
                    wrapped.unwrap()
                rdd_actions.close(self._python_context, self._receiver)
                self._early.close()
                if self._listener is not None:
                    self._context.removeSparkListener(self._listener)


class JavaClasses:
    """Headwater's Java classes in one JVM, each compiled once, when first needed, with the classes that it names.

    Once, because py4j finds known methods by the name of the class; by one loader, because it keeps what it has read of
    Spark's classes.
    """

    def __init__(self, gateway: Any, package: str = _PACKAGE, sources: Mapping[str, bytes] | None = None) -> None:
        # Result of the self-test in this JVM; None before it.
        self.tested: tuple[str, ...] | None = None
        self._jvm, self._gateway = gateway.jvm, gateway
        self._package = package
        sources = sources or java_sources()
        needed = {name: text for name, text in sources.items() if not any(name in part for part in _PARTS)}
        finder = self._jvm.org.codehaus.commons.compiler.util.resource.MapResourceFinder(self._paths(needed))
        parent = self._jvm.java.lang.Thread.currentThread().getContextClassLoader()
        self._loader = self._jvm.org.codehaus.janino.JavaSourceClassLoader(parent, finder, "UTF-8")
        parts = self.new("Parts")
        for names in _PARTS:
            paths = self._paths({name: sources[name] for name in names})
            for name in names:
                parts.provide(name.removesuffix(".java"), paths)

    def new(self, name: str, *arguments: Any) -> Any:
        """Return a new object of a class."""
        values = self._gateway.new_array(self._jvm.java.lang.Object, len(arguments))
        for place, argument in enumerate(arguments):
            values[place] = argument
        return self._loader.loadClass(f"{self._package}.{name}").getConstructors()[0].newInstance(values)

    def _paths(self, sources: Mapping[str, bytes]) -> Any:
        paths = self._jvm.java.util.HashMap()
        for name, text in sources.items():
            paths.put(f"{self._package.replace('.', '/')}/{name}", text)
        return paths

    def reader(self, listener: Any, bounds: Bounds) -> Any:
        """Return the reader of the executions that a listener keeps."""
        # As texts: each crossing costs more than the JVM needs to part one.
        getters = "\n".join(" ".join((owner, *names)) for owner, names in getters_with(registry()).items())
        shapes = self.new("Shapes", getters, "\n".join(SKIPPED))
        options = "\n".join(options_with(registry()))
        plans = self.new("PlanReader", shapes, options, bounds.nodes, bounds.chars)
        return self.new("Executions", listener, plans, bounds.read_ms)


def java_sources() -> dict[str, bytes]:
    """Return the sources of the package's classes by the names of their files."""
    return {file.name: file.read_bytes() for file in (resources.files("spark_client.capturing") / "java").iterdir()}


# One for each JVM that the program had; there is rarely a second.
_KNOWN: dict[Any, JavaClasses] = {}
_KNOWN_LOCK = threading.Lock()


def _classes_of(gateway: Any) -> JavaClasses:
    with _KNOWN_LOCK:
        if gateway not in _KNOWN:
            _KNOWN[gateway] = JavaClasses(gateway)
        return _KNOWN[gateway]
