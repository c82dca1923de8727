"""Runs of the pipeline's jobs, told as OpenLineage events: what each read and wrote, and with which columns."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timezone
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import error_message_run, parent_run, schema_dataset
from openlineage.client.uuid import generate_new_uuid

if TYPE_CHECKING:
    from openlineage.client.facet_v2 import RunFacet
    from pyspark.sql import DataFrame

    from spark_client import LineageClient

NAMESPACE = "emissions"
_PRODUCER = "urn:headwater:examples:emissions"
_S3 = ("s3", "s3a", "s3n")

# Locations (paths or URLs of files and folders), and a frame of what lies there.
Frames: TypeAlias = Mapping[str, "DataFrame"]
_NOTHING: Frames = MappingProxyType({})


@dataclass(frozen=True)
class JobRun:
    """One run of a job; the steps of a pipeline are runs whose parent is the pipeline's."""

    name: str
    parent: JobRun | None = None
    id: str = field(default_factory=lambda: str(generate_new_uuid()))


@contextmanager
def job_run(
    lineage: LineageClient,
    name: str,
    *,
    parent: JobRun | None = None,
    reads: Frames = _NOTHING,
    writes: Frames = _NOTHING,
) -> Iterator[JobRun]:
    """Tell that a job runs, and at the end of the block that it completed, or failed if the block raises."""
    run = JobRun(name, parent)
    lineage.emit(event_of(run, RunState.START, reads, writes))
    try:
        yield run
    except BaseException as error:
        lineage.emit(event_of(run, RunState.FAIL, reads, writes, error))
        raise
    lineage.emit(event_of(run, RunState.COMPLETE, reads, writes))


def event_of(
    run: JobRun, state: RunState, reads: Frames, writes: Frames, error: BaseException | None = None
) -> RunEvent:
    """The event that a run came to a state now."""
    facets: dict[str, RunFacet] = {}
    if run.parent:
        parent = parent_run.Job(NAMESPACE, run.parent.name)
        facets["parent"] = parent_run.ParentRunFacet(parent_run.Run(run.parent.id), parent)
    if error is not None:
        facets["errorMessage"] = error_message_run.ErrorMessageRunFacet(f"{type(error).__name__}: {error}", "PYTHON")
    return RunEvent(
        eventType=state,
        eventTime=datetime.now(timezone.utc).isoformat(),
        producer=_PRODUCER,
        run=Run(run.id, facets),
        job=Job(NAMESPACE, run.name),
        inputs=[InputDataset(*dataset_of(at), facets={"schema": schema_of(frame)}) for at, frame in reads.items()],
        outputs=[OutputDataset(*dataset_of(at), facets={"schema": schema_of(frame)}) for at, frame in writes.items()],
    )


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
