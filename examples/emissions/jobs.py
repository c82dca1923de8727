"""Runs of the pipeline's jobs, told as OpenLineage events: what each read and wrote, and with which columns."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import TYPE_CHECKING, TypeAlias

import attr
from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import RunFacet, column_lineage_dataset, error_message_run, parent_run, schema_dataset
from openlineage.client.uuid import generate_new_uuid

if TYPE_CHECKING:
    from openlineage.client.facet_v2 import DatasetFacet
    from pyspark.sql import DataFrame

    from spark_client import LineageClient

NAMESPACE = "emissions"
_PRODUCER = "urn:headwater:examples:emissions"
_S3 = ("s3", "s3a", "s3n")

# Locations (paths or URLs of files and folders), and a frame of what lies there.
Frames: TypeAlias = Mapping[str, "DataFrame"]


@dataclass(frozen=True)
class JobRun:
    """One run of a job; the steps of a pipeline are runs whose parent is the pipeline's."""

    name: str
    parent: JobRun | None = None
    id: str = field(default_factory=lambda: str(generate_new_uuid()))


@dataclass(frozen=True)
class Work:
    """What a run works on: frames of what it reads and writes, what its columns are made of, the roots of its records.

    `columns` tells of places in `writes`; what is not in it is told otherwise, or unknown.
    """

    reads: Frames = field(default_factory=dict)
    writes: Frames = field(default_factory=dict)
    columns: Mapping[str, column_lineage_dataset.ColumnLineageDatasetFacet] = field(default_factory=dict)
    roots: Sequence[str] = ()


@attr.define
class RecordRoots(RunFacet):
    """Headwater's facet `headwater_records`: where the records that the run sent begin."""

    rootIds: list[str]  # noqa: N815 - the name in the event

    @staticmethod
    def _get_schema() -> str:
        return "urn:headwater:facets:1-0-0:headwater_records.json"


_NO_WORK = Work()


@contextmanager
def job_run(lineage: LineageClient, name: str, work: Work = _NO_WORK, parent: JobRun | None = None) -> Iterator[JobRun]:
    """Tell that a job runs, and at the end of the block that it completed, or failed if the block raises."""
    run = JobRun(name, parent)
    lineage.emit(event_of(run, RunState.START, work))
    try:
        yield run
    except BaseException as error:
        lineage.emit(event_of(run, RunState.FAIL, work, error))
        raise
    lineage.emit(event_of(run, RunState.COMPLETE, work))


def event_of(run: JobRun, state: RunState, work: Work, error: BaseException | None = None) -> RunEvent:
    """The event that a run came to a state now."""
    facets: dict[str, RunFacet] = {}
    if run.parent:
        parent = parent_run.Job(NAMESPACE, run.parent.name)
        facets["parent"] = parent_run.ParentRunFacet(parent_run.Run(run.parent.id), parent)
    if work.roots:
        facets["headwater_records"] = RecordRoots(list(work.roots), producer=_PRODUCER)
    if error is not None:
        facets["errorMessage"] = error_message_run.ErrorMessageRunFacet(f"{type(error).__name__}: {error}", "PYTHON")
    return RunEvent(
        eventType=state,
        eventTime=datetime.now(timezone.utc).isoformat(),
        producer=_PRODUCER,
        run=Run(run.id, facets),
        job=Job(NAMESPACE, run.name),
        inputs=[InputDataset(*dataset_of(at), facets={"schema": schema_of(frame)}) for at, frame in work.reads.items()],
        outputs=[OutputDataset(*dataset_of(at), facets=_facets_of(at, work)) for at in work.writes],
    )


def _facets_of(location: str, work: Work) -> dict[str, DatasetFacet]:
    """The schema of what is written to a place, and what its columns are made of where the work tells it."""
    schema, columns = schema_of(work.writes[location]), work.columns.get(location)
    return {"schema": schema, "columnLineage": columns} if columns else {"schema": schema}


def dataset_of(location: str) -> tuple[str, str]:
    """Namespace and name of what lies at a path of this machine or a URL, by OpenLineage's rules.

    >>> dataset_of("/demo/checked"), dataset_of("file:///demo/checked")
    (('file', '/demo/checked'), ('file', '/demo/checked'))
    >>> dataset_of("s3a://flights/2013/checked/")
    ('s3://flights', '2013/checked')
    """
    scheme, is_url, rest = location.partition("://")
    if not is_url or scheme == "file":
        return "file", os.path.abspath(rest if is_url else location)
    authority, _, path = rest.rstrip("/").partition("/")
    if scheme in _S3:
        return f"s3://{authority}", path
    return f"{scheme}://{authority}", f"/{path}"


def schema_of(frame: DataFrame) -> schema_dataset.SchemaDatasetFacet:
    """The frame's columns, with Spark's names for their types."""
    columns = [
        schema_dataset.SchemaDatasetFacetFields(column.name, column.dataType.simpleString(), ordinal_position=number)
        for number, column in enumerate(frame.schema, start=1)
    ]
    return schema_dataset.SchemaDatasetFacet(fields=columns)
