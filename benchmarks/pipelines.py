"""The pipelines of the graph and event benchmarks, and the OpenLineage events of their runs.

A run sends START and COMPLETE. Facets are like a Spark job's under Airflow: schemas of ten columns, storage versions of
outputs (Iceberg), statistics, SQL, code location, nominal time, parent.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from typing import Any, TypeAlias

from headwater.events.event import Event, Facets, ParentRun
from headwater.events.naming import NamingRules
from headwater.events.parse import parse_event
from headwater_model.ids import JobId
from headwater_model.times import normalize

NAMESPACE = "emissions"
STORE = "s3://carbonlake"
CHAIN = 10
_PRODUCER = "https://github.com/OpenLineage/OpenLineage/tree/1.40.1/integration/spark"
_SCHEMAS = "https://openlineage.io/spec/facets/1-1-1"
# In the past: the loader refuses events a day ahead of its clock.
_BEGIN = datetime(2025, 1, 1, tzinfo=timezone.utc)
# Time between the runs of a job; the jobs of a pipeline start fifty seconds apart.
_EACH = timedelta(minutes=10)
_TAKES = timedelta(seconds=40)
_QUERY = "INSERT INTO made SELECT r.*, d.distance * f.kg_co2 FROM read r JOIN rates f USING (carrier) WHERE origin = ?"
_COLUMNS = ("flight", "carrier", "origin", "dest", "tailnum", "year", "month", "day", "distance", "kg_co2")


@dataclass(frozen=True, slots=True)
class Step:
    """A job with the names of its datasets, its parent job (`pipeline`), and its position in the pipeline."""

    job: str
    pipeline: str
    position: int
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    @property
    def id(self) -> JobId:
        """Id of the job."""
        return JobId(NAMESPACE, self.job)


# The events of a run of a job, by the run's number.
Sends: TypeAlias = Callable[[Step, int], list[dict[str, Any]]]


def chain(number: int) -> list[Step]:
    """Build ten jobs: each reads an output of the previous job and two tables of its own, and writes two datasets."""
    name = f"chain_{number:05}"
    return [
        Step(
            job=f"{name}.step_{position}",
            pipeline=f"{name}.nightly",
            position=position,
            inputs=(f"{name}/stage_{position}", f"{name}/rates_{position}", f"{name}/codes_{position}"),
            outputs=(f"{name}/stage_{position + 1}", f"{name}/rejected_{position}"),
        )
        for position in range(CHAIN)
    ]


def run_events(step: Step, run: int) -> list[dict[str, Any]]:
    """Build the START and the COMPLETE of a run, as a producer sends them."""
    start = _run_start(step, run)
    return [_event(step, run, "START", start), _event(step, run, "COMPLETE", start + _TAKES)]


def parsed_runs(step: Step, runs: int, sends: Sends = run_events) -> list[Event]:
    """Build the parsed events of so many runs of a job; `sends` makes the events of a run.

    The first run's events are parsed. Later runs have the COMPLETE alone: a copy of the first run's with its own run,
    parent run, times and storage version. It makes as many rows as both events would.
    """
    rules = NamingRules()
    start, complete = [parse_event(event, rules, now=None) for event in sends(step, 0)]
    return [start, complete, *(_later(complete, step, run) for run in range(1, runs))]


def _later(event: Event, step: Step, run: int) -> Event:
    time = normalize(_run_start(step, run) + _TAKES)
    assert event.parent is not None
    facets: Facets = {**event.run_facets, "parent": _parent(step, run), "nominalTime": _nominal(step, run)}
    outputs = tuple(replace(use, facets={**use.facets, "version": _version(step, run)}) for use in event.outputs)
    return replace(
        event,
        time=time,
        hash=hashlib.sha256(f"{step.job} {run} {event.type}".encode()).hexdigest(),
        run=_run_id(step, run),
        run_facets=facets,
        outputs=outputs,
        parent=ParentRun(_parent_id(step, run), event.parent.job),
    )


def _event(step: Step, run: int, kind: str, time: datetime) -> dict[str, Any]:
    """Build an event as a producer sends it; statistics come with COMPLETE."""
    done = kind == "COMPLETE"
    return {
        "eventType": kind,
        "eventTime": time.isoformat(),
        "producer": _PRODUCER,
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {
            "runId": _run_id(step, run),
            "facets": {
                "parent": _parent(step, run),
                "nominalTime": _nominal(step, run),
                "processing_engine": facet("ProcessingEngineRun", version="3.5.6", name="spark"),
            },
        },
        "job": {"namespace": NAMESPACE, "name": step.job, "facets": _job_facets(step)},
        "inputs": [_input(name, done=done) for name in step.inputs],
        "outputs": [_output(name, step, run, done=done) for name in step.outputs],
    }


def _job_facets(step: Step) -> dict[str, Any]:
    url = f"https://github.com/carbonlake/pipelines/blob/8f14e45f/{step.job}.py"
    return {
        "jobType": facet("JobTypeJob", processingType="BATCH", integration="SPARK", jobType="SQL_JOB"),
        "sql": facet("SQLJob", query=_QUERY),
        "sourceCodeLocation": facet("SourceCodeLocationJob", type="git", url=url, version="8f14e45f"),
    }


def _input(name: str, *, done: bool) -> dict[str, Any]:
    statistics = {"inputStatistics": facet("InputStatisticsInputDataset", rowCount=336_776, size=31_400_000)}
    return {
        "namespace": STORE,
        "name": name,
        "facets": _dataset_facets(name),
        "inputFacets": statistics if done else {},
    }


def _output(name: str, step: Step, run: int, *, done: bool) -> dict[str, Any]:
    statistics = {"outputStatistics": facet("OutputStatisticsOutputDataset", rowCount=327_346, size=30_100_000)}
    return {
        "namespace": STORE,
        "name": name,
        "facets": {**_dataset_facets(name), "version": _version(step, run)},
        "outputFacets": statistics if done else {},
    }


def _dataset_facets(name: str) -> dict[str, Any]:
    columns = [{"name": column, "type": "string"} for column in _COLUMNS]
    return {
        "schema": facet("SchemaDataset", fields=columns),
        "dataSource": facet("DatasourceDataset", name="s3", uri=f"{STORE}/{name}"),
        "storage": facet("StorageDataset", storageLayer="iceberg", fileFormat="parquet"),
    }


def _version(step: Step, run: int) -> dict[str, Any]:
    snapshot = int(hashlib.sha256(f"{step.job} {run}".encode()).hexdigest()[:15], 16)
    return facet("DatasetVersionDataset", datasetVersion=f"{snapshot:019}")


def _parent(step: Step, run: int) -> dict[str, Any]:
    of = {"run": {"runId": _parent_id(step, run)}, "job": {"namespace": NAMESPACE, "name": step.pipeline}}
    return facet("ParentRun", **of)


def _nominal(step: Step, run: int) -> dict[str, Any]:
    return facet("NominalTimeRun", nominalStartTime=_run_start(step, run).isoformat())


def facet(kind: str, **fields: Any) -> dict[str, Any]:
    """Build a facet with the fields of every facet."""
    return {"_producer": _PRODUCER, "_schemaURL": f"{_SCHEMAS}/{kind}Facet.json", **fields}


def _run_start(step: Step, run: int) -> datetime:
    """Compute the start of a job's run, by its number."""
    return _BEGIN + run * _EACH + timedelta(seconds=50 * step.position)


def _run_id(step: Step, run: int) -> str:
    """Derive the id of a job's run, by its number."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{step.job} {run}"))


def _parent_id(step: Step, run: int) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{step.pipeline} {run}"))
