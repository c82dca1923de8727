"""Fields in facets, folded by the rules of names: a dataset's rules decide how its fields are spelled.

Datasets in the facets have the graph's names already. The forms of measures and assertions are not checked; facets in
the form of the specification are folded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias, TypeVar

from headwater.events.event import Facets, is_deleted
from headwater.events.field_folds import FieldFold
from headwater.events.mentions import join_forms
from headwater.events.naming import NamingRules, change_datasets
from headwater.events.operation_names import fold_operations
from headwater_model.ids import DatasetId
from headwater_model.named_datasets import dataset_in
from headwater_model.operations import parse_operations, render_operations

_Form: TypeAlias = Mapping[str, Any]
# A facet's fields fold by a dataset's fold, or by the rules for all its datasets.
_By = TypeVar("_By", FieldFold, NamingRules)


def fold_run(facets: Facets, rules: NamingRules) -> Facets:
    """Fold the fields in the facets of a run."""
    if not rules.folds_fields:
        return facets
    return _changed(fold_job(facets, rules), {"headwater_operations": _operations}, rules)


def fold_job(facets: Facets, rules: NamingRules) -> Facets:
    """Fold the fields in the facets of a job."""
    if not rules.folds_fields:
        return facets
    return _changed(_with_sources(facets, rules), {"lineage": _entries}, rules)


def fold_dataset(facets: Facets, rules: NamingRules, dataset: DatasetId) -> Facets:
    """Fold the fields in the facets of a dataset."""
    if not rules.folds_fields:
        return facets
    facets, fold = _with_sources(facets, rules), rules.fold(dataset)
    return _changed(facets, {**_OF_DATASETS, **_OF_USES}, fold) if fold else facets


def fold_use(facets: Facets, rules: NamingRules, dataset: DatasetId) -> Facets:
    """Fold the fields in the facets of a dataset's use (`inputFacets`, `outputFacets`)."""
    fold = rules.fold(dataset)
    return _changed(facets, _OF_USES, fold) if fold else facets


def _with_sources(facets: Facets, rules: NamingRules) -> Facets:
    """Fold the field of each object with a dataset's name, such as an entry of `inputFields`."""
    return change_datasets(facets, lambda form: _with_text(form, "field", rules.fold(dataset_in(form))))


def _changed(facets: Facets, changes: Mapping[str, Callable[[_Form, _By], _Form]], by: _By) -> Facets:
    there = {name for name in changes.keys() & facets.keys() if not is_deleted(facets[name])}
    return {**facets, **{name: changes[name](facets[name], by) for name in there}}


def _entries(facet: _Form, rules: NamingRules) -> _Form:
    """Fold the columns of each dataset among the entries of a `lineage` facet."""

    def of_entry(entry: _Form) -> _Form:
        fold = rules.fold(dataset_in(entry)) if entry.get("type") == "DATASET" else None
        return _columns(entry, fold) if fold else entry

    return {**facet, "entries": list(map(of_entry, facet["entries"]))} if facet.get("entries") else facet


def _operations(facet: _Form, rules: NamingRules) -> _Form:
    forms = facet.get("operations")
    if not forms:
        return facet
    operations = parse_operations(forms)
    folded = fold_operations(operations, rules.fold)
    return facet if folded == operations else {**facet, "operations": render_operations(folded)}


def _columns(facet: _Form, fold: FieldFold) -> _Form:
    return _with_keys(facet, "fields", fold)


def _schema(holder: _Form, fold: FieldFold) -> _Form:
    """Fold the names in a schema, of nested fields too; fields with equal folds are joined, in the first's place."""
    fields = holder.get("fields")
    if not fields:
        return holder
    named = (_with_text(_schema(field, fold), "name", fold) for field in fields)
    return {**holder, "fields": list(_joined((field["name"], field) for field in named).values())}


def _each(name: str, text: str) -> Callable[[_Form, FieldFold], _Form]:
    """Make a function to fold a text of each object in a list of a facet."""

    def change(facet: _Form, fold: FieldFold) -> _Form:
        items = facet.get(name)
        return {**facet, name: [_with_text(item, text, fold) for item in items]} if isinstance(items, list) else facet

    return change


def _with_text(form: Any, name: str, fold: FieldFold | None) -> Any:
    text = form.get(name) if isinstance(form, Mapping) else None
    return {**form, name: fold.dotted(text)} if fold and isinstance(text, str) and text else form


def _with_keys(holder: _Form, name: str, fold: FieldFold) -> _Form:
    """Fold the keys of an object in a facet; the values of keys with equal folds are joined."""
    columns = holder.get(name)
    if not isinstance(columns, Mapping):
        return holder
    return {**holder, name: _joined((fold.dotted(key), column) for key, column in columns.items())}


def _joined(named: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, list[Any]] = {}
    for name, value in named:
        values.setdefault(name, []).append(value)
    return {name: join_forms(same) for name, same in values.items()}


_OF_DATASETS: Mapping[str, Callable[[_Form, FieldFold], _Form]] = {
    "schema": _schema,
    "columnLineage": _columns,
    "lineage": _columns,
    "tags": _each("tags", "field"),
}
_OF_USES: Mapping[str, Callable[[_Form, FieldFold], _Form]] = {
    "dataQualityMetrics": lambda facet, fold: _with_keys(facet, "columnMetrics", fold),
    **{name: _each("assertions", "column") for name in ("dataQualityAssertions", "greatExpectations_assertions")},
}
