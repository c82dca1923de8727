"""The `lineage` facet of a job: which datasets an event's own job reads and writes by it.

The rules are those of OpenLineage's proposal of explicit lineage (proposals/explicit_lineage_facet), whose translation
to inputs and outputs adds the datasets of the entries to both lists. Facets were checked at ingest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from headwater.events.deleted_facets import is_deleted
from headwater.events.event import Facets
from headwater_model.ids import DatasetId, JobId

_Form: TypeAlias = Mapping[str, Any]


def datasets_in_lineage(job: JobId, facets: Facets) -> tuple[set[DatasetId], set[DatasetId]]:
    """Return the datasets that the job reads and writes by the entries of its `lineage` facet.

    An entry of another job says nothing about what this job reads.
    """
    own = _own_entries(job, facets)
    sources = {_dataset(source) for entry in own for source in _inputs(entry) if source["type"] == "DATASET"}
    return sources, {_dataset(entry) for entry in own if entry["type"] == "DATASET"}


def jobs_in_lineage(job: JobId, facets: Facets) -> set[JobId]:
    """Return the other jobs whose data the job takes by the entries of its `lineage` facet."""
    named = {job_of_entity(source, job) for entry in _own_entries(job, facets) for source in _inputs(entry)}
    return {other for other in named if other is not None and other != job}


def _own_entries(job: JobId, facets: Facets) -> list[_Form]:
    """Return the entries about what the job itself makes and takes."""
    facet = facets.get("lineage", {})
    entries: Sequence[_Form] = () if is_deleted(facet) else facet.get("entries") or ()
    return [entry for entry in entries if entry["type"] == "DATASET" or job_of_entity(entry, job) == job]


def job_of_entity(entity: _Form, own: JobId) -> JobId | None:
    """Return the job that a JOB entity names, the event's own where it names none; None for another type."""
    if entity.get("type") != "JOB":
        return None
    namespace, name = entity.get("namespace"), entity.get("name")
    return own if namespace is None or name is None else JobId(namespace, name)


def _inputs(entry: _Form) -> Iterator[_Form]:
    for holder in (entry, *(entry.get("fields") or {}).values()):
        yield from holder.get("inputs") or ()


def _dataset(form: _Form) -> DatasetId:
    return DatasetId(form["namespace"], form["name"])
