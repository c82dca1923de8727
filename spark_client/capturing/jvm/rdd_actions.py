"""Actions of RDDs from Python: saves, `foreach` and `foreachPartition`. Spark's events do not name their inputs.

Methods are wrapped, once in a process. Actions of libraries on RDDs in the JVM are not seen.

    RDD.saveAsTextFile, ...    reported as actions; the names are as old as Spark 1
    DataFrame.rdd              remembered: the RDD has the rows of the frame
    DataStreamWriter.start     waits for the listener
    JavaMember.__call__        reports `fs.rename(Path("/_tmp/x"), Path("/lake/x"))`, without an event of Hadoop
    SparkSession.sql           reports `CALL system.rewrite_data_files(...)`, without an event of Spark 4
"""

from __future__ import annotations

import functools
import itertools
import logging
import re
import threading
import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from spark_client.capturing.model import CALL, RDD_READS, RDD_SAVES, RENAME

if TYPE_CHECKING:
    from pyspark import RDD, SparkContext

_log = logging.getLogger("headwater.capture")
# Hadoop's settings of an output format's folder, new and old.
_OUTPUT_DIRECTORIES = ("mapreduce.output.fileoutputformat.outputdir", "mapred.output.dir")
_FAILURE_CHARS = 16_000
_PATH = "org.apache.hadoop.fs.Path"
_CALL = re.compile(r"(?:\s|--[^\n]*\n|/\*.*?\*/)*CALL\b", re.IGNORECASE | re.DOTALL)
# Methods to start a stream.
_STARTS = ("start", "toTable")


# True in a thread during the save of a model: executions and actions of its files are parts of the save.
SAVES_MODEL = ContextVar("saves a model", default=False)


class Guard:
    """Calls of ours among the job's: a fault is logged once, and the job lives."""

    def __init__(self, loss: str) -> None:
        self._loss = loss
        self._has_failed = False

    def __call__(self, act: Callable[[], Any]) -> Any:
        """Call; return None if the call fails."""
        try:
            return act()
        except Exception as error:  # noqa: BLE001 - py4j or a frame may raise anything, and the job must live
            if not self._has_failed:
                self._has_failed = True
                _log.warning("capture: %s: %s: %s", self._loss, type(error).__name__, error)
            return None


class RddActions:
    """Receivers of actions of the captured contexts; usable by many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # By context, for each capture a function for its receiver in the JVM.
        self._receivers: WeakKeyDictionary[SparkContext, list[Callable[[], Any]]] = WeakKeyDictionary()
        self._numbers = itertools.count(1)
        self._is_installed = False
        self.guarded = Guard("an action of an RDD is not reported")

    def open(self, context: SparkContext, receiver: Callable[[], Any]) -> None:
        """Send the actions of a context to a receiver (`Actions.java`), for all captures of the context."""
        with self._lock:
            self._receivers[context] = [*self._receivers.get(context, ()), receiver]
            if not self._is_installed:
                self._is_installed = True
                _wrap_methods(self)
                _wrap_calls(self)
                _wrap_sql(self)

    def close(self, context: SparkContext, receiver: Callable[[], Any]) -> None:
        """End what `open` began."""
        with self._lock:
            self._receivers[context] = [other for other in self._receivers.get(context, ()) if other != receiver]

    def run(self, rdd: RDD[Any], name: str, path: str | None, act: Callable[[], Any]) -> Any:
        """Run an action and report it; the action runs even if the report fails."""
        receiver = None if SAVES_MODEL.get() else self.await_receiver(rdd.ctx)
        if receiver is None:
            return act()
        number, started_ms = self.next_number(), now_ms()
        # `_prev_jrdd` is the JVM's RDD before Python's functions; for the RDD after them, PySpark would make a new RDD.
        source = self.guarded(lambda: getattr(rdd, "_prev_jrdd", None) or rdd._jrdd)
        self.guarded(lambda: receiver.begin(number))
        return reported(
            act,
            lambda error: self.guarded(
                lambda: receiver.end(name, number, source, path, started_ms, now_ms(), text_of(error))
            ),
        )

    def report(self, context: SparkContext, name: str, path: str) -> None:
        """Report an ended action without an RDD: `report(context, "rename", paths)`."""
        receiver, at_ms = self.await_receiver(context), now_ms()
        if receiver is not None:
            receiver.end(name, self.next_number(), None, path, at_ms, at_ms, None)

    def next_number(self) -> int:
        """Draw the number of an action, unique in this process."""
        return next(self._numbers)

    def remember(self, rdd: RDD[Any], frame: Any) -> None:
        """Note that an RDD has the rows of a frame."""
        receiver = self.await_receiver(rdd.ctx)
        if receiver is not None:
            self.guarded(lambda: receiver.remember(rdd._jrdd, frame._jdf))

    def await_receiver(self, context: SparkContext) -> Any:
        """Wait until all captures of a context listen; return a receiver, None if the context is not captured."""
        receivers = [self.guarded(receiver) for receiver in self._receivers.get(context, ())]
        return next((receiver for receiver in receivers if receiver is not None), None)


rdd_actions = RddActions()


def reported(act: Callable[[], Any], end: Callable[[BaseException | None], Any]) -> Any:
    """Run an action; `end` gets its error, None after a success."""
    failure: BaseException | None = None
    try:
        return act()
    except BaseException as error:
        failure = error
        raise
    finally:
        end(failure)


def text_of(error: BaseException | None) -> str | None:
    """Print an exception as Java does, with the JVM's stack for an error from the JVM."""
    if error is None:
        return None
    text = f"{type(error).__name__}: {error}"
    of_java = text.partition("\n: ")[2] if hasattr(error, "java_exception") else ""
    return (of_java or text)[:_FAILURE_CHARS]


def now_ms() -> int:
    """Read the clock, in milliseconds since 1970: `1767225600000`."""
    return int(time.time() * 1000)


def _wrap_methods(actions: RddActions) -> None:
    from pyspark import RDD
    from pyspark.sql.streaming.readwriter import DataStreamWriter

    for name in (*RDD_SAVES, *RDD_READS):
        setattr(RDD, name, _wrapped(getattr(RDD, name), actions, name in RDD_SAVES))
    for name in _STARTS:
        setattr(DataStreamWriter, name, _waiting(getattr(DataStreamWriter, name), actions))
    frame = _class_of_frames()
    known = vars(frame)["rdd"]
    if isinstance(known, property):
        frame.rdd = property(_remembering(known.fget, actions), doc=known.__doc__)
    else:
        frame.rdd = functools.cached_property(_remembering(known.func, actions))
        frame.rdd.__set_name__(frame, "rdd")


def _wrap_calls(actions: RddActions) -> None:
    from py4j.java_gateway import JavaMember

    call = JavaMember.__call__

    @functools.wraps(call)
    def call_and_report(member: Any, *arguments: Any) -> Any:
        result = call(member, *arguments)
        if member.name == RENAME and result is True and len(arguments) == 2:
            actions.guarded(lambda: _report_rename(actions, arguments))
        return result

    JavaMember.__call__ = call_and_report


def _report_rename(actions: RddActions, paths: tuple[Any, ...]) -> None:
    from pyspark import SparkContext

    context = SparkContext._active_spark_context
    if context is not None and all(path.getClass().getName() == _PATH for path in paths):
        actions.report(context, RENAME, "\n".join(path.toString() for path in paths))


def _wrap_sql(actions: RddActions) -> None:
    """Report each call of a procedure as an action without an RDD.

    Spark 4 runs a procedure while it analyzes `CALL`, and has no event of it. In Spark 3 a call is a command.
    """
    import pyspark
    from pyspark.sql import SparkSession

    if pyspark.__version__.startswith("3."):
        return
    sql = SparkSession.sql

    @functools.wraps(sql)
    def sql_and_report(session: Any, *arguments: Any, **named: Any) -> Any:
        result = sql(session, *arguments, **named)
        text = arguments[0] if arguments else named.get("sqlQuery")
        if isinstance(text, str) and _CALL.match(text):
            actions.guarded(lambda: _report_call(actions, session, text))
        return result

    SparkSession.sql = sql_and_report  # type: ignore[method-assign,assignment]


def _report_call(actions: RddActions, session: Any, text: str) -> None:
    actions.report(session.sparkContext, CALL, f"{session.catalog.currentCatalog()}\n{text}")


def _class_of_frames() -> Any:
    try:
        from pyspark.sql.classic import dataframe
    except ImportError:  # Spark 3.5
        from pyspark.sql import dataframe  # type: ignore[no-redef]
    return dataframe.DataFrame


def _wrapped(method: Callable[..., Any], actions: RddActions, is_save: bool) -> Callable[..., Any]:
    @functools.wraps(method)
    def act(rdd: Any, *arguments: Any, **named: Any) -> Any:
        path = _path_of(arguments, named) if is_save else None
        return actions.run(rdd, method.__name__, path, lambda: method(rdd, *arguments, **named))

    return _as_sparks_own(act, method)


def _waiting(start: Callable[..., Any], actions: RddActions) -> Callable[..., Any]:
    """Wrap the start of a stream: after its end, a stream has no plan for a late listener."""

    @functools.wraps(start)
    def wait_and_start(writer: Any, *arguments: Any, **named: Any) -> Any:
        actions.await_receiver(writer._spark._sc)
        return start(writer, *arguments, **named)

    return wait_and_start


def _remembering(rdd_of: Any, actions: RddActions) -> Callable[[Any], Any]:
    @functools.wraps(rdd_of)
    def rdd(frame: Any) -> Any:
        result = rdd_of(frame)
        if not hasattr(result, "_headwater"):
            result._headwater = True
            actions.remember(result, frame)
        return result

    return rdd


def _as_sparks_own(act: Callable[..., Any], method: Callable[..., Any]) -> Callable[..., Any]:
    """Put the function into PySpark's file: Spark names a job by the last line before PySpark's."""
    known = getattr(method, "__code__", None)
    if isinstance(act, FunctionType) and isinstance(known, CodeType):
        act.__code__ = act.__code__.replace(
            co_filename=known.co_filename, co_name=known.co_name, co_firstlineno=known.co_firstlineno
        )
    return act


def _path_of(arguments: tuple[Any, ...], named: Mapping[str, Any]) -> str:
    """Read the target of a save from its first argument, a path or Hadoop's settings; empty if unknown."""
    target = arguments[0] if arguments else named.get("path", named.get("conf"))
    if isinstance(target, Mapping):
        return next((str(target[key]) for key in _OUTPUT_DIRECTORIES if key in target), "")
    return target if isinstance(target, str) else ""
