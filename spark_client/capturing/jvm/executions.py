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
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spark_client.capturing.jvm.compiled import find_classes, java_sources
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
# Class of the listener to executions.
LISTENER = "ExecutionListener"
# Optional classes (`Parts.java`): if they do not compile with this Spark, writes are reported without their values.
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
# Tested releases, in builds of Spark's project and of AWS (Glue, EMR); and keys in the configuration of builds with
# larger changes.
_TRIED = re.compile(r"(?:3\.5|4\.3)\.\d+(?:-amzn-\d+)?")
_VENDORS = ("spark.databricks.clusterUsageTags.sparkVersion",)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of the cost of reading.

    Attributes:
        kept: executions in the queue for reading; each keeps its plan alive.
        reads: True to keep queries with rows for the program, too.
        nodes, chars: of a plan; a larger plan is read with less detail.
        read_ms: CPU time for a plan, all tiers together.
    """

    kept: int = 500
    reads: bool = False
    nodes: int = 150_000
    chars: int = 12_000_000
    read_ms: int = 1_000


class Unavailable(Exception):
    """Missing access to a JVM or client; the message has the reason."""


class Executions:
    """Executions of commands and checkpoints in a Spark context, of all its sessions, from now on.

    Streams, and actions of RDDs, are among them. The classes are compiled at their first use, mostly by the reading
    thread; until then Java's own classes keep the events (`EarlyEvents`). With `at_once` they are compiled now. Tests
    may give `classes` of their own.

    `next` and `analyze` are for a single thread at a time; other methods for any. The JVM, and so this reader, outlives
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
        # The early listener joins the bus first: no event is missed during the compilation.
        try:
            self._python_context, self._gateway = context, context._gateway
            self._context, self._session = context._jsc.sc(), spark._jsparkSession
            self._early = EarlyEvents(self._gateway.jvm, self._context)
            if at_once or not self._early.is_open:
                self._listening()
        except Exception as error:  # py4j raises the platform's own errors
            raise Unavailable(f"{type(error).__name__}: {' '.join(str(error).split())[:_REASON_CHARS]}") from error
        rdd_actions.open(context, self._receiver)
        for wrapped in modules("methods"):
            wrapped.wrap()

    @property
    def dropped(self) -> int:
        """Number of executions lost at a full queue, or after a fault of the listener."""
        return 0 if self._listener is None else int(self._listener.dropped())

    def next(self, timeout_s: float) -> Item | None:
        """Take the next item; None after so many seconds without an item."""
        text = self._reading().next(int(timeout_s * 1000))
        return None if text is None else parse_item(text)

    def analyze(self, sql: str) -> Node:
        """Analyze a query without running it: `analyze("SELECT 1")`; for the thread of `next`."""
        plan = json.loads(self._reading().plan(self._session.sql(sql).queryExecution().analyzed()))["plan"]
        return parse_plan(plan["kinds"], plan["objects"], plan["types"])

    def lacking(self, signatures: Mapping[str, Iterable[str]] = SIGNATURES) -> tuple[str, ...]:
        """List the parameters missing in this Spark's nodes: `("Filter.condition",)`."""
        expected = "\n".join(" ".join((name, *parameters)) for name, parameters in signatures.items())
        return tuple(self._java().new("Shapes", "", "").lacking(expected).splitlines())

    @property
    def is_tried(self) -> bool:
        """True for a tested release of Spark, in a build of its project or of AWS."""
        conf = self._context.conf()
        vendors = any(conf.contains(key) for key in _VENDORS)
        return not vendors and _TRIED.fullmatch(self._context.version()) is not None

    def test_once(self, test: Callable[[Executions], tuple[str, ...]]) -> tuple[str, ...]:
        """Test this Spark's plans, once in a JVM; return the kept result."""
        classes = self._java()
        if classes.tested is None:
            classes.tested = test(self)
        return classes.tested

    def _java(self) -> JavaClasses:
        with self._lock:
            if self._classes is None:
                self._classes = _classes_of(self._gateway, self._context.version() if self.is_tried else "")
            return self._classes

    def _receiver(self) -> Any:
        """Make the receiver of actions of RDDs; early actions and streams wait here for the classes."""
        with self._lock:
            if self._actions is None:
                self._listening()
                self._actions = self._java().new("Actions", self._context)
            return self._actions

    def _listening(self) -> Any:
        """Make the listener, once; it takes over the events before its compilation."""
        with self._lock:
            if self._listener is None:
                streams = self._session.sharedState().activeStreamingQueries()
                met = self._gateway.jvm.java.util.HashMap(streams)  # a copy: queries may end meanwhile
                values = (self._bounds.kept, self._bounds.reads, self._context.conf(), streams, met)
                listener = self._java().new(LISTENER, *values)
                listens = not self._is_closed and self._add(listener)
                self._early.close()
                listener.takeOver(self._early.queue, listens)
                self._listener = listener
            return self._listener

    def _add(self, listener: Any) -> bool:
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
        """Wait until `next` can return all items so far; return False after the time-out."""
        from py4j.protocol import Py4JError

        try:
            self._context.listenerBus().waitUntilEmpty(int(timeout_s * 1000))
        except Py4JError:  # for a java.util.concurrent.TimeoutException
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
    """Headwater's Java classes in a JVM: from a file of compiled classes, else each compiled once, at its first use.

    Once, because py4j finds known methods by the class's name; by a common loader, because the loader keeps its
    knowledge of Spark's classes.
    """

    def __init__(
        self, gateway: Any, package: str = _PACKAGE, sources: Mapping[str, bytes] | Path | None = None
    ) -> None:
        # Result of the self-test in this JVM; None before it.
        self.tested: tuple[str, ...] | None = None
        self._jvm, self._gateway = gateway.jvm, gateway
        self._package = package
        parent = self._jvm.java.lang.Thread.currentThread().getContextClassLoader()
        if isinstance(sources, Path):
            urls = gateway.new_array(self._jvm.java.net.URL, 1)
            urls[0] = self._jvm.java.io.File(str(sources)).toURI().toURL()
            self._loader = self._jvm.java.net.URLClassLoader(urls, parent)
            return
        sources = sources or java_sources()
        needed = {name: text for name, text in sources.items() if not any(name in part for part in _PARTS)}
        finder = self._jvm.org.codehaus.commons.compiler.util.resource.MapResourceFinder(self._paths(needed))
        self._loader = self._jvm.org.codehaus.janino.JavaSourceClassLoader(parent, finder, "UTF-8")
        parts = self.new("Parts")
        for names in _PARTS:
            paths = self._paths({name: sources[name] for name in names})
            for name in names:
                parts.provide(name.removesuffix(".java"), paths)

    def new(self, name: str, *arguments: Any) -> Any:
        """Make an object of a class: `new("Actions", context)`."""
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
        """Make the reader of a listener's executions."""
        # As texts: each crossing costs more than the JVM needs to part one.
        getters = "\n".join(" ".join((owner, *names)) for owner, names in getters_with(registry()).items())
        shapes = self.new("Shapes", getters, "\n".join(SKIPPED))
        options = "\n".join(options_with(registry()))
        plans = self.new("PlanReader", shapes, options, bounds.nodes, bounds.chars)
        return self.new("Executions", listener, plans, bounds.read_ms)


# By JVM; a program rarely has a second.
_KNOWN: dict[Any, JavaClasses] = {}
_KNOWN_LOCK = threading.Lock()


def _classes_of(gateway: Any, version: str = "") -> JavaClasses:
    with _KNOWN_LOCK:
        if gateway not in _KNOWN:
            _KNOWN[gateway] = JavaClasses(gateway, sources=find_classes(gateway.jvm, version))
        return _KNOWN[gateway]
