"""Spark's executions, out of the JVM: a listener and a reader in Java, compiled on the driver by Spark's own compiler.

Janino generates Spark's code, so it is on every driver's class path: there is no jar to bring, and no server for
callbacks. Each execution is read in one call.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any, TypeAlias

from spark_client.capturing.jvm.object_rules import GETTERS, OPTIONS, SKIPPED
from spark_client.capturing.model import (
    Commit,
    Ended,
    Execution,
    Failure,
    Over,
    StreamEnd,
    StreamProgress,
    StreamStart,
    WriteStatistics,
)
from spark_client.capturing.plans.plan import Node, parse_plan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PACKAGE = "headwater.capture"
_REASON_CHARS = 300

# Item of the queue in the JVM.
Item: TypeAlias = "Execution | Unread | Over | Ended | StreamStart | StreamProgress | StreamEnd"


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of what reading may cost.

    Attributes:
        kept: executions that wait to be read; each keeps its plan alive.
        nodes, chars: of one plan; a larger plan is read with less detail.
        read_ms: CPU time for one plan, all tiers together.
    """

    kept: int = 500
    nodes: int = 150_000
    chars: int = 12_000_000
    read_ms: int = 1_000


class Unavailable(Exception):
    """Missing access to a JVM or client; the message says why."""


@dataclass(frozen=True, slots=True)
class Unread:
    """Execution that could not be read, and why."""

    id: int
    reason: str


class Executions:
    """Executions of commands and checkpoints in a Spark context, of all its sessions, and its streams, from now on.

    Usable by one thread at a time; `drain` and `dropped` by any. The JVM, and so this reader, outlives
    `SparkContext.stop` until the program ends.

    Raises:
        Unavailable: the driver does not let Python reach its classes.
    """

    def __init__(self, spark: SparkSession, bounds: Bounds | None = None) -> None:
        context = getattr(spark, "_sc", None)
        if context is None or getattr(context, "_jsc", None) is None:
            raise Unavailable("there is no JVM of the driver's (Spark Connect)")
        self._bounds = bounds or Bounds()
        self._reader: Any = None
        try:
            self._context, self._session = context._jsc.sc(), spark._jsparkSession
            self._classes = _classes_of(context._gateway)
            streams = self._session.sharedState().activeStreamingQueries()
            self._listener = self._classes.new("ExecutionListener", self._bounds.kept, self._context.conf(), streams)
            self._context.addSparkListener(self._listener)
        except Exception as error:  # py4j raises what the platform makes of it
            raise Unavailable(f"{type(error).__name__}: {' '.join(str(error).split())[:_REASON_CHARS]}") from error
        self._closed = threading.Event()

    @property
    def dropped(self) -> int:
        """Number of executions that found the queue full."""
        return int(self._listener.dropped())

    def next(self, timeout_s: float) -> Item | None:
        """Return the next item; None if there is none within so many seconds."""
        text = self._reading().next(int(timeout_s * 1000))
        return None if text is None else parse_execution(text)

    def analyze(self, sql: str) -> Node:
        """Return the analyzed plan of a query, which is not run; for the thread that calls `next`."""
        plan = json.loads(self._reading().plan(self._session.sql(sql).queryExecution().analyzed()))["plan"]
        return parse_plan(plan["kinds"], plan["objects"], plan["types"])

    def test_once(self, test: Callable[[Callable[[str], Node]], tuple[str, ...]]) -> tuple[str, ...]:
        """Return the result of a test of this Spark's plans, which is made once in a JVM; it takes `analyze`."""
        if self._classes.tested is None:
            self._classes.tested = test(self.analyze)
        return self._classes.tested

    def _reading(self) -> Any:
        if self._reader is None:  # compiled by the reading thread: the job does not wait for it
            self._reader = self._classes.reader(self._listener, self._bounds)
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
        if not self._closed.is_set():
            self._closed.set()
            self._context.removeSparkListener(self._listener)


class _Classes:
    """Headwater's Java classes in one JVM, each compiled once, when first needed, with the classes that it names.

    Once, because py4j finds known methods by the name of the class; by one loader, because it keeps what it has read of
    Spark's classes.
    """

    def __init__(self, gateway: Any) -> None:
        # Result of the self-test in this JVM; None before it.
        self.tested: tuple[str, ...] | None = None
        self._jvm, self._gateway = gateway.jvm, gateway
        sources = self._jvm.java.util.HashMap()
        for file in (resources.files("spark_client.capturing") / "java").iterdir():
            sources.put(f"{_PACKAGE.replace('.', '/')}/{file.name}", file.read_bytes())
        finder = self._jvm.org.codehaus.commons.compiler.util.resource.MapResourceFinder(sources)
        parent = self._jvm.java.lang.Thread.currentThread().getContextClassLoader()
        self._loader = self._jvm.org.codehaus.janino.JavaSourceClassLoader(parent, finder, "UTF-8")

    def new(self, name: str, *arguments: Any) -> Any:
        """Return a new object of a class."""
        values = self._gateway.new_array(self._jvm.java.lang.Object, len(arguments))
        for place, argument in enumerate(arguments):
            values[place] = argument
        return self._loader.loadClass(f"{_PACKAGE}.{name}").getConstructors()[0].newInstance(values)

    def reader(self, listener: Any, bounds: Bounds) -> Any:
        """Return the reader of the executions that a listener keeps."""
        getters = self._jvm.java.util.HashMap()
        for owner, names in GETTERS.items():
            getters.put(owner, self._list(names))
        skipped, options = self._list(SKIPPED), self._list(OPTIONS)
        plans = self.new("PlanReader", getters, skipped, options, bounds.nodes, bounds.chars)
        return self.new("Executions", listener, plans, bounds.read_ms)

    def _list(self, texts: Iterable[str]) -> Any:
        found = self._jvm.java.util.ArrayList()
        for text in texts:
            found.add(text)
        return found


# One for each JVM that the program had; there is rarely a second.
_KNOWN: dict[Any, _Classes] = {}
_KNOWN_LOCK = threading.Lock()


def _classes_of(gateway: Any) -> _Classes:
    with _KNOWN_LOCK:
        if gateway not in _KNOWN:
            _KNOWN[gateway] = _Classes(gateway)
        return _KNOWN[gateway]


def parse_execution(text: str) -> Item:
    """Return the result of one call of `Executions.java`."""
    document = json.loads(text)
    if "stream" in document:
        return _parse_moment(document)
    if "at_ms" in document:
        return Ended(document["at_ms"])
    if "over" in document:
        return Over(document["over"])
    if "unread" in document:
        return Unread(document["id"], document["unread"])
    plan, failure = document["plan"], document.get("failure")
    return Execution(
        id=document["id"],
        root_id=document["root_id"],
        action=document["action"],
        started_ms=document["started_ms"],
        ended_ms=document["ended_ms"],
        tier=document["tier"],
        plan=parse_plan(plan["kinds"], plan["objects"], plan["types"]),
        metrics=document.get("metrics") or (),
        had_jobs=document["had_jobs"],
        failure=Failure(*failure) if failure else None,
        sql=document.get("sql"),
        dynamic_overwrite=document.get("dynamic") is True,
        stream=document.get("of_stream"),
        read_versions=document.get("versions") or {},
        commit=_parse_commit(document.get("commit")),
    )


def _parse_commit(document: dict[str, Any] | None) -> Commit | None:
    """Return a commit: of Delta's by its own entry, of Iceberg's by the summary of the snapshot."""
    if document is None:
        return None
    entry = (document.get("entry") or {}).get("commitInfo")
    return Commit(
        _text(document.get("version")),
        _parse_summary(document.get("summary") or {}) if entry is None else _parse_entry(entry),
        _text((entry or {}).get("readVersion")),
        document.get("location"),
    )


def _text(number: object) -> str | None:
    return None if number is None else str(number)


def _parse_summary(summary: Mapping[str, int | None]) -> WriteStatistics:
    """Return how much made a snapshot of Iceberg's; files of deletes are files that were written."""
    files = [summary.get("added-data-files"), summary.get("added-delete-files")]
    known = [count for count in files if count is not None]
    return WriteStatistics(summary.get("added-records"), summary.get("added-files-size"), sum(known) if known else None)


def _parse_entry(entry: Mapping[str, Any]) -> WriteStatistics:
    """Return how much a commit of Delta's wrote, whose metrics are texts.

    A MERGE or UPDATE counts the rows that it inserted or changed, not those that it copied; a DELETE wrote none.
    """
    metrics = {name: int(text) for name, text in (entry.get("operationMetrics") or {}).items() if text.isdigit()}
    rows = {
        "MERGE": ("numTargetRowsInserted", "numTargetRowsUpdated"),
        "UPDATE": ("numUpdatedRows",),
        "DELETE": (),
    }.get(entry.get("operation", ""), ("numOutputRows",))
    known = [metrics[name] for name in rows if name in metrics]
    names = (
        ("numOutputBytes", "numTargetBytesAdded", "numAddedBytes"),
        ("numFiles", "numTargetFilesAdded", "numAddedFiles"),
    )
    size_bytes, files = (next((metrics[name] for name in each if name in metrics), None) for each in names)
    return WriteStatistics(sum(known) if known else None, size_bytes, files)


def _parse_moment(document: dict[str, Any]) -> StreamStart | StreamProgress | StreamEnd:
    run_id, at_ms, plan = document["stream"], document["moment_ms"], document.get("plan")
    if plan is not None:
        tree = parse_plan(plan["kinds"], plan["objects"], plan["types"])
        return StreamStart(run_id, at_ms, document["tier"], tree, document["options"] or {})
    counts = (count if count >= 0 else None for count in document["written"])
    written, commit = WriteStatistics(*counts), _parse_commit(document.get("commit"))
    progress = StreamProgress(run_id, at_ms, document["batches"], written, document.get("versions") or {}, commit)
    stack = document.get("failure")
    # Python's own traceback is a part of the message; Java's stack follows it.
    failure = Failure(stack.split("\n\tat ", 1)[0].strip(), stack) if stack else None
    return StreamEnd(progress, failure) if document["what"] == "end" else progress
