"""Naming rules for datasets, applied to events and to the datasets in their facets.

Facets were checked by `headwater_model.events`, so they have the right shape.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias

from headwater.events.canonical import tidy_name
from headwater.events.event import Facets, is_deleted
from headwater.events.field_folds import FieldFold
from headwater.events.name_rules import Folds, NameRule, RuleIndex, folds_of, index_of
from headwater.settings import PARTITION_TRIMMING, TEMPORARY_PATTERNS
from headwater_model.ids import DatasetId, FieldPath
from headwater_model.partitions import is_path, plain_name, trim_partitions

# Searched in `<namespace>/<name>`.
DEFAULT_TEMPORARY = (
    r"^inmemory://",  # OpenLineage's name for data that is never stored
    r"/_temporary(/|$)",  # Hadoop's output committers
    r"/\.spark-staging-",
    r"/\.hive-staging",
    r"[/.]pg_temp_\d+\.",  # PostgreSQL's temporary schemas
    r"__dbt_(tmp|backup)(\d*)$",
    r"^bigquery/[^.]+\._[0-9a-f]{40}\.anon",  # BigQuery's storage of temporary results
)


@dataclass(frozen=True, slots=True)
class NamingRules:
    """A deployment's naming rules: `trim_partitions=False` keeps partitions, `temporary=()` marks no name.

    `temporary` are regular expressions, searched in `<namespace>/<name>` as sent. `names` rename datasets
    (`name_rules`), before partitions are trimmed.

    Raises:
        ValueError: a pattern is no regular expression.
    """

    trim_partitions: bool = True
    temporary: tuple[str, ...] = field(default=DEFAULT_TEMPORARY)
    names: tuple[NameRule, ...] = ()
    _index: RuleIndex = field(init=False, repr=False, compare=False)
    _folds: Folds = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_index", index_of(self.names))
        object.__setattr__(self, "_folds", folds_of(self.names))
        for pattern in self.temporary:
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"temporary: must be regular expressions, got {pattern!r} ({error})") from error

    def dataset(self, namespace: str, name: str) -> DatasetId:
        """Name the dataset in the graph, by its name as sent.

        Partitions and dates are trimmed where the name is a path (`partitions.is_path`). AWS Glue's
        `table/<database>/<table>` is no path, whatever its tables are called.

        >>> NamingRules().dataset("s3://flights", "checked/day=2013-01-01").name
        'checked'
        >>> NamingRules().dataset("s3://flights", "2013-01-01/daily_2013-01-01").name
        'daily'
        >>> NamingRules().dataset("postgres://db:5432", "flights.checked.2013-01-01").name
        'flights.checked.2013-01-01'
        >>> NamingRules().dataset("arn:aws:glue:eu-west-1:111122223333", "table/flights/201301").name
        'table/flights/201301'
        """
        if self.names:
            namespace, name = self._index.rename(namespace, name)
        if self.trim_partitions:
            name = plain_name(namespace, name)
            name = trim_partitions(name) if is_path(namespace, name) else name
        return DatasetId(namespace, name)

    def loaded(self, typed: DatasetId) -> DatasetId:
        """Name a dataset like a dataset in an event, by its name as a caller types it."""
        return self.dataset(tidy_name(typed.namespace), tidy_name(typed.name))

    def loaded_path(self, typed: DatasetId, path: FieldPath) -> FieldPath:
        """Fold the path of a field like a field in an event, by the name of its dataset as a caller types it."""
        fold = self.fold(self.loaded(typed))
        return fold.path(path) if fold else path

    @property
    def folds_fields(self) -> bool:
        """True if a rule has `fields`."""
        return bool(self._folds.rules)

    def fold(self, dataset: DatasetId) -> FieldFold | None:
        """Find the fold of a dataset's fields, by its name in the graph; None if they stay as sent."""
        return self._folds.find(dataset.namespace, dataset.name)

    def field(self, dataset: DatasetId, field: str) -> str:
        """Fold a field (a path with dots) of a dataset, by the dataset's name in the graph."""
        fold = self.fold(dataset)
        return fold.dotted(field) if fold else field

    def is_temporary(self, namespace: str, name: str) -> bool:
        """True if the name fits a pattern of temporary storage, used by its own job alone.

        >>> NamingRules().is_temporary("s3://flights", "checked/_temporary/0/part-0")
        True
        """
        return bool(self.temporary) and _any_of(self.temporary).search(f"{namespace}/{name}") is not None


# The rules of senders: names stay as they were sent, until an event or a change is loaded.
AS_SENT = NamingRules(trim_partitions=False, temporary=())


def parse_rules(variables: Mapping[str, str]) -> NamingRules:
    """Parse the rules in a function's environment variables; without them the defaults.

    >>> parse_rules({"PARTITION_TRIMMING": "false", "TEMPORARY_PATTERNS": "[]"})
    NamingRules(trim_partitions=False, temporary=(), names=())
    """
    patterns = variables.get(TEMPORARY_PATTERNS)
    return NamingRules(
        trim_partitions=variables.get(PARTITION_TRIMMING, "true") == "true",
        temporary=DEFAULT_TEMPORARY if patterns is None else tuple(json.loads(patterns)),
    )


@lru_cache(8)
def _any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))


_Form: TypeAlias = Mapping[str, Any]
# Renames the dataset of an object with `namespace` and `name`.
_Rename: TypeAlias = Callable[[_Form], _Form]


def rename_datasets(facets: Facets, rules: NamingRules) -> Facets:
    """Rename the datasets in facets by the rules."""
    known: dict[DatasetId, DatasetId] = {}

    def rename(form: _Form) -> _Form:
        name = DatasetId(form["namespace"], form["name"])
        if name not in known:
            known[name] = rules.dataset(name.namespace, name.name)
        return form if known[name] == name else {**form, "namespace": known[name].namespace, "name": known[name].name}

    return change_datasets(facets, rename)


def find_datasets(facets: Facets) -> set[DatasetId]:
    """List the datasets in facets, by the names in them."""
    datasets: set[DatasetId] = set()

    def note(form: _Form) -> _Form:
        datasets.add(DatasetId(form["namespace"], form["name"]))
        return form

    change_datasets(facets, note)
    return datasets


def change_datasets(facets: Facets, rename: Callable[[_Form], _Form]) -> Facets:
    """Change each object with a dataset's name in facets, such as an entry of `symlinks`."""
    return {**facets, **{name: of(facets[name], rename) for name, of in _FACETS.items() if name in facets}}


def _previous(facet: _Form, rename: _Rename) -> _Form:
    previous = facet.get("previousIdentifier")
    return {**facet, "previousIdentifier": rename(previous)} if previous else facet


def _column_lineage(facet: _Form, rename: _Rename) -> _Form:
    if is_deleted(facet):
        return facet
    facet = _with_each(facet, "dataset", rename)
    return _with_columns(facet, lambda column: _with_each(column, "inputFields", rename))


def _lineage(facet: _Form, rename: _Rename) -> _Form:
    """Rename the datasets in a `lineage` facet: a job's facet has entries, a dataset's facet is an entry itself."""
    if is_deleted(facet):
        return facet
    if facet.get("entries"):
        return {**facet, "entries": [_entry(_entity(entry, rename), rename) for entry in facet["entries"]]}
    return _entry(facet, rename)


def _entry(entry: _Form, rename: _Rename) -> _Form:
    def of_inputs(holder: _Form) -> _Form:
        return _with_each(holder, "inputs", lambda form: _entity(form, rename))

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
    return {**holder, name: [change(form) for form in forms]} if forms else holder


def _with_columns(holder: _Form, change: _Rename) -> _Form:
    columns: Mapping[str, _Form] | None = holder.get("fields")
    return {**holder, "fields": {name: change(column) for name, column in columns.items()}} if columns else holder


# The facets with names of datasets.
_FACETS: Mapping[str, Callable[[_Form, _Rename], _Form]] = {
    "symlinks": lambda facet, rename: _with_each(facet, "identifiers", rename),
    "lifecycleStateChange": _previous,
    "columnLineage": _column_lineage,
    "lineage": _lineage,
    "headwater_operations": _operations,
}
