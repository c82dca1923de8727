"""Lineage in OpenLineage's facets `columnLineage` and `lineage`: of columns, and of further jobs by a job's entries.

Facets were checked at ingest, so they have the right shape; entries of unknown types are ignored.
`headwater_model.named_datasets` finds the datasets in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from headwater.events.event import Facets
from headwater_model.columns import ColumnLineage, ColumnSource, Sources, Transformation, merge_columns
from headwater_model.field_paths import parse_dotted
from headwater_model.ids import DatasetId, FieldPath, JobId
from headwater_model.named_datasets import dataset_in, inputs_of_entry, job_of_entity, own_entries

_Form: TypeAlias = Mapping[str, Any]


def columns_of_facet(facet: _Form) -> ColumnLineage:
    """Parse a `columnLineage` facet of any version (1-0-0 to 1-2-0)."""
    fields = {}
    for name, column in (facet.get("fields") or {}).items():
        transformations = _old_transformations(column)
        fields[parse_dotted(name)] = _sources(column.get("inputFields") or (), transformations)
    return ColumnLineage(fields, _sources(facet.get("dataset") or ()))


def _old_transformations(column: _Form) -> frozenset[Transformation]:
    """Parse the transformation of all sources of a column, from versions before 1-1-0."""
    kind, description = column.get("transformationType"), column.get("transformationDescription")
    if kind == "MASKED":
        return frozenset({Transformation("DIRECT", "TRANSFORMATION", description, masking=True)})
    if kind:
        masking = False if kind == "IDENTITY" else None
        return frozenset({Transformation("DIRECT", kind, description, masking)})
    return frozenset({Transformation("DIRECT", None, description)}) if description else frozenset()


def columns_of_entries(facet: _Form) -> dict[DatasetId, ColumnLineage]:
    """Parse a job's `lineage` facet: the column lineage of each dataset among its entries."""
    by_dataset: dict[DatasetId, list[ColumnLineage]] = {}
    for entry in facet.get("entries") or ():
        if entry.get("type") == "DATASET":
            by_dataset.setdefault(dataset_in(entry), []).append(columns_of_entry(entry))
    return {dataset: merge_columns(reports) for dataset, reports in by_dataset.items()}


def columns_of_entry(entry: _Form) -> ColumnLineage:
    """Parse the column lineage of a dataset's `lineage` facet, or of an entry of a job's facet."""
    fields: dict[FieldPath, Sources] = {
        parse_dotted(name): _sources(_datasets(column)) for name, column in (entry.get("fields") or {}).items()
    }
    return ColumnLineage(fields, _sources(_datasets(entry)))


def _datasets(holder: _Form) -> Sequence[_Form]:
    """List the datasets among the inputs: a job has no columns."""
    return [source for source in holder.get("inputs") or () if source.get("type") == "DATASET"]


def _sources(inputs: Iterable[_Form], otherwise: frozenset[Transformation] = frozenset()) -> Sources:
    sources: dict[ColumnSource, frozenset[Transformation]] = {}
    for entry in inputs:
        field = entry.get("field")
        source = ColumnSource(dataset_in(entry), None if field is None else parse_dotted(field))
        transformations = frozenset(
            Transformation(form["type"], form.get("subtype"), form.get("description"), form.get("masking"))
            for form in entry.get("transformations") or ()
        )
        sources[source] = sources.get(source, frozenset()) | (transformations or otherwise)
    return sources


def jobs_in_lineage(job: JobId, facets: Facets) -> set[JobId]:
    """List the jobs that the job takes data from, by the entries of its `lineage` facet."""
    named = {job_of_entity(source, job) for entry in own_entries(job, facets) for source in inputs_of_entry(entry)}
    return {other for other in named if other is not None and other != job}
