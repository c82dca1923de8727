"""The datasets that facets name: called as those of events are, for the graph knows no other names.

The facets have been read (`wire`), so that they have the right shape where they say anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from lineage.names import DatasetId
from lineage.runs.door.column_forms import is_deleted
from lineage.runs.door.rules import NameRules
from lineage.runs.event import Facets

_Form: TypeAlias = Mapping[str, Any]
# Gives an object that names a dataset by `namespace` and `name` its name in the graph.
_Rename: TypeAlias = Callable[[_Form], _Form]


def rename_datasets(facets: Facets, rules: NameRules) -> Facets:
    """The facets, with the datasets that they name called as the rules have it."""
    known: dict[tuple[str, str], str] = {}

    def rename(form: _Form) -> _Form:
        name = form["namespace"], form["name"]
        if name not in known:
            known[name] = rules.dataset(*name).name
        return form if known[name] == name[1] else {**form, "name": known[name]}

    return _renamed(facets, rename)


def find_datasets(facets: Facets) -> set[DatasetId]:
    """The datasets that the facets name, as they were sent."""
    found: set[DatasetId] = set()

    def note(form: _Form) -> _Form:
        found.add(DatasetId(form["namespace"], form["name"]))
        return form

    _renamed(facets, note)
    return found


def _renamed(facets: Facets, rename: _Rename) -> Facets:
    return {**facets, **{name: of(facets[name], rename) for name, of in _FACETS.items() if name in facets}}


def _symlinks(facet: _Form, rename: _Rename) -> _Form:
    return _with_each(facet, "identifiers", rename)


def _previous(facet: _Form, rename: _Rename) -> _Form:
    previous = facet.get("previousIdentifier")
    return {**facet, "previousIdentifier": rename(previous)} if previous else facet


def _column_lineage(facet: _Form, rename: _Rename) -> _Form:
    if is_deleted(facet):
        return facet
    facet = _with_each(facet, "dataset", rename)
    return _with_columns(facet, lambda column: _with_each(column, "inputFields", rename))


def _lineage(facet: _Form, rename: _Rename) -> _Form:
    """A job's facet has entries, a dataset's is like one."""
    if is_deleted(facet):
        return facet
    if facet.get("entries"):
        return {**facet, "entries": [_entry(_entity(one, rename), rename) for one in facet["entries"]]}
    return _entry(facet, rename)


def _entry(entry: _Form, rename: _Rename) -> _Form:
    def of_inputs(holder: _Form) -> _Form:
        return _with_each(holder, "inputs", lambda one: _entity(one, rename))

    return _with_columns(of_inputs(entry), of_inputs)


def _entity(form: _Form, rename: _Rename) -> _Form:
    return rename(form) if form.get("type") == "DATASET" else form


def _operations(facet: _Form, rename: _Rename) -> _Form:
    def of_operation(operation: _Form) -> _Form:
        endpoints = {side: rename(operation[side]) for side in ("source", "destination") if operation.get(side)}
        return {**operation, **endpoints}

    return facet if is_deleted(facet) else _with_each(facet, "operations", of_operation)


def _with_each(holder: _Form, name: str, change: _Rename) -> _Form:
    forms: Iterable[_Form] | None = holder.get(name)
    return {**holder, name: [change(one) for one in forms]} if forms else holder


def _with_columns(holder: _Form, change: _Rename) -> _Form:
    columns: Mapping[str, _Form] | None = holder.get("fields")
    return {**holder, "fields": {name: change(column) for name, column in columns.items()}} if columns else holder


# The facets that name datasets.
_FACETS: Mapping[str, Callable[[_Form, _Rename], _Form]] = {
    "symlinks": _symlinks,
    "lifecycleStateChange": _previous,
    "columnLineage": _column_lineage,
    "lineage": _lineage,
    "headwater_operations": _operations,
}
