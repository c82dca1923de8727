"""Nights of the company: the events of its runs, mostly good.

A night has an age: the last night, half a day before the end, is 0. Every failure has an age, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from random import Random
from uuid import NAMESPACE_URL, uuid5

from examples.company.events import (
    Json,
    a_facet,
    after,
    an_event,
    inputs_of,
    job_of,
    output_of,
    parent_of,
    written_part,
)
from examples.company.model import Dataset, Estate, Job, Write
from examples.company.records import roots_of

_BEGIN = timedelta(hours=12)
_FLAKY = 0.004
_PARTS = "org.apache.spark.sql.execution"
_FRAMES = "\n".join(
    f"\tat {_PARTS}.datasources.FileFormatWriter$.step{number}(FileFormatWriter.scala:{90 + number})"
    for number in range(38)
)
_UPCAST = (
    "org.apache.spark.SparkException: Job aborted due to stage failure: Task 3 in stage 41.0 failed 4 times\n"
    f"{_FRAMES}\n"
    "Caused by: org.apache.spark.sql.AnalysisException: [CANNOT_UP_CAST_DATATYPE] Cannot up cast amount from "
    '"DECIMAL(18,4)" to "DECIMAL(12,2)". The type path of the target object is: - field (class: "amount")'
)
_MEMORY = "java.lang.OutOfMemoryError: GPU memory exhausted, 0 bytes of 16 GiB are free"
_QUERY = (
    "snowflake.connector.errors.ProgrammingError: 000630 (57014): Statement reached its statement timeout of 1800 s"
)
_RESET = "java.net.SocketException: Connection reset by peer"


@dataclass(frozen=True)
class _Night:
    """A night of a history of `days`, by its age."""

    begins: datetime
    age: int
    days: int
    end: datetime
    seed: int

    def run_id(self, job: Job) -> str:
        """Derive the id of the job's run in this night; a stream has a single run."""
        begins = self.end - timedelta(days=self.days) if job.streams else self.begins
        return str(uuid5(NAMESPACE_URL, f"{self.seed} {job.namespace} {job.name} {begins.isoformat()}"))

    def has_happened(self, age: int) -> bool:
        """True if an incident of this age has happened; in a short history, it happens after the first night."""
        return self.age < min(age, self.days - 1)


def history_of(estate: Estate, *, end: datetime, days: int = 30, seed: int = 1) -> Iterator[Json]:
    """Yield the events of `days` nights until `end` (UTC), night by night, by their times."""
    begins = end.replace(minute=0, second=0, microsecond=0) - _BEGIN
    for age in reversed(range(days)):
        night = _Night(begins - timedelta(days=age), age, days, end, seed)
        events = [event for job in estate.jobs for event in _events_of(job, night)]
        yield from sorted(events, key=lambda event: str(event["eventTime"]))


def _events_of(job: Job, night: _Night) -> Iterator[Json]:
    if job.streams:
        yield from _stream_of(job, night)
        return
    state, error = _fate_of(job, night)
    if state == "NONE":
        return
    # A run's times vary, in the same way for a seed, job and night.
    random = Random(f"{night.seed} {job.name} {night.age}")
    starts = after(night.begins, 60 * job.starts_min + random.uniform(0, 20))
    ends = after(starts, 60 * job.lasts_min * random.uniform(0.7, 1.4))
    run: Json = {"runId": night.run_id(job), "facets": {}}
    if job.parent:
        root = job.root and night.run_id(job.root)
        run["facets"]["parent"] = parent_of(job.parent, night.run_id(job.parent), job.root, root or "")
    rendered = _render_job(job)
    yield an_event("START", starts, rendered, run)
    if state == "RUNNING":
        return
    facets = dict(run["facets"])
    # The end has the errors, record roots, inputs and outputs.
    if error:
        facets["errorMessage"] = a_facet("errorMessage", message=error, programmingLanguage="scala")
    if job.name == "spark.bronze_bkpf" and night.age == 0:
        facets["headwater_records"] = {**a_facet("parent"), "rootIds": roots_of(night.end)}
    outputs = (
        [] if state == "ABORT" else [_output(write, job, night, random, is_whole=not error) for write in job.writes]
    )
    inputs = inputs_of(job, night.begins.date())
    yield an_event(state, ends, rendered, {**run, "facets": facets}, inputs, outputs)


def _stream_of(job: Job, night: _Night) -> Iterator[Json]:
    """Yield the nightly report of a stream: it still runs."""
    run: Json = {"runId": night.run_id(job), "facets": {}}
    rendered, outputs = _render_job(job), [_render_output(write, _day_of(night), True) for write in job.writes]
    if night.age == night.days - 1:
        yield an_event("START", night.begins, rendered, run)
    at = after(night.end, -120) if night.age == 0 else after(night.begins, 7200)
    yield an_event("RUNNING", at, rendered, run, inputs_of(job, night.begins.date()), outputs)


def _fate_of(job: Job, night: _Night) -> tuple[str, str]:
    """Choose the end of the job's run in this night, NONE without a run, and its error."""
    fates = {
        "spark.silver_payments": _fail(_UPCAST) if night.has_happened(3) else None,
        "nordwind_daily": ("FAIL", "") if night.has_happened(3) else None,
        "nordwind.marts.sessions_by_week": _fail(_QUERY) if night.age == 0 else None,
        "dbt-run-nordwind": ("FAIL", "") if night.age == 0 else None,
        "nordwind.marts.refunds_by_country": ("ABORT", "") if night.age == 0 else None,
        "refresh 107:stock": ("RUNNING", "") if night.age == 0 else None,
        "spark.gpu_forecast": _fail(_MEMORY),
        "spark.fax_orders": None if night.age == night.days - 1 else ("NONE", ""),
        "spark.backup_orders": None if night.age in (night.days - 1, _drop_age(night)) else ("NONE", ""),
        "nordwind.marts.gift_cards_by_day": None if night.has_happened(2) else ("NONE", ""),
        "nordwind_weekly": None if night.age % 7 == 0 else ("NONE", ""),
    }
    fate = fates.get(job.name)
    if fate is not None:
        return fate
    is_flaky = night.age > 0 and job.writes and Random(f"{night.seed} flaky {job.name} {night.age}").random() < _FLAKY
    return _fail(_RESET) if is_flaky else ("COMPLETE", "")


def _fail(error: str) -> tuple[str, str]:
    return "FAIL", error


def _drop_age(night: _Night) -> int:
    """Choose the age of the night with the drop of the orders' backup."""
    return max(0, min(5, night.days - 2))


def _output(write: Write, job: Job, night: _Night, random: Random, *, is_whole: bool) -> Json:
    """Build an output with the number of its rows, or with its end."""
    output = _render_output(write, _day_of(night), is_whole)
    if job.name == "spark.backup_orders" and night.age == _drop_age(night):
        dropped = a_facet("lifecycleStateChange", lifecycleStateChange="DROP")
        return {**output, "facets": {**output["facets"], "lifecycleStateChange": dropped}}
    if not is_whole:
        return output
    rows = int(Random(write.dataset.name).uniform(1e3, 1e6) * (1 - 0.01 * night.age) * random.uniform(0.97, 1.03))
    statistics = a_facet("outputStatistics", rowCount=rows, size=rows * 61)
    part = written_part(write.dataset, night.begins.date())
    return {**output, "outputFacets": {"outputStatistics": statistics, **part}}


def _day_of(night: _Night) -> tuple[bool, bool, bool]:
    """List the changes of schemas so far: of orders, of customers, of revenue."""
    return night.has_happened(14), night.has_happened(9), night.has_happened(6)


@cache
def _render_job(job: Job) -> Json:
    return job_of(job)


@cache
def _render_output(write: Write, day: tuple[bool, bool, bool], is_whole: bool) -> Json:
    return output_of(write, _columns_of(write.dataset, *day), is_whole=is_whole)


def _columns_of(dataset: Dataset, is_decimal: bool, is_without_fax: bool, counts_orders: bool) -> Mapping[str, str]:
    """List the columns of a dataset after the changes of schemas so far."""
    columns = dict(dataset.columns)
    if dataset.name == "silver/shop/orders" and not is_decimal:
        columns["amount"] = "int"
    if dataset.name == "silver/crm/customers" and not is_without_fax:
        columns["fax"] = "string"
    if dataset.name == "nordwind.gold.revenue" and not counts_orders:
        del columns["orders"]
    return columns
