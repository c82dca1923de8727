"""Glue's DynamicFrames: their sources, steps and sinks.

Spark's plans have no DynamicFrames. So the methods of AWS's package `awsglue` are wrapped, from the first capture to
the end of the last (https://github.com/awslabs/aws-glue-libs). A frame has its steps as an attribute. When it becomes a
frame of Spark's, the JVM keeps the steps for its rows (`GlueFrames.java`). A write is posted on Spark's bus, like an
action of an RDD. The first `GlueContext` wraps a package imported later. A wrapped method runs and returns its result,
whatever becomes of the note.
"""

from __future__ import annotations

import functools
import inspect
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, TypeAlias

from spark_client.capturing.glue.steps import (
    COLLECTIONS_OF,
    SOURCE,
    STEPS,
    STEPS_OF,
    Arguments,
    Note,
    Noted,
    Step,
    described,
    frame_of,
    note_catalog_info,
    note_frame_of_spark,
    note_source,
    noted,
    purges,
    steps_of,
    table,
)
from spark_client.capturing.jvm.rdd_actions import Guard, now_ms, rdd_actions, reported, text_of
from spark_client.capturing.latest import Latest

_TABLES_MAX = 1_000
# Call of a wrapped method, and of the function for its arguments by name.
_Act: TypeAlias = Callable[[], Any]
_Bind: TypeAlias = Callable[[], Arguments]


# Source or sink of a thread's innermost call by a table or connection of the catalog.
_SOURCE: ContextVar[dict[str, Any] | None] = ContextVar("source", default=None)


class GlueFrames:
    """Wrapping of `awsglue` in this process, as long as there is a capture; usable by many threads."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._captures = 0
        # Owner, name, method before and now.
        self._patches: list[tuple[Any, str, Any, Any]] = []
        # Class of contexts in the wrapped package; a package imported anew has a new class.
        self._wrapped: Any = None
        self._guarded = Guard("a DynamicFrame is not known")
        # The newest context, and the schemas so far.
        self._context: Any = None
        self._schemas: Latest[tuple[str, str, str | None], str | None] = Latest(_TABLES_MAX)

    def open(self) -> None:
        """Begin for a capture."""
        with self._lock:
            self._captures += 1
            if self._captures == 1:
                self._guarded(self._wrap_contexts)
                self._guarded(self._wrap_package)

    def close(self) -> None:
        """End a capture; after the last capture, restore the methods."""
        with self._lock:
            self._captures -= 1
            if self._captures == 0:
                for owner, name, before, now in reversed(self._patches):
                    if vars(owner).get(name) is now:
                        setattr(owner, name, before)
                self._patches, self._wrapped, self._context = [], None, None

    def schema_of(self, database: str, table: str, account: str | None) -> str | None:
        """Read the schema of a table of Glue's catalog, in Spark's JSON; None if Glue does not return it.

        Each table takes a request of Glue's API, in the calling thread.
        """
        key, context = (database, table, account), self._context
        if key not in self._schemas and context is not None:
            self._schemas[key] = self._guarded(lambda: context.get_catalog_schema_as_spark_schema(*key).json())
        return self._schemas.get(key)

    def _wrap_contexts(self) -> None:
        """Let each new context wrap Glue's package, if imported by then."""
        from pyspark.sql import SQLContext

        make = SQLContext.__init__

        @functools.wraps(make)
        def init(context: Any, *arguments: Any, **named: Any) -> None:
            make(context, *arguments, **named)
            with self._lock:
                if self._captures:
                    self._guarded(self._wrap_package)

        self._put(SQLContext, "__init__", init)

    def _wrap_package(self) -> None:
        frames = getattr(sys.modules.get("awsglue.dynamicframe"), "DynamicFrame", None)
        contexts = getattr(sys.modules.get("awsglue.context"), "GlueContext", None)
        if frames is None or contexts is None or contexts is self._wrapped:
            return
        self._wrapped = contexts
        for name, note in STEPS_OF.items():
            self._after(frames, name, self._noting(name, note))
        for name, note_all in COLLECTIONS_OF.items():
            self._after(frames, name, note_all)
        self._after(frames, "toDF", self._note_spark_frame)
        self._after(frames, "fromDF", note_frame_of_spark)
        self._wrap_context(contexts)
        self._wrap_sources()

    def _wrap_context(self, contexts: Any) -> None:
        for name in ("getSource", "getStreamingSource", "getSink"):
            self._after(contexts, name, note_source)
        # Sources and sinks inside such a call have the call's table or connection.
        for name in (
            "create_dynamic_frame_from_catalog",
            "create_data_frame_from_catalog",
            "create_sample_dynamic_frame_from_catalog",
            "write_dynamic_frame_from_catalog",
            "write_data_frame_from_catalog",
        ):
            self._inside(contexts, name, self._of_catalog)
        self._inside(
            contexts,
            "write_from_jdbc_conf",
            lambda arguments: described(
                "jdbc", {**arguments["connection_options"], "connectionName": arguments["catalog_connection"]}
            ),
        )
        self._writes(contexts, "purge_table", lambda arguments: {"catalog": table(arguments), **purges(arguments)})
        self._writes(
            contexts,
            "purge_s3_path",
            lambda arguments: {**described("s3", {"path": arguments["s3_path"]}), **purges(arguments)},
        )

    def _of_catalog(self, arguments: Arguments) -> dict[str, Any]:
        # Held until the last capture ends: the thread of a write may look up a schema after the program let go of it.
        self._context = arguments["self"]
        return {"catalog": table(arguments)}

    def _wrap_sources(self) -> None:
        for module, name, methods in (
            ("data_source", "DataSource", ("getFrame", "getSampleFrame", "getDataFrame")),
            ("streaming_data_source", "StreamingDataSource", ("getFrame",)),
        ):
            owner = getattr(sys.modules.get(f"awsglue.{module}"), name, None)
            for method in methods if owner is not None else ():
                self._after(owner, method, self._note_read)
        sinks = getattr(sys.modules.get("awsglue.data_sink"), "DataSink", None)
        if sinks is not None:
            self._after(sinks, "setCatalogInfo", note_catalog_info)
            self._writes(sinks, "writeFrame", self._sink_of, "dynamic_frame")
            self._writes(sinks, "writeDataFrame", self._sink_of, "data_frame")

    def _put(self, owner: Any, name: str, now: Any) -> None:
        self._patches.append((owner, name, vars(owner)[name], now))
        setattr(owner, name, now)

    def _around(self, owner: Any, name: str, make: Callable[[_Act, _Bind], Any]) -> None:
        """Let `make` run each call of a method, if this version has the method; it gets the call and its arguments."""
        known = vars(owner).get(name)
        method = known.__func__ if isinstance(known, classmethod) else known
        if not callable(method):
            return
        signature = inspect.signature(method)

        @functools.wraps(method)
        def call(*arguments: Any, **named: Any) -> Any:
            return make(lambda: method(*arguments, **named), lambda: _bound(signature, arguments, named))

        self._put(owner, name, classmethod(call) if isinstance(known, classmethod) else call)

    def _after(self, owner: Any, name: str, note: Callable[[Arguments, Any], None]) -> None:
        def make(act: _Act, bind: _Bind) -> Any:
            result = act()
            self._guarded(lambda: note(bind(), result))
            return result

        self._around(owner, name, make)

    def _inside(self, owner: Any, name: str, source: Callable[[Arguments], dict[str, Any]]) -> None:
        """Set the source or sink of all reads and writes inside a call."""

        def make(act: _Act, bind: _Bind) -> Any:
            token = _SOURCE.set(self._guarded(lambda: source(bind())))
            try:
                return act()
            finally:
                _SOURCE.reset(token)

        self._around(owner, name, make)

    def _writes(
        self, owner: Any, name: str, sink: Callable[[Arguments], dict[str, Any]], frame: str | None = None
    ) -> None:
        """Report each call as a write of its argument `frame`, or as a purge."""

        def step_of(bound: Arguments) -> tuple[Any, Step]:
            parents = () if frame is None else (frame_of(bound[frame]),)
            return _context_of(bound["self"]), Step("sink" if parents else "purge", parents, sink(bound))

        self._around(owner, name, lambda act, bind: self.run(lambda: step_of(bind()), name, act))

    def run(self, step_of: Callable[[], tuple[Any, Step] | None], name: str, act: Callable[[], Any]) -> Any:
        """Run a write, and report it; whatever becomes of the report, the write runs."""
        write = self._guarded(step_of)
        receiver = None if write is None else rdd_actions.await_receiver(write[0])
        if write is None or receiver is None:
            return act()
        context, step = write
        number, started_ms = rdd_actions.next_number(), now_ms()
        self._guarded(lambda: _send(context, noted(step), lambda *steps: receiver.beginWrite(number, *steps)))
        return reported(
            act,
            lambda error: self._guarded(lambda: receiver.endWrite(name, number, started_ms, now_ms(), text_of(error))),
        )

    def _noting(self, kind: str, note: Note) -> Callable[[Arguments, Any], None]:
        def after(arguments: Arguments, result: Any) -> None:
            parents = tuple(steps_of(arguments[name]) for name in note.frames)
            setattr(result, STEPS, Step(note.kind or kind, parents, note.arguments(arguments)))

        return after

    def _note_read(self, arguments: Arguments, result: Any) -> None:
        source = getattr(arguments["self"], SOURCE, None) or _SOURCE.get()
        if source is None:
            return
        step = Step("source", (), source)
        if type(result).__name__ == "DynamicFrame":
            setattr(result, STEPS, step)
        else:
            self._remember(result, step, _context_of(arguments["self"]))

    def _note_spark_frame(self, arguments: Arguments, result: Any) -> None:
        step = getattr(arguments["self"], STEPS, None)
        if step is not None:
            self._remember(result, step, arguments["self"].glue_ctx._sc)

    def _remember(self, frame: Any, step: Step, context: Any) -> None:
        """Note the steps of a Spark frame's rows in the JVM."""
        receiver = rdd_actions.await_receiver(context)
        if receiver is not None:
            _send(context, noted(step), lambda *steps: receiver.rememberSteps(frame._jdf, *steps))

    def _sink_of(self, arguments: Arguments) -> dict[str, Any]:
        return getattr(arguments["self"], SOURCE, None) or _SOURCE.get() or {}


glue_frames = GlueFrames()


def _send(context: Any, steps: Noted, receive: Callable[..., Any]) -> None:
    frames = context._gateway.jvm.java.util.ArrayList()
    for frame in steps.frames:
        frames.add(frame)
    receive(steps.text, frames)


def _bound(signature: inspect.Signature, arguments: Sequence[Any], named: Mapping[str, Any]) -> Arguments:
    """Bind arguments to their names; the object, or the class, is `self`."""
    bound = signature.bind(*arguments, **named)
    bound.apply_defaults()
    values = dict(bound.arguments)
    return {"self": next(iter(values.values()), None), **values}


def _context_of(owner: Any) -> Any:
    return (getattr(owner, "_sql_ctx", None) or owner)._sc
