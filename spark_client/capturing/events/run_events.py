"""OpenLineage events of writes and of their application: dicts, none larger than the limit."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Literal, TypeAlias, TypeVar

from headwater_model.field_paths import print_dotted
from headwater_model.ids import normalize_run_id
from spark_client.capturing.events.column_facet import column_facet
from spark_client.capturing.events.descriptions import Description
from spark_client.capturing.events.facets import (
    Facet,
    branch_facet,
    capture_facet,
    dataset_facets,
    error_facet,
    input_facets,
    job_type_facet,
    lifecycle_facet,
    parent_facet,
    processing_engine_facet,
    records_facet,
    rows_facet,
    sql_facet,
    statistics_facet,
)
from spark_client.capturing.events.size_budget import BudgetExceeded, SizeBudget
from spark_client.capturing.model import Dataset, Failure, Read, StreamReport, Write
from spark_client.current_run import JobRun, RunContext
from spark_client.event_payloads import Event
from spark_client.recorder.operation_events import RUN_EVENT
from spark_client.redaction import redact
from spark_client.version import PRODUCER

Json: TypeAlias = dict[str, Any]
EventType: TypeAlias = Literal["START", "RUNNING", "COMPLETE", "FAIL", "ABORT", "OTHER"]
T = TypeVar("T")

# Parts left out of an event above the limit: the first, the first two, and so on. They are words of the facet
# `headwater_capture`.
CUTS = (
    "descriptions",
    "inputSchemas",
    "indirect",
    "outputSchema",
    "masking",
    "columnLineage",
    "sql",
    "error",
    "unknown",
    "inputs",
)
_MESSAGE_CHARS = 4_000
_STACK_CHARS = 16_000
_UNKNOWN_MAX = 1_000
_UNKNOWN_INPUTS_MAX = 100
_REASON_CHARS = 500
# Inputs left where all parts were cut.
_FEW_INPUTS = 100


@dataclass(frozen=True)
class Application:
    """Application of the writes."""

    context: RunContext
    spark_version: str | None = None
    description: Description = field(default_factory=Description)

    @property
    def root(self) -> JobRun:
        """Root of the runs above the application, or its own run."""
        return self.context.root or self.context.parent or self.context.run


@dataclass(frozen=True)
class EventRules:
    """Limits and options of an event's content.

    Attributes:
        size_max_bytes: of an event as JSON.
        sql: True if events contain statements.
        sql_chars_max: of a statement; a longer statement is cut.
        redactions: patterns to mask in statements and messages of errors, beside our own (`redaction`).
        misread: checks that failed in the self-test of this Spark's plans; columns are doubtful then.
    """

    size_max_bytes: int = 1_000_000
    sql: bool = True
    sql_chars_max: int = 20_000
    redactions: Sequence[re.Pattern[str]] = ()
    misread: tuple[str, ...] = ()


def write_events(read: Read, application: Application, job_name: str, rules: EventRules = EventRules()) -> list[Event]:
    """Render a write or a read as a run of its own, started by the application: its START, then its COMPLETE or FAIL.

    The same write makes the same events. The facet `headwater_capture` names the cut parts.
    """
    run = JobRun(application.context.run.namespace, job_name, run_of_write(read, application))
    job_type = job_type_facet("MAINTENANCE" if _maintains(read) else "JOB")
    end: EventType = "COMPLETE" if read.failure is None else "FAIL"
    ended = _reporting_of(read, application, run, job_type, rules, end, max(read.started_ms, read.ended_ms))
    return [_event("START", read.started_ms, run, ended.run_facets, ended.job_facets), _cut_down(ended)]


def stream_event(report: StreamReport, application: Application, rules: EventRules = EventRules()) -> Event:
    """Render an event of a stream into a dataset, as a run started by the application.

    Each event has the whole lineage, and the statistics since the event before.
    """
    run = JobRun(application.context.run.namespace, report.job_name, report.run_id)
    job_type = job_type_facet("JOB", "STREAMING")
    return _cut_down(_reporting_of(report.write, application, run, job_type, rules, report.phase, report.at_ms))


def _reporting_of(
    read: Read, application: Application, run: JobRun, job_type: Facet, rules: EventRules, type_: EventType, at_ms: int
) -> _Reporting:
    facets = {**_of_application(application), "parent": parent_facet(application.context.run, application.root)}
    return _Reporting(read, run, facets, {"jobType": job_type}, rules, type_, at_ms)


def run_of_write(read: Read, application: Application) -> str:
    """Derive the id of a write's or a read's run from the application's run, the execution and the output."""
    named = f"{read.execution_id} read"
    if isinstance(read, Write):
        output = read.output.id
        named = f"{read.execution_id} {read.number} {output.namespace} {output.name}"
    return str(uuid.uuid5(uuid.UUID(normalize_run_id(application.context.run.run_id)), named))


def application_event(
    application: Application,
    type_: EventType,
    at_ms: int,
    *,
    counts: Mapping[str, int] | None = None,
    failure: Failure | None = None,
    root_ids: Sequence[str] = (),
    rules: EventRules = EventRules(),
) -> Event:
    """Render an event of the application itself, at milliseconds since 1970.

    `counts` are the capture's; `root_ids` are the roots of the records reported by the application
    (`current_run.reported_roots`).
    """
    facets = {**_of_application(application), **application.description.run_facets()}
    if application.context.parent is not None:
        facets["parent"] = parent_facet(application.context.parent, application.root)
    facets |= _error(failure, "PYTHON", _Cut(), rules)
    if root_ids:
        facets["headwater_records"] = records_facet(root_ids)
    if counts:
        facets["headwater_capture"] = capture_facet(counts=counts)
    job_facets = {"jobType": job_type_facet("APPLICATION"), **application.description.job_facets()}
    return _event(type_, at_ms, application.context.run, facets, job_facets)


def _of_application(application: Application) -> dict[str, Facet]:
    spark = application.spark_version
    return {"processing_engine": processing_engine_facet(spark)} if spark is not None else {}


def _event(
    type_: EventType,
    at_ms: int,
    run: JobRun,
    run_facets: Mapping[str, Facet],
    job_facets: Mapping[str, Facet],
    inputs: Sequence[Json] = (),
    outputs: Sequence[Json] = (),
) -> Event:
    moment = datetime.fromtimestamp(at_ms / 1000, timezone.utc)
    return Event(
        eventType=type_,
        eventTime=moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        producer=PRODUCER,
        schemaURL=RUN_EVENT,
        run={"runId": run.run_id, "facets": dict(run_facets)},
        job={"namespace": run.namespace, "name": run.name, "facets": dict(job_facets)},
        inputs=list(inputs),
        outputs=list(outputs),
    )


@dataclass(frozen=True)
class _Reporting:
    """Write or read to report, with the values shared by its events."""

    read: Read
    run: JobRun
    run_facets: Mapping[str, Facet]
    job_facets: Mapping[str, Facet]
    rules: EventRules
    type_: EventType
    at_ms: int


def _cut_down(reporting: _Reporting) -> Event:
    """Render a write or a read, with as little cut as the budget allows."""
    for number in range(len(CUTS)):
        try:
            event = _reporting(reporting, _Cut(CUTS[:number]), SizeBudget(reporting.rules.size_max_bytes))
        except BudgetExceeded:
            continue
        if len(event.json) <= reporting.rules.size_max_bytes:
            return event
    return _reporting(reporting, _Cut(CUTS), SizeBudget(reporting.rules.size_max_bytes))


class _Cut:
    """Parts left out of an event, and its texts and lists with cut ends."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names = set(names)

    def __contains__(self, name: str) -> bool:
        return name in self._names

    @property
    def names(self) -> list[str]:
        """Names of the cut parts, in the order of `CUTS`."""
        return [name for name in CUTS if name in self._names]

    def text(self, name: str, text: str, chars_max: int, rules: EventRules) -> str:
        """Cut a text to its beginning, without secrets.

        Only four times the limit is searched for secrets: a text may have megabytes. If the JVM cut the text within a
        character, the half is replaced by `?`.
        """
        redacted = redact(text[: 4 * chars_max].encode(errors="replace").decode(), rules.redactions)
        if len(redacted) > chars_max or len(text) > 4 * chars_max:
            self._names.add(name)
        return redacted[:chars_max]

    def entries(self, name: str, entries: Sequence[T], count_max: int) -> Sequence[T]:
        """Cut a list to its first entries."""
        if len(entries) > count_max:
            self._names.add(name)
        return entries[:count_max]


def _maintains(read: Read) -> bool:
    """True if rows only move into other files; to OpenLineage an output is a write, so the event has none."""
    return isinstance(read, Write) and read.change == "MAINTENANCE"


def _reporting(reporting: _Reporting, cut: _Cut, budget: SizeBudget) -> Event:
    """Render the event without the cut parts; raise `BudgetExceeded` if it is much too large."""
    # A read has inputs alone; maintenance has no output.
    read, write = reporting.read, reporting.read if isinstance(reporting.read, Write) else None
    maintained = write.output.id if write and _maintains(write) else None
    inputs = read.inputs[:_FEW_INPUTS] if "inputs" in cut else read.inputs
    reads = [_input(dataset, read, budget, cut) for dataset in inputs]
    outputs = [_output(write, budget, cut, reporting.rules)] if write and maintained is None else []
    job_facets = {**reporting.job_facets, **_sql(read, cut, reporting.rules)}
    run_facets = {**reporting.run_facets, **_error(read.failure, "JAVA", cut, reporting.rules)}
    captured = capture_facet(
        tier="doubtful" if reporting.rules.misread and read.tier != "tables" else read.tier,
        tier_reason=_reason(read.tier_reason, cut, reporting.rules),
        command=read.command,
        misread=reporting.rules.misread,
        unknown=_unknown(write, cut) if write else (),
        unknown_inputs=_unknown_inputs(read, cut, reporting.rules),
        unknown_output=_reason(read.unknown_output, cut, reporting.rules),
        cut=cut.names,
        maintained=maintained,
    )
    return _event(
        reporting.type_,
        reporting.at_ms,
        reporting.run,
        {**run_facets, "headwater_capture": captured},
        job_facets,
        reads,
        outputs,
    )


def _output(write: Write, budget: SizeBudget, cut: _Cut, rules: EventRules) -> Json:
    """Render the output; with `columnLineage` cut, the columns take at most half of the event."""
    form = _dataset(write.output, budget, with_schema="outputSchema" not in cut)
    if "inputs" not in cut:
        columns = column_facet(
            write.columns,
            budget,
            descriptions="descriptions" not in cut,
            indirect="indirect" not in cut,
            unmasked="masking" not in cut,
            size_max_bytes=rules.size_max_bytes // 2 if "columnLineage" in cut else None,
        )
        form["facets"] |= {"columnLineage": columns} if columns else {}
    if write.change is not None and write.failure is None:
        form["facets"]["lifecycleStateChange"] = lifecycle_facet(write.change, write.renamed_from)
    branch, rows = write.output.branch, write.output.rows
    of_use = {
        **({"outputStatistics": statistics} if (statistics := statistics_facet(write.written)) else {}),
        **({"headwater_branch": branch_facet(branch)} if branch is not None else {}),
        **({"headwater_rows": rows_facet(rows)} if rows is not None else {}),
    }
    return {**form, "outputFacets": of_use} if of_use else form


def _input(dataset: Dataset, read: Read, budget: SizeBudget, cut: _Cut) -> Json:
    form = _dataset(dataset, budget, with_schema="inputSchemas" not in cut)
    scanned = read.scanned.get(dataset.id)
    return form if scanned is None or "inputSchemas" in cut else {**form, "inputFacets": input_facets(scanned)}


def _dataset(dataset: Dataset, budget: SizeBudget, *, with_schema: bool) -> Json:
    facets = dataset_facets(dataset, budget, with_schema=with_schema)
    return {"namespace": dataset.id.namespace, "name": dataset.id.name, "facets": facets}


def _sql(read: Read, cut: _Cut, rules: EventRules) -> dict[str, Facet]:
    if read.sql is None or not rules.sql or "sql" in cut:
        return {}
    return {"sql": sql_facet(cut.text("sql", read.sql, rules.sql_chars_max, rules))}


def _error(failure: Failure | None, language: str, cut: _Cut, rules: EventRules) -> dict[str, Facet]:
    if failure is None:
        return {}
    stack = None if "error" in cut else failure.stack
    message = cut.text("error", failure.message, _MESSAGE_CHARS, rules)
    shown_stack = None if stack is None else cut.text("error", stack, _STACK_CHARS, rules)
    return {"errorMessage": error_facet(message, shown_stack, language)}


def _reason(text: str | None, cut: _Cut, rules: EventRules) -> str | None:
    return None if text is None else cut.text("unknown", text, _REASON_CHARS, rules)


def _unknown(write: Write, cut: _Cut) -> Sequence[tuple[str, str]]:
    """List columns with unknown sources and the reasons: `("total", "LogicalRDD: made of an RDD")`."""
    named = sorted((print_dotted(path), reason) for path, reason in write.unknown.items())
    return cut.entries("unknown", named, 0 if "unknown" in cut else _UNKNOWN_MAX)


def _unknown_inputs(read: Read, cut: _Cut, rules: EventRules) -> list[str]:
    reasons = cut.entries("unknown", read.unknown_inputs, _UNKNOWN_INPUTS_MAX)
    return [cut.text("unknown", reason, _REASON_CHARS, rules) for reason in reasons]
