"""OpenLineage's `columnLineage` facet (1-2-0) of a write's columns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypeAlias

from headwater_model.columns import ColumnLineage, Sources, Transformation, in_order
from headwater_model.field_paths import print_dotted
from spark_client.capturing.events.facets import Facet, openlineage_facet
from spark_client.capturing.events.size_budget import BudgetExceeded, SizeBudget

_Json: TypeAlias = dict[str, Any]
_INDIRECT = "INDIRECT"
# JSON around the names and transformations of a source, and around the name of a column.
_SOURCE_BYTES = len('{"namespace": "", "name": "", "field": "", "transformations": }, ')
_COLUMN_BYTES = len('"": {"inputFields": []}, ')


def column_facet(
    columns: ColumnLineage,
    budget: SizeBudget,
    *,
    descriptions: bool = True,
    indirect: bool = True,
    unmasked: bool = True,
    size_max_bytes: int | None = None,
) -> Facet | None:
    """Render the columns, sorted, each with its sorted sources; None without columns. Equal sources share their JSON.

        {"fields": {"total": {"inputFields": [{"namespace": "s3://lake", "name": "trips", "field": "fare"}]}}}

    Without `indirect`, filters and joins are left out of the columns, not out of the dataset's own sources. A column
    without direct sources is left out, too: empty, it would seem a constant. Without `unmasked`, `"masking": false` is
    left out. With `size_max_bytes` the facet has the first columns within the limit.

    Raises:
        BudgetExceeded: the facet is larger than the budget; raised before the facet is built.
    """
    if not (columns.fields or columns.dataset_level):
        return None
    # A limit has a budget of its own, charged at the end.
    own = budget if size_max_bytes is None else SizeBudget(size_max_bytes)
    whole: list[_Json] = []
    fields: _Json = {}
    try:
        of_rows = _Rendering(own, descriptions=descriptions, indirect=True, unmasked=unmasked)
        whole = of_rows.sources(columns.dataset_level)
        render = _Rendering(own, descriptions=descriptions, indirect=indirect, unmasked=unmasked)
        for name, inputs in _rendered(columns, render, own):
            fields[name] = {"inputFields": inputs}
    except BudgetExceeded:
        if size_max_bytes is None:
            raise
    if size_max_bytes is not None:
        budget.spend(size_max_bytes - max(0, own.left))
    return openlineage_facet("ColumnLineageDatasetFacet", "1-2-0", fields=fields, dataset=whole or None)


def _rendered(columns: ColumnLineage, render: _Rendering, budget: SizeBudget) -> Iterator[tuple[str, list[_Json]]]:
    named = {print_dotted(path): sources for path, sources in columns.fields.items()}
    for name, sources in sorted(named.items(), key=lambda pair: pair[0]):
        inputs = render.sources(sources)
        if inputs or not sources:
            budget.spend(len(name) + _COLUMN_BYTES)
            yield name, inputs


class _Rendering:
    """Rendering of sources as JSON, each mapping once; known by `id`, so the mappings must outlive it."""

    def __init__(self, budget: SizeBudget, *, descriptions: bool, indirect: bool, unmasked: bool) -> None:
        self._unmasked = unmasked
        self._budget = budget
        self._descriptions = descriptions
        self._indirect = indirect
        self._rendered: dict[int, tuple[list[_Json], int]] = {}
        self._rendered_transformations: dict[frozenset[Transformation], tuple[list[_Json], int]] = {}

    def sources(self, sources: Sources) -> list[_Json]:
        """Render the columns among the sources."""
        known = self._rendered.get(id(sources))
        if known is not None:
            self._budget.spend(known[1])
            return known[0]
        forms, size = [], 0
        for form, size_bytes in self._render(sources):
            self._budget.spend(size_bytes)
            forms.append(form)
            size += size_bytes
        self._rendered[id(sources)] = forms, size
        return forms

    def _render(self, sources: Sources) -> Iterator[tuple[_Json, int]]:
        for source in sorted(sources, key=lambda source: source.order):
            transformations, size_bytes = self._transformations(sources[source])
            if source.field is not None and (transformations or not sources[source]):
                namespace, name, field = source.dataset.namespace, source.dataset.name, print_dotted(source.field)
                form: _Json = {"namespace": namespace, "name": name, "field": field}
                more = {"transformations": transformations} if transformations else {}
                yield form | more, _SOURCE_BYTES + len(namespace) + len(name) + len(field) + size_bytes

    def _transformations(self, transformations: frozenset[Transformation]) -> tuple[list[_Json], int]:
        """Render the transformations without the cut parts, with their size; most columns share few sets."""
        if transformations not in self._rendered_transformations:
            kept = {
                transformation
                for transformation in transformations
                if self._indirect or transformation.type != _INDIRECT
            }
            if not self._descriptions:
                kept = {replace(transformation, description=None) for transformation in kept}
            forms = [_transformation(transformation, unmasked=self._unmasked) for transformation in in_order(kept)]
            self._rendered_transformations[transformations] = forms, len(json.dumps(forms))
        return self._rendered_transformations[transformations]


def _transformation(transformation: Transformation, *, unmasked: bool) -> _Json:
    values = {
        "type": transformation.type,
        "subtype": transformation.subtype,
        "description": transformation.description,
        "masking": None if not (unmasked or transformation.masking) else transformation.masking,
    }
    return {name: value for name, value in values.items() if value is not None}
