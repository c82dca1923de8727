"""OpenLineage's `columnLineage` facet (1-2-0) of a write's columns."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from lineage.fields.columns import Columns, Source, Sources, Transformation, in_order
from lineage.fields.paths import print_dotted
from spark_client.capturing.facets import Facet, openlineage_facet
from spark_client.capturing.room import Room

_Form: TypeAlias = dict[str, Any]
_INDIRECT = "INDIRECT"


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
            room.spend(len(json.dumps(name)) + 24)
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

    def sources(self, sources: Sources) -> list[_Form]:
        """The sources that are columns."""
        known = self._rendered.get(id(sources))
        if known is not None:
            self._room.spend(known[1])
            return known[0]
        forms, size = [], 0
        for form in self._forms(sources):
            bytes_ = len(json.dumps(form)) + 2
            self._room.spend(bytes_)
            forms.append(form)
            size += bytes_
        self._rendered[id(sources)] = forms, size
        return forms

    def _forms(self, sources: Sources) -> Iterator[_Form]:
        for source in sorted(sources, key=lambda source: source.order):
            told = in_order(self._kept(sources[source]))
            if source.field is not None and (told or not sources[source]):
                yield _form(source, print_dotted(source.field), told)

    def _kept(self, told: Iterable[Transformation]) -> set[Transformation]:
        kept = {one for one in told if self._indirect or one.type != _INDIRECT}
        return kept if self._descriptions else {replace(one, description=None) for one in kept}


def _form(source: Source, field: str, told: Sequence[Transformation]) -> _Form:
    form: _Form = {"namespace": source.dataset.namespace, "name": source.dataset.name, "field": field}
    return {**form, "transformations": list(map(_transformation, told))} if told else form


def _transformation(one: Transformation) -> _Form:
    told = {"type": one.type, "subtype": one.subtype, "description": one.description, "masking": one.masking}
    return {name: value for name, value in told.items() if value is not None}
