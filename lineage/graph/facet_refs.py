"""Facets that tell of columns, kept once by content: facts hold a reference to them (a telling).

The same columns are told by run after run. So the facet lies under its telling (`keys`), with the columns that it tells
of each dataset beside it, and the facts of a run are small whatever it told. A reference is
`{"kept": <telling>, "into": {<dataset>: [<dataset that it depends on>, ...]}, "read": [<dataset>, ...]}`, the last
being what operations read, whether or not anything was made of it. A telling's first letter is its kind.

What a run tells of a dataset are all its operation sets that write it (`O`), column by column over all its `lineage`
facets (`L`), or, if it sent none of these, over its last `columnLineage` facet (`C`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import orjson

from lineage.graph.facts import IdText, RunFacts, text_of
from lineage.graph.keys import facet_key
from lineage.graph.lattice import History, latest
from lineage.graph.table import GraphTable, Row
from lineage.openlineage.column_facets import columns_of_entries, columns_of_entry, columns_of_facet
from lineage.openlineage.event import Facets
from lineage_model.columns import ColumnLineage, columns_to_json
from lineage_model.ids import DatasetId
from lineage_model.operation_set import OperationSet
from lineage_model.operations import parse_operations, render_operations

COLUMN_LINEAGE = "columnLineage"
LINEAGE = "lineage"
OPERATIONS = "headwater_operations"
RECORDS = "headwater_records"

OF_RUNS = (OPERATIONS,)
OF_JOBS = (LINEAGE,)
# The first that a DatasetEvent has is what it declares.
OF_DATASETS = (LINEAGE, COLUMN_LINEAGE)

ColumnsByDataset: TypeAlias = Mapping[DatasetId, ColumnLineage]
OPERATIONS_KIND = "op:"
_REF = "ref"


@dataclass(frozen=True, slots=True)
class FacetRef:
    """A facet kept by content: what facts hold of it, and the rows that it lies in."""

    reference: Mapping[str, Any]
    rows: tuple[Row, ...]
    told: ColumnsByDataset

    @property
    def id(self) -> str:
        """Its name."""
        return str(self.reference[_REF])


def _of_columns(facet: Mapping[str, Any], dataset: DatasetId | None) -> FacetRef:
    return _make_ref("col:", facet, {dataset: columns_of_facet(facet)} if dataset else {})


def _of_lineage(facet: Mapping[str, Any], dataset: DatasetId | None) -> FacetRef:
    return _make_ref("lin:", facet, {dataset: columns_of_entry(facet)} if dataset else columns_of_entries(facet))


def _of_operations(facet: Mapping[str, Any], _: DatasetId | None) -> FacetRef:
    """Equal sets are one, whatever the order of the operations and whoever sent them (S1's checksum)."""
    operations = OperationSet(parse_operations(facet.get("operations")))
    canonical = {"operations": render_operations(operations.operations)}
    return _rows(OPERATIONS_KIND + operations.checksum, canonical, operations.columns(), operations.sources)


_KINDS: Mapping[str, Callable[[Mapping[str, Any], DatasetId | None], FacetRef]] = {
    COLUMN_LINEAGE: _of_columns,
    LINEAGE: _of_lineage,
    OPERATIONS: _of_operations,
}


def _make_ref(kind: str, facet: Mapping[str, Any], told: ColumnsByDataset) -> FacetRef:
    content = orjson.dumps([sorted(map(text_of, told)), facet], option=orjson.OPT_SORT_KEYS)
    return _rows(kind + hashlib.sha256(content).hexdigest(), dict(facet), told)


def _rows(telling: str, facet: Mapping[str, Any], told: ColumnsByDataset, read: Iterable[DatasetId] = ()) -> FacetRef:
    into = {text_of(one): sorted(map(text_of, columns.datasets)) for one, columns in told.items()}
    rows = [Row(*facet_key(telling), facet)]
    rows += [Row(*facet_key(telling, one), columns_to_json(columns)) for one, columns in told.items()]
    return FacetRef({_REF: telling, "outputs": into, "reads": sorted(map(text_of, read))}, tuple(rows), told)


def refs_in(facets: Facets, names: Iterable[str], dataset: DatasetId | None = None) -> Iterator[tuple[str, FacetRef]]:
    """The tellings among the facets of a run, a job, or a dataset that have these names."""
    for name in names:
        facet = facets.get(name)
        if facet is not None and facet.get("_deleted") is not True:
            yield name, _KINDS[name](facet, dataset)


def ref_of(facet: Mapping[str, Any]) -> str | None:
    """The telling that facts hold this in place of; None for a facet that is held as it was sent."""
    telling = facet.get(_REF)
    return telling if facet.keys() == {_REF, "outputs", "reads"} and isinstance(telling, str) else None


def is_reference(facet: Mapping[str, Any]) -> bool:
    """Whether facts hold this in place of a facet that is kept by content."""
    return ref_of(facet) is not None


@dataclass(frozen=True, slots=True)
class ReportedColumns:
    """By which tellings a run told of a dataset, and which datasets it depends on by them."""

    refs: tuple[str, ...]
    sources: tuple[IdText, ...]


def reported_columns(facts: RunFacts, dataset: IdText) -> ReportedColumns | None:
    """What the run told of a dataset (under this name); None if nothing."""
    facets = facts.written_facets.get(dataset, {})
    explicit = [*_references(facts.job_facets.get(LINEAGE, {})), *_references(facets.get(LINEAGE, {}))]
    base = explicit or _last(facets.get(COLUMN_LINEAGE, {}))
    operations = _references(facts.run_facets.get(OPERATIONS, {}))
    tellings = {one[_REF]: one["outputs"][dataset] for one in (*operations, *base) if dataset in one["outputs"]}
    if not tellings:
        return None
    return ReportedColumns(
        tuple(sorted(tellings)), tuple(sorted({source for some in tellings.values() for source in some}))
    )


def datasets_with_columns(facts: RunFacts) -> set[IdText]:
    """Every dataset that the run told of."""
    histories = [facts.job_facets.get(LINEAGE, {}), facts.run_facets.get(OPERATIONS, {})]
    named = {dataset for history in histories for one in _references(history) for dataset in one["outputs"]}
    return {dataset for dataset in named | facts.written_facets.keys() if reported_columns(facts, dataset)}


def datasets_ever_with_columns(facts: RunFacts) -> set[IdText]:
    """Every dataset that the run tells of, or did as of an earlier time: it may have taken that back since."""
    histories = [facts.job_facets.get(LINEAGE, {}), facts.run_facets.get(OPERATIONS, {})]
    histories += [facets.get(name, {}) for facets in facts.written_facets.values() for name in OF_DATASETS]
    return {dataset for history in histories for one in _references(history) for dataset in one["outputs"]}


def ever_sources(facts: RunFacts) -> set[IdText]:
    """Return every dataset that the run reports columns to come from, or did as of an earlier time."""
    histories = [facts.job_facets.get(LINEAGE, {}), facts.run_facets.get(OPERATIONS, {})]
    histories += [facets.get(name, {}) for facets in facts.written_facets.values() for name in OF_DATASETS]
    every = (one["outputs"].values() for history in histories for one in _references(history))
    return {source for some in every for sources in some for source in sources}


def read_by(facts: RunFacts) -> dict[IdText, list[str]]:
    """By dataset that the run's operations read, the tellings that hold these."""
    found: dict[IdText, list[str]] = {}
    for one in sorted(_references(facts.run_facets.get(OPERATIONS, {})), key=lambda one: str(one[_REF])):
        for dataset in one["reads"]:
            found.setdefault(dataset, []).append(one[_REF])
    return found


def is_explicit(facts: RunFacts) -> bool:
    """Whether the run sent a `lineage` facet: what that does not say is then not so."""
    return bool(_references(facts.job_facets.get(LINEAGE, {})))


def _references(history: History) -> list[Mapping[str, Any]]:
    return [body for _, _, body in history.values() if is_reference(body)]


def _last(history: History) -> list[Mapping[str, Any]]:
    """The content that was said last, unless that was that the facet is deleted."""
    said = latest(history)
    return [said[1]] if said and is_reference(said[1]) else []


def roots_of(facts: RunFacts) -> list[str]:
    """The record roots that the run reported."""
    bodies = [body for _, _, body in facts.run_facets.get(RECORDS, {}).values()]
    told: Iterable[Any] = (root for body in bodies for root in body.get("rootIds") or ())
    return sorted({root for root in told if isinstance(root, str)})


def restored(every: Sequence[Facets], table: GraphTable) -> list[Facets]:
    """The facets as they were sent; one round of requests, if any has to be looked up."""
    wanted = {telling: facet_key(telling) for facets in every for telling in map(ref_of, facets.values()) if telling}
    rows = table.get(wanted.values()) if wanted else {}
    sent = {telling: rows[key].data for telling, key in wanted.items() if key in rows}
    return [{name: sent.get(ref_of(facet) or "", facet) for name, facet in facets.items()} for facets in every]


def without_references(facets: Facets) -> Facets:
    """The facets but for those that are kept by content: graphs do not look them up."""
    return {name: facet for name, facet in facets.items() if ref_of(facet) is None}
