"""OpenLineage's `columnLineage` facet (1-2-0) of a write's columns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypeAlias

from lineage_model.columns import Columns, Sources, Transformation, in_order
from lineage_model.field_paths import print_dotted
from spark_client.capturing.events.facets import Facet, openlineage_facet
from spark_client.capturing.events.size_budget import Room

_Form: TypeAlias = dict[str, Any]
_INDIRECT = "INDIRECT"
# What surrounds the names and transformations of a source, and the name of a column, in JSON.
_SOURCE_BYTES = len('{"namespace": "", "name": "", "field": "", "transformations": }, ')
_COLUMN_BYTES = len('"": {"inputFields": []}, ')


def column_facet(columns: Columns, room: Room, *, descriptions: bool = True, indirect: bool = True) -> Facet | None:
    """The facet of these columns; None if nothing is told of any. Columns that share their sources share their JSON.

    Columns and sources are sorted. Without `indirect` a column keeps its direct sources, one that has none is left out
    (it would look as if it were made of nothing); what the dataset as a whole depends on stays.

    Raises:
        NoRoom: it is larger than the room, found before it is built.
    """
    if not (columns.fields or columns.whole):
        return None
    render = _Rendering(room, descriptions=descriptions, indirect=indirect)
    fields = {}
    named = {print_dotted(path): sources for path, sources in columns.fields.items()}
    for name, sources in sorted(named.items(), key=lambda pair: pair[0]):
        inputs = render.sources(sources)
        if inputs or not sources:
            room.spend(len(name) + _COLUMN_BYTES)
            fields[name] = {"inputFields": inputs}
    whole = _Rendering(room, descriptions=descriptions, indirect=True).sources(columns.whole)
    return openlineage_facet("ColumnLineageDatasetFacet", "1-2-0", fields=fields, dataset=whole or None)


class _Rendering:
    """Sources as JSON, each mapping once; the mappings must outlive this."""

    def __init__(self, room: Room, *, descriptions: bool, indirect: bool) -> None:
        self._room = room
        self._descriptions = descriptions
        self._indirect = indirect
        self._rendered: dict[int, tuple[list[_Form], int]] = {}
        self._told: dict[frozenset[Transformation], tuple[list[_Form], int]] = {}

    def sources(self, sources: Sources) -> list[_Form]:
        """The sources that are columns."""
        known = self._rendered.get(id(sources))
        if known is not None:
            self._room.spend(known[1])
            return known[0]
        forms, size = [], 0
        for form, size_bytes in self._forms(sources):
            self._room.spend(size_bytes)
            forms.append(form)
            size += size_bytes
        self._rendered[id(sources)] = forms, size
        return forms

    def _forms(self, sources: Sources) -> Iterator[tuple[_Form, int]]:
        for source in sorted(sources, key=lambda source: source.order):
            told, size_bytes = self._transformations(sources[source])
            if source.field is not None and (told or not sources[source]):
                namespace, name, field = source.dataset.namespace, source.dataset.name, print_dotted(source.field)
                form: _Form = {"namespace": namespace, "name": name, "field": field}
                more = {"transformations": told} if told else {}
                yield form | more, _SOURCE_BYTES + len(namespace) + len(name) + len(field) + size_bytes

    def _transformations(self, told: frozenset[Transformation]) -> tuple[list[_Form], int]:
        """Those that are not cut, and how large they are: most columns are made in one of a few ways."""
        if told not in self._told:
            kept = {one for one in told if self._indirect or one.type != _INDIRECT}
            if not self._descriptions:
                kept = {replace(one, description=None) for one in kept}
            forms = [_transformation(one) for one in in_order(kept)]
            self._told[told] = forms, len(json.dumps(forms))
        return self._told[told]


def _transformation(one: Transformation) -> _Form:
    told = {"type": one.type, "subtype": one.subtype, "description": one.description, "masking": one.masking}
    return {name: value for name, value in told.items() if value is not None}
