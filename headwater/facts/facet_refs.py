"""Facets that report columns, stored once by content; facts hold a reference to each (a facet ref).

Run after run reports the same columns. So a facet with columns has rows of its own under its ref (`keys`), beside a row
for each dataset's columns, and the facts of a run stay small. A reference is

    {"ref": "col:<hash>", "outputs": {<dataset>: [<dataset that it depends on>, ...]}, "reads": [<dataset>, ...]}

`reads` are the datasets that operations read, with or without columns derived from them. The prefix of a ref is its
kind.

The columns of a run's output come from its operation sets (`op:`), overlaid column by column on all its `lineage`
facets (`lin:`); without `lineage`, on its last `columnLineage` facet (`col:`). Among the `lineage` facets of windows
(see `run_io`), the last report of the dataset counts alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, TypeAlias, TypeGuard

import orjson

from headwater.events.event import Facet, Facets, is_deleted
from headwater.events.lineage_facets import columns_of_entries, columns_of_entry, columns_of_facet
from headwater.facts.facts import IdText, Reference, RunFacts, text_of
from headwater.facts.keys import complete_key, facet_key
from headwater.facts.lattice import History, latest
from headwater.facts.run_io import Window, windows_of
from headwater.facts.table import GraphReader, Key, Row
from headwater_model.columns import ColumnLineage, columns_to_json
from headwater_model.ids import DatasetId
from headwater_model.operation_set import OperationSet
from headwater_model.operations import parse_operations, render_operations

COLUMN_LINEAGE = "columnLineage"
LINEAGE = "lineage"
OPERATIONS = "headwater_operations"
RECORDS = "headwater_records"

OF_RUNS = (OPERATIONS,)
OF_JOBS = (LINEAGE,)
# A DatasetEvent declares the first of these facets.
OF_DATASETS = (LINEAGE, COLUMN_LINEAGE)

ColumnsByDataset: TypeAlias = Mapping[DatasetId, ColumnLineage]
OPERATIONS_KIND = "op:"
_REFERENCE = frozenset({"ref", "outputs", "reads"})
# Facets remembered by a process, by content, and their greatest size: a COMPLETE repeats the columns of its START, and
# the next run repeats them again. Dense operations took 0.4 MB each (measured): 0.1 GB if all were so.
_REMEMBERED_MAX = 256
_REMEMBERED_BYTES_MAX = 16_384


@dataclass(frozen=True, slots=True)
class FacetRef:
    """A facet stored by content: its reference in the facts, its rows, and its columns.

    `named` are its sources without a list of columns: the sender may not describe them.
    """

    reference: Reference
    rows: tuple[Row, ...]
    columns: ColumnsByDataset
    named: frozenset[DatasetId] = frozenset()

    @property
    def id(self) -> str:
        """The name of the facet ref."""
        return self.reference["ref"]

    @property
    def complete_key(self) -> Key:
        """The key of the row written last: with it, all rows are written, and all columns but the named are listed."""
        return complete_key(self.id, self.named)

    def limited(self, named: frozenset[DatasetId]) -> FacetRef:
        """Limit the ref to the rights of a sender who may only name these datasets."""
        sources = {source for columns in self.columns.values() for source in columns.datasets} if named else set()
        return replace(self, named=named & sources) if named & sources else self


def _of_columns(facet: Facet, dataset: DatasetId | None) -> FacetRef:
    return _make_ref("col:", facet, {dataset: columns_of_facet(facet)} if dataset else {})


def _of_lineage(facet: Facet, dataset: DatasetId | None) -> FacetRef:
    return _make_ref("lin:", facet, {dataset: columns_of_entry(facet)} if dataset else columns_of_entries(facet))


def _of_operations(facet: Facet, _: DatasetId | None) -> FacetRef:
    """Make the ref of an operation set: equal sets share it, whatever their order of operations and their sender."""
    operations = OperationSet(parse_operations(facet.get("operations")))
    canonical = {"operations": render_operations(operations.operations)}
    return _rows(OPERATIONS_KIND + operations.checksum, canonical, operations.columns(), operations.sources)


_KINDS: Mapping[str, Callable[[Facet, DatasetId | None], FacetRef]] = {
    COLUMN_LINEAGE: _of_columns,
    LINEAGE: _of_lineage,
    OPERATIONS: _of_operations,
}


def _make_ref(kind: str, facet: Facet, columns: ColumnsByDataset) -> FacetRef:
    content = orjson.dumps([sorted(map(text_of, columns)), facet], option=orjson.OPT_SORT_KEYS)
    return _rows(kind + hashlib.sha256(content).hexdigest(), facet, columns)


def _rows(ref: str, facet: Facet, columns: ColumnsByDataset, reads: Iterable[DatasetId] = ()) -> FacetRef:
    outputs = {text_of(dataset): sorted(map(text_of, of_dataset.datasets)) for dataset, of_dataset in columns.items()}
    rows = [Row(*facet_key(ref), facet)]
    rows += [Row(*facet_key(ref, dataset), columns_to_json(of_dataset)) for dataset, of_dataset in columns.items()]
    return FacetRef({"ref": ref, "outputs": outputs, "reads": sorted(map(text_of, reads))}, tuple(rows), columns)


def refs_in(facets: Facets, names: Iterable[str], dataset: DatasetId | None = None) -> Iterator[tuple[str, FacetRef]]:
    """Yield the refs of the facets with these names, of a run, a job or a dataset.

    >>> [name for name, _ in refs_in({"columnLineage": {"fields": {}}, "schema": {}}, ["columnLineage"])]
    ['columnLineage']
    """
    for name in names:
        facet = facets.get(name)
        if facet is not None and not is_deleted(facet):
            content = orjson.dumps(facet, option=orjson.OPT_SORT_KEYS)
            make = _remembered if len(content) <= _REMEMBERED_BYTES_MAX else _of_content
            yield name, make(name, content, dataset)


def _of_content(name: str, content: bytes, dataset: DatasetId | None) -> FacetRef:
    return _KINDS[name](orjson.loads(content), dataset)


_remembered = lru_cache(_REMEMBERED_MAX)(_of_content)


def ref_of(facet: Facet) -> str | None:
    """Read the ref in a reference, `col:<hash>`; None for a facet that facts hold as it was sent."""
    return facet["ref"] if is_reference(facet) else None


def is_reference(facet: Facet) -> TypeGuard[Reference]:
    """True for a reference to a facet stored by content."""
    return facet.keys() == _REFERENCE and isinstance(facet["ref"], str)


@dataclass(frozen=True, slots=True)
class ReportedColumns:
    """The facet refs with a run's report of a dataset's columns, and the datasets behind the columns."""

    refs: tuple[str, ...]
    sources: tuple[IdText, ...]


def reported_columns(facts: RunFacts, dataset: IdText) -> ReportedColumns | None:
    """Find the run's report of a dataset's columns (under this name), `ReportedColumns(("col:<hash>",), sources)`."""
    facets = facts.written_facets.get(dataset, {})
    explicit = [*_lineage_of(facts, dataset), *_references(facets.get(LINEAGE, {}))]
    last = latest(facets.get(COLUMN_LINEAGE, {}))
    base = explicit or ([last[1]] if last and is_reference(last[1]) else [])
    operations = _references(facts.run_facets.get(OPERATIONS, {}))
    sources_by_ref = {
        reference["ref"]: reference["outputs"][dataset]
        for reference in (*operations, *base)
        if dataset in reference["outputs"]
    }
    if not sources_by_ref:
        return None
    return ReportedColumns(
        tuple(sorted(sources_by_ref)),
        tuple(sorted({source for sources in sources_by_ref.values() for source in sources})),
    )


def reported_by_dataset(facts: RunFacts) -> dict[IdText, ReportedColumns]:
    """Find the run's reports of columns, by dataset, in the order of names."""
    histories = [facts.job_facets.get(LINEAGE, {}), facts.run_facets.get(OPERATIONS, {})]
    named = {dataset for history in histories for reference in _references(history) for dataset in reference["outputs"]}
    reports = ((dataset, reported_columns(facts, dataset)) for dataset in sorted(named | facts.written_facets.keys()))
    return {dataset: columns for dataset, columns in reports if columns}


def datasets_ever_with_columns(facts: RunFacts) -> set[IdText]:
    """List the datasets with columns reported by the run (`{"outputs": {"a": ["b"]}}`), now or earlier."""
    return {dataset for reference in _ever_reported(facts) for dataset in reference["outputs"]}


def ever_sources(facts: RunFacts) -> set[IdText]:
    """List the sources of all columns ever reported by the run, such as `b` of `{"outputs": {"a": ["b"]}}`."""
    groups = (reference["outputs"].values() for reference in _ever_reported(facts))
    return {source for group in groups for sources in group for source in sources}


def _ever_reported(facts: RunFacts) -> Iterator[Reference]:
    histories = [facts.job_facets.get(LINEAGE, {}), facts.run_facets.get(OPERATIONS, {})]
    histories += [facets.get(name, {}) for facets in facts.written_facets.values() for name in OF_DATASETS]
    return (reference for history in histories for reference in _references(history))


def read_by(facts: RunFacts) -> dict[IdText, list[str]]:
    """List the refs of the operations that read each dataset."""
    refs: dict[IdText, list[str]] = {}
    for reference in sorted(_references(facts.run_facets.get(OPERATIONS, {})), key=lambda body: body["ref"]):
        for dataset in reference["reads"]:
            refs.setdefault(dataset, []).append(reference["ref"])
    return refs


def is_explicit(facts: RunFacts) -> bool:
    """True if the run sent a `lineage` facet: then columns without a report have no sources."""
    return bool(_references(facts.job_facets.get(LINEAGE, {})))


def _lineage_of(facts: RunFacts, dataset: IdText) -> list[Reference]:
    """List the references to the job's `lineage` facets that count for a dataset."""
    if not facts.windows:
        return _references(facts.job_facets.get(LINEAGE, {}))
    references = (reference for _, of_window in _lineage_by_window(facts) for reference in of_window)
    return [reference for reference in references if dataset in reference["outputs"]][-1:]


def _lineage_by_window(facts: RunFacts) -> Iterator[tuple[Window, list[Reference]]]:
    """Yield each window with its `lineage` facet, `(Window(...), [reference])`, or without: `(Window(...), [])`."""
    references = {reference["ref"]: [reference] for reference in _references(facts.job_facets.get(LINEAGE, {}))}
    return ((window, references.get(window.lineage or "", [])) for window in windows_of(facts))


def flows_of(facts: RunFacts) -> dict[IdText, set[IdText]] | None:
    """Find the inputs of each output: by the job's `lineage` facets, or by windows; None without both.

    An output of a window is made of inputs of the window.
    """
    references = _references(facts.job_facets.get(LINEAGE, {}))
    if not facts.windows:
        return _flows_in(references, facts.inputs, facts.outputs) if references else None
    flows: dict[IdText, set[IdText]] = {}
    for window, lineage in _lineage_by_window(facts):
        of_window = _flows_in(lineage, window.inputs, window.outputs)
        for output in window.outputs:
            flows.setdefault(output, set()).update(of_window[output] if lineage else window.inputs)
    # An output mentioned before the windows may be made of all inputs.
    return {output: flows.get(output, set(facts.inputs)) for output in facts.outputs}


def unreported_sources(facts: RunFacts, names: Iterable[IdText]) -> Iterable[IdText]:
    """List the inputs behind a dataset without reported columns: all, or the inputs of the dataset's windows.

    After a `lineage` facet there are none: columns outside it have no sources.
    """
    if is_explicit(facts):
        return ()
    flows = flows_of(facts)
    return facts.inputs if flows is None else {source for name in names for source in flows.get(name, ())}


def last_flows(facts: RunFacts) -> dict[IdText, set[IdText]] | None:
    """Find the inputs of each output as `flows_of`; of a run with windows, by the `lineage` facet of the last."""
    if not facts.windows:
        return flows_of(facts)
    *_, (window, lineage) = _lineage_by_window(facts)
    return _flows_in(lineage, window.inputs, window.outputs) if lineage else None


def _flows_in(
    references: Iterable[Reference], inputs: Iterable[IdText], outputs: Iterable[IdText]
) -> dict[IdText, set[IdText]]:
    """Find the flows in references to `lineage` facets.

    An output without an entry is made of no input: the job itself produces it (precedence rule 2 of OpenLineage's
    proposal of explicit lineage).
    """
    read = set(inputs)
    flows: dict[IdText, set[IdText]] = {output: set() for output in outputs}
    for reference in references:
        for output in reference["outputs"].keys() & flows.keys():
            flows[output].update(read & set(reference["outputs"][output]))
    return flows


def _references(history: History) -> list[Reference]:
    return [body for _, _, body in history.values() if is_reference(body)]


def roots_of(facts: RunFacts) -> list[str]:
    """List the record roots in the run's `headwater_records` facets."""
    bodies = [body for _, _, body in facts.run_facets.get(RECORDS, {}).values()]
    roots: Iterable[Any] = (root for body in bodies for root in body.get("rootIds") or ())
    return sorted({root for root in roots if isinstance(root, str)})


def restored(many: Sequence[Facets], table: GraphReader) -> list[Facets]:
    """Look up facets stored by content, `FACET#col:<hash>`, as sent; a round of requests, if any is a reference."""
    keys = {ref: facet_key(ref) for facets in many for ref in map(ref_of, facets.values()) if ref}
    rows = table.get(keys.values()) if keys else {}
    sent = {ref: rows[key].data for ref, key in keys.items() if key in rows}
    return [{name: sent.get(ref_of(facet) or "", facet) for name, facet in facets.items()} for facets in many]


def without_references(facets: Facets) -> Facets:
    """Drop the facets stored by content, `{"ref": "col:<hash>", ...}`: graphs do not look them up."""
    return {name: facet for name, facet in facets.items() if ref_of(facet) is None}
