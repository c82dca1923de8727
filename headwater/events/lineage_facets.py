"""Lineage of OpenLineage's facets `columnLineage` and `lineage`: of columns, and of a job's datasets by its entries.

Facets were checked at ingest, so they have the right shape; entries that the models ignore are ignored here too. The
rules of a job's `lineage` facet are those of OpenLineage's proposal of explicit lineage
(proposals/explicit_lineage_facet): its translation adds the datasets of the entries to the inputs and outputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from headwater.events.event import Event, Facets, is_deleted
from headwater_model.columns import ColumnLineage, ColumnSource, Sources, Transformation, merge_columns
from headwater_model.field_paths import parse_dotted
from headwater_model.ids import DatasetId, FieldPath, JobId

_Form: TypeAlias = Mapping[str, Any]


def columns_of_facet(facet: _Form) -> ColumnLineage:
    """Return the column lineage of a `columnLineage` facet of any version (1-0-0 to 1-2-0)."""
    fields = {}
    for name, column in (facet.get("fields") or {}).items():
        transformations = _old_transformations(column)
        fields[parse_dotted(name)] = _sources(column.get("inputFields") or (), transformations)
    return ColumnLineage(fields, _sources(facet.get("dataset") or ()))


def _old_transformations(column: _Form) -> frozenset[Transformation]:
    """Return the transformation of all sources of a column, as versions before 1-1-0 describe it."""
    kind, description = column.get("transformationType"), column.get("transformationDescription")
    if kind == "MASKED":
        return frozenset({Transformation("DIRECT", "TRANSFORMATION", description, masking=True)})
    if kind:
        masking = False if kind == "IDENTITY" else None
        return frozenset({Transformation("DIRECT", kind, description, masking)})
    return frozenset({Transformation("DIRECT", None, description)}) if description else frozenset()


def columns_of_entries(facet: _Form) -> dict[DatasetId, ColumnLineage]:
    """Return the column lineage of each dataset that a job's `lineage` facet has an entry of."""
    by_dataset: dict[DatasetId, list[ColumnLineage]] = {}
    for entry in facet.get("entries") or ():
        if entry.get("type") == "DATASET":
            by_dataset.setdefault(_dataset(entry), []).append(columns_of_entry(entry))
    return {dataset: merge_columns(reports) for dataset, reports in by_dataset.items()}


def columns_of_entry(entry: _Form) -> ColumnLineage:
    """Return the column lineage of a dataset's `lineage` facet, or of an entry of a job's facet."""
    fields: dict[FieldPath, Sources] = {
        parse_dotted(name): _sources(_datasets(column)) for name, column in (entry.get("fields") or {}).items()
    }
    return ColumnLineage(fields, _sources(_datasets(entry)))


def _datasets(holder: _Form) -> Sequence[_Form]:
    """Return the inputs that are datasets: a job among the inputs has no columns."""
    return [source for source in holder.get("inputs") or () if source.get("type") == "DATASET"]


def _sources(inputs: Iterable[_Form], otherwise: frozenset[Transformation] = frozenset()) -> Sources:
    sources: dict[ColumnSource, frozenset[Transformation]] = {}
    for entry in inputs:
        field = entry.get("field")
        source = ColumnSource(_dataset(entry), None if field is None else parse_dotted(field))
        transformations = frozenset(
            Transformation(form["type"], form.get("subtype"), form.get("description"), form.get("masking"))
            for form in entry.get("transformations") or ()
        )
        sources[source] = sources.get(source, frozenset()) | (transformations or otherwise)
    return sources


def _dataset(form: _Form) -> DatasetId:
    return DatasetId(form["namespace"], form["name"])


def targets_in_lineage(job: JobId, facets: Facets) -> set[DatasetId]:
    """Return the datasets that the job writes by the entries of its `lineage` facet."""
    return {_dataset(entry) for entry in _own_entries(job, facets) if entry["type"] == "DATASET"}


def sources_in(event: Event) -> set[DatasetId]:
    """Return the datasets that an event of a job names as sources, among its inputs or not.

    These are in the job's `lineage` facet, where an entry of another job says nothing about what this job reads; in the
    `lineage` and `columnLineage` facets of outputs; and in operations that read.
    """
    entries = _own_entries(event.job, event.job_facets) if event.job else []
    entries += [facet for use in event.outputs if not is_deleted(facet := use.facets.get("lineage", {}))]
    named = [source for entry in entries for source in _inputs(entry) if source["type"] == "DATASET"]
    for use in event.outputs:
        facet = use.facets.get("columnLineage", {})
        if not is_deleted(facet):
            named += facet.get("dataset") or ()
            for column in (facet.get("fields") or {}).values():
                named += column.get("inputFields") or ()
    operations = event.run_facets.get("headwater_operations", {})
    if not is_deleted(operations):
        named += [form["source"] for form in operations.get("operations") or () if form.get("source")]
    return set(map(_dataset, named))


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
