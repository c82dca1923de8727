"""OperationRecorder records the fields of a job, their input fields, and the operations between them.

with LineageClient() as client, OperationRecorder(client, ("emissions", "emissions.calculate")) as recorder:
    recorder.record(
        ("s3://flights", "estimated"),
        [
            FieldOperation("read").reads(("s3://flights", "checked")).outputs("tailnum", "distance"),
            FieldOperation("estimate").inputs("distance").outputs("co2"),
        ],
        fields=estimated,  # the DataFrame as it is written
    )
"""

from __future__ import annotations

import atexit
import logging
import os
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from headwater_model.errors import Fault, Invalid, print_value
from headwater_model.operation_checks import check_operations
from headwater_model.operations import Operation, Write
from headwater_model.ordered_json import descriptions_of, parse_mutations, read_mutations
from headwater_model.ordered_operations import OrderedOperation, Step, Translated, WriteStep, translate
from spark_client.client import LineageClient
from spark_client.current_run import JobRun, RunContext, current_run, is_root
from spark_client.record_requests import as_text, text_option
from spark_client.recorder.operation_events import ROOTS_MAX, batches_of, render_event
from spark_client.recorder.operations import (
    Dataset,
    Given,
    clean_operation,
    parse_dataset,
    parse_names,
    parse_steps,
    parse_written,
)

if TYPE_CHECKING:
    from types import TracebackType

# The type of an event without effect on the run's state.
_OTHER = "OTHER"
# OpenLineage's default namespace of jobs.
_NAMESPACE = "default"
_log = logging.getLogger("headwater.client")
T = TypeVar("T")


class OperationRecorder:
    """Recorder of operations on fields; it sends them in events of its run.

    `job` is (namespace, name). Give `run_id` to `LineageClient.record` too, so records and fields belong to the same
    run; left out, it is generated. `parent` and `root` are the runs above it, each as (namespace, name, run id). While
    a capture is on, leave all of them out: the recorder belongs to the captured application's job and run. The capture
    begins and ends the run. With neither, the job has the program's name.

    Nothing is sent before `flush`, `close` or the end of the program; every event holds all operations recorded up to
    then. With `owns_run` the recorder also emits the start and end of the run. Otherwise another producer does (Spark's
    listener, the scheduler), or the run stays open.

    Invalid operations are logged once, with every fault, and left out; the job goes on. With `strict`, `Invalid` is
    raised instead. Usable by many threads of the driver.

    Raises:
        TypeError: an argument has another type; the message names it.
    """

    def __init__(
        self,
        client: LineageClient,
        job: tuple[str, str] | None = None,
        *,
        run_id: str | None = None,
        parent: JobRun | None = None,
        root: JobRun | None = None,
        owns_run: bool = False,
        strict: bool = False,
        now: Callable[[], float] = time.time,
    ) -> None:
        if not isinstance(client, LineageClient):
            raise TypeError(f"client: must be a LineageClient, got {print_value(client)}")
        self._client = client
        captured = current_run() if job is None else None
        self._context = captured or _run_context(_program() if job is None else job, run_id, parent, root)
        self._owns_run = owns_run and captured is None
        self._strict = strict
        self._now = now
        self._lock = threading.RLock()
        self._recorded: dict[tuple[Step, ...], Sequence[Operation]] = {}
        self._pipeline: list[Stage] = []
        self._roots: dict[str, None] = {}
        self._warned: set[str] = set()
        # Number of recorded changes, and of the sent changes.
        self._changes = 0
        self._sent = 0
        if job is None and captured is None:
            self._warn("no job is given and no capture is on: the job is called as the program is")
        atexit.register(self.close)

    @property
    def run(self) -> JobRun:
        """Recorded run, to be named by its children as their parent."""
        return self._context.run

    @property
    def run_id(self) -> str:
        """Id of the recorded run."""
        return self.run.run_id

    def record(self, destination: Dataset | None, operations: Iterable[Given], fields: object = None) -> None:
        """Record the operations of a destination: complete, from the reads on, in their order.

        `operations` are `FieldOperation`s, `headwater_model.operations` (with their origins, in any order), or
        JSON of either. A dataset may have a description, as the third part or as `description`. `fields` is the written
        schema: the DataFrame, or names, or pairs of name and type as `{"name", "type"}`; without it the written fields
        are guessed (see `Written`), and a warning names them. Operations with their own writes need neither.
        Recording the same again changes nothing.

        Raises:
            Invalid: if `strict`, with every fault.
        """
        self._guard("operations", lambda: self._record(destination, operations, fields))

    def stage(self, name: str) -> Stage:
        """Find or make the pipeline's stage of this name; its operations need no destination."""
        _check_text("name", name)
        with self._lock:
            known = next((stage for stage in self._pipeline if stage.name == name), None)
            if known is None:
                known = Stage(self, name)
                self._pipeline.append(known)
            return known

    def read(self, source: Dataset, fields: object) -> None:
        """Read fields of a source, at this position among the pipeline's stages."""
        self._unnamed_stage().read(source, fields)

    def write(self, destination: Dataset, fields: object = None) -> None:
        """Write fields to a destination, at this position among the stages; see `record` for `fields`."""
        self._unnamed_stage().write(destination, fields)

    def declare(self, declared: str | os.PathLike[str] | Mapping[str, object] | Sequence[object]) -> None:
        """Add operations declared beside the job as `fieldMutations`: a JSON file's path, or its content.

        The content is a stage, a list of stages, or a pipeline with `stages`; each is added as by `stage`.

        Raises:
            Invalid: if `strict`, with every fault.
        """
        self._guard("declared operations", lambda: self._declare(declared))

    def report_roots(self, root_ids: Iterable[str]) -> None:
        """Report the roots of the run's records, so fields lead to records; at most 10,000."""
        self._guard("record roots", lambda: self._report(root_ids))

    def flush(self, event_type: str = _OTHER) -> bool:
        """Send all operations recorded so far, in as many events as needed; return True if the service accepted them.

        Without anything new, only an `event_type` other than OTHER sends an event.
        """
        _check_text("event_type", event_type)
        with self._lock:
            changes = self._changes
            if changes == self._sent and event_type == _OTHER:
                return True
            events = self._events(event_type)
        taken = [self._client.emit(event) for event in events]
        if all(taken):
            with self._lock:
                self._sent = max(self._sent, changes)
        return all(taken)

    def close(self) -> None:
        """Send the rest; a recorder in use again must be closed again."""
        self._close("COMPLETE")

    def _close(self, end: str) -> None:
        atexit.unregister(self.close)
        owned, self._owns_run = self._owns_run, False
        self.flush(end if owned else _OTHER)
        names = [stage.name for stage in self._pipeline if stage.steps and stage.name]
        if names and not self._is_written():
            self._warn(f"stages {', '.join(names)}: nothing is written, their operations are not recorded")

    def __enter__(self) -> OperationRecorder:
        if self._owns_run:
            self._client.emit(render_event(self._context, "START", self._now()))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close("COMPLETE" if kind is None else "FAIL")

    def __getstate__(self) -> object:
        raise TypeError("an OperationRecorder is the driver's: keep it out of what executors run")

    def _record(self, destination: Dataset | None, operations: Iterable[Given], fields: object) -> None:
        steps = parse_steps(operations)
        if destination is not None:
            written = parse_written(destination, fields)
            if fields is not None or not _writes(steps, written):
                steps = (*steps, written)
        with self._lock:
            if steps not in self._recorded:
                taken = [operation.name for operations in self._recorded.values() for operation in operations]
                self._recorded[steps] = self._checked(translate(steps, taken=taken))
                self._changes += 1

    def _declare(self, declared: str | os.PathLike[str] | Mapping[str, object] | Sequence[object]) -> None:
        if isinstance(declared, (str, os.PathLike)):
            stages = read_mutations(Path(declared))
        else:
            stages = parse_mutations(declared)
        for stage in stages:
            self.stage(stage.name)._add(stage.operations)

    def _report(self, root_ids: Iterable[str]) -> None:
        if not isinstance(root_ids, Iterable) or isinstance(root_ids, (bytes, Mapping)):
            raise Invalid.because("root_ids", root_ids, "must be an iterable of root ids")
        given = [root_ids] if isinstance(root_ids, str) else list(map(as_text, root_ids))
        for root_id in given:
            if not is_root(root_id):
                self._warn(f"record root {print_value(root_id)}: must be 1 to 2048 bytes of UTF-8: not reported")
        with self._lock:
            known = len(self._roots)
            self._roots.update((root_id, None) for root_id in given if is_root(root_id))
            cut = list(self._roots)[ROOTS_MAX:]
            for root_id in cut:
                del self._roots[root_id]
            self._changes += len(self._roots) > known
        if cut:
            self._warn(f"{len(cut)} record roots above {ROOTS_MAX} of one run: not reported")

    def _unnamed_stage(self) -> Stage:
        with self._lock:
            self._pipeline.append(Stage(self, None))
            return self._pipeline[-1]

    def _events(self, event_type: str) -> Sequence[Mapping[str, object]]:
        """Render events with all recorded operations; an event is empty only if its type means something."""
        sets = [*self._recorded.values()]
        pipeline = self._guard("pipeline", lambda: self._translated(sets)) if self._is_written() else None
        roots, now_s = list(self._roots), self._now()
        batches, warnings = batches_of([*sets, pipeline] if pipeline else sets, roots)
        for warning in warnings:
            self._warn(f"{warning}: not recorded")
        events = [
            render_event(self._context, event_type, now_s, batch.operations, () if index else roots)
            for index, batch in enumerate(batches)
        ]
        return events if batches[0].operations or roots or event_type != _OTHER else []

    def _is_written(self) -> bool:
        """True if the pipeline writes a dataset; until then, its operations lead nowhere."""
        return any(isinstance(step, (WriteStep, Write)) for stage in self._pipeline for step in stage.steps)

    def _translated(self, sets: Iterable[Sequence[Operation]]) -> Sequence[Operation]:
        taken = [operation.name for operations in sets for operation in operations]
        steps = [step for stage in self._pipeline for step in stage.steps]
        return self._checked(translate(steps, taken=taken, where="pipeline"), "pipeline")

    def _checked(self, translated: Translated, where: str = "operations") -> Sequence[Operation]:
        for warning in (*translated.warnings, *check_operations(translated.operations, where)):
            self._warn(warning)
        return [clean_operation(operation) for operation in translated.operations]

    def _guard(self, what: str, do: Callable[[], T]) -> T | None:
        """Catch every error here alone: lineage must not end the described job."""
        try:
            return do()
        except Exception as error:
            if self._strict:
                raise
            reason = str(error) if isinstance(error, Invalid) else f"{type(error).__name__}: {error}"
            self._warn(f"{what} not recorded: {reason}")
            return None

    def _warn(self, text: str) -> None:
        """Log each warning once."""
        if text not in self._warned:
            self._warned.add(text)
            _log.warning("%s: %s", self._context.run.name, text)


class Stage:
    """Stage of a pipeline, with its operations on fields but without their destination."""

    def __init__(self, recorder: OperationRecorder, name: str | None) -> None:
        self.name = name
        self._recorder = recorder
        self._calls: dict[tuple[Step, ...], None] = {}

    @property
    def steps(self) -> list[Step]:
        """Recorded steps, in order."""
        return [step for call in self._calls for step in call]

    def record(self, operations: Iterable[Given]) -> None:
        """Record operations without a destination, in the forms of the recorder's `record`.

        The stage's name goes before their names. Fields of earlier stages are checked when the pipeline is sent.
        """
        self._recorder._guard("operations", lambda: self._add(parse_steps(operations, self.name)))

    def read(self, source: Dataset, fields: object) -> None:
        """Read fields of a source: a DataFrame, a schema, or names."""
        self._recorder._guard("read", lambda: self._add((self._read(source, fields),)))

    def write(self, destination: Dataset, fields: object = None) -> None:
        """Write fields, as they are at this position, to a destination."""
        self._recorder._guard("write", lambda: self._add((parse_written(destination, fields, stage=self.name),)))

    def _read(self, source: Dataset, fields: object) -> OrderedOperation:
        if fields is None:
            raise Invalid([Fault("fields", None, "is required", missing=True)])
        names, types = parse_names(fields)
        described = (parse_dataset(source, "source"),)
        return OrderedOperation(
            "read",
            sources=tuple(dataset for dataset, _ in described),
            outputs=names,
            types=types,
            stage=self.name,
            source_descriptions=descriptions_of(described),
        )

    def _add(self, steps: tuple[Step, ...]) -> None:
        with self._recorder._lock:
            if steps and steps not in self._calls:
                self._calls[steps] = None
                self._recorder._changes += 1


def _run_context(job: tuple[str, str], run_id: str | None, parent: JobRun | None, root: JobRun | None) -> RunContext:
    if not isinstance(job, (tuple, list)) or len(job) != 2 or not all(isinstance(part, str) for part in job):
        raise TypeError(f"job: must be (namespace, name), got {print_value(job)}")
    run = JobRun(*job, text_option("run_id", run_id) or str(uuid.uuid4()))
    named = (None if given is None else JobRun.of(given, name) for name, given in (("parent", parent), ("root", root)))
    return RunContext(run, *named)


def _check_text(argument: str, value: object) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{argument}: must be a string, got {print_value(value)}")


def _program() -> tuple[str, str]:
    return _NAMESPACE, Path(sys.argv[0]).stem or "python"


def _writes(steps: Iterable[Step], written: WriteStep) -> bool:
    """True if an operation with its origins writes to the destination already."""
    return any(isinstance(step, Write) and step.destination == written.destination for step in steps)


# Its name before 2026-11-28.
LineageRecorder = OperationRecorder
