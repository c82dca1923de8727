"""Facets that tell of columns, as the columns they tell: OpenLineage's `columnLineage` and `lineage`.

Facets that were read at the door are JSON of the right shape; what a rule of theirs leaves out is left out here too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from lineage_model.columns import Columns, Source, Sources, Transformation, unite
from lineage_model.field_paths import parse_dotted
from lineage_model.ids import DatasetId, FieldPath

_Form: TypeAlias = Mapping[str, Any]


def columns_of_facet(facet: _Form) -> Columns:
    """What a `columnLineage` facet of any version (1-0-0 to 1-2-0) tells of its dataset."""
    fields = {}
    for name, column in (facet.get("fields") or {}).items():
        told = _old_transformations(column)
        fields[parse_dotted(name)] = _sources(column.get("inputFields") or (), told)
    return Columns(fields, _sources(facet.get("dataset") or ()))


def _old_transformations(column: _Form) -> frozenset[Transformation]:
    """What versions before 1-1-0 say of all sources of a column at once."""
    kind, description = column.get("transformationType"), column.get("transformationDescription")
    if kind == "MASKED":
        return frozenset({Transformation("DIRECT", "TRANSFORMATION", description, masking=True)})
    if kind:
        masking = False if kind == "IDENTITY" else None
        return frozenset({Transformation("DIRECT", kind, description, masking)})
    return frozenset({Transformation("DIRECT", None, description)}) if description else frozenset()


def columns_of_entries(facet: _Form) -> dict[DatasetId, Columns]:
    """What a job's `lineage` facet tells of each dataset that it has an entry of."""
    found: dict[DatasetId, list[Columns]] = {}
    for entry in facet.get("entries") or ():
        if entry.get("type") == "DATASET":
            found.setdefault(_dataset(entry), []).append(columns_of_entry(entry))
    return {dataset: unite(every) for dataset, every in found.items()}


def columns_of_entry(entry: _Form) -> Columns:
    """What a dataset's `lineage` facet, or an entry of a job's, tells of its dataset."""
    fields: dict[FieldPath, Sources] = {
        parse_dotted(name): _sources(_datasets(column)) for name, column in (entry.get("fields") or {}).items()
    }
    return Columns(fields, _sources(_datasets(entry)))


def _datasets(holder: _Form) -> Sequence[_Form]:
    """The inputs that are datasets: a job that something comes from has no columns."""
    return [one for one in holder.get("inputs") or () if one.get("type") == "DATASET"]


def _sources(inputs: Iterable[_Form], otherwise: frozenset[Transformation] = frozenset()) -> Sources:
    sources: dict[Source, frozenset[Transformation]] = {}
    for one in inputs:
        field = one.get("field")
        source = Source(_dataset(one), None if field is None else parse_dotted(field))
        told = frozenset(_transformation(form) for form in one.get("transformations") or ()) or otherwise
        sources[source] = sources.get(source, frozenset()) | told
    return sources


def _dataset(form: _Form) -> DatasetId:
    return DatasetId(form["namespace"], form["name"])


def _transformation(form: _Form) -> Transformation:
    return Transformation(form["type"], form.get("subtype"), form.get("description"), form.get("masking"))
