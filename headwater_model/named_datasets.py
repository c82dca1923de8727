"""Datasets in facets, as sources and targets of a job, and the bound of the datasets of an event.

Facets were checked by `headwater_model.events`, so they have the right shape. A job's `lineage` facet is read by
OpenLineage's proposal of explicit lineage (proposals/explicit_lineage_facet): the datasets of its entries become inputs
and outputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from headwater_model.errors import TooLarge
from headwater_model.ids import DatasetId, JobId

# The most datasets of an event: to load so many new datasets takes 11,300 requests.
DATASETS_MAX = 10_000

_Form: TypeAlias = Mapping[str, Any]
_Facets: TypeAlias = Mapping[str, _Form]


def is_deleted(facet: object) -> bool:
    """True if the facet withdraws itself: it is marked `_deleted` (OpenLineage 2-0-1)."""
    # `dict` is named for speed: a check for a Mapping alone takes several times as long.
    return isinstance(facet, (dict, Mapping)) and facet.get("_deleted") is True


def check_size(body: _Form) -> None:
    """Refuse an event with too many datasets, by the names as sent.

    Raises:
        TooLarge: more than `DATASETS_MAX` inputs, outputs, sources and targets.
    """
    forms = _forms_in(body)
    check_count(len({(form["namespace"], form["name"]) for form in forms}) if len(forms) > DATASETS_MAX else 0)


def check_count(named: int) -> None:
    """Raise `TooLarge` for an event with so many datasets."""
    if named > DATASETS_MAX:
        raise TooLarge(
            f"inputs, outputs, sources of columns and symlinks: an event may name {DATASETS_MAX} datasets, "
            f"got {named}; further events of the same run may name the others"
        )


def _forms_in(body: _Form) -> list[_Form]:
    """Collect the objects that name the inputs, outputs, sources and targets of a checked event of a job."""
    if not body.get("job"):
        return []
    inputs, outputs = (body.get(side) or () for side in ("inputs", "outputs"))
    job = JobId(body["job"]["namespace"], body["job"]["name"])
    job_facets, run_facets = _facets(body["job"]), _facets(body.get("run") or {})
    sources = _source_forms(job, job_facets, run_facets, map(_facets, outputs))
    return [*inputs, *outputs, *_target_forms(job, job_facets), *sources]


def _facets(holder: _Form) -> _Facets:
    return {name: facet for name, facet in (holder.get("facets") or {}).items() if facet is not None}


def dataset_in(form: _Form) -> DatasetId:
    """Read the dataset of an object: `{"namespace": "s3://lake", "name": "raw"}`."""
    return DatasetId(form["namespace"], form["name"])


def targets_in(job: JobId, facets: _Facets) -> set[DatasetId]:
    """Collect the datasets written by the job, by the entries of its `lineage` facet."""
    return set(map(dataset_in, _target_forms(job, facets)))


def _target_forms(job: JobId, facets: _Facets) -> list[_Form]:
    return [entry for entry in own_entries(job, facets) if entry["type"] == "DATASET"]


def sources_in(job: JobId, job_facets: _Facets, run_facets: _Facets, outputs: Iterable[_Facets]) -> set[DatasetId]:
    """Collect the sources in the facets of a job, of its run and of its outputs.

    They are in the job's `lineage` facet (entries of foreign jobs do not count), in the `lineage` and `columnLineage`
    facets of outputs, and in operations that read.
    """
    return set(map(dataset_in, _source_forms(job, job_facets, run_facets, outputs)))


def _source_forms(job: JobId, job_facets: _Facets, run_facets: _Facets, outputs: Iterable[_Facets]) -> list[_Form]:
    entries, named = own_entries(job, job_facets), list[_Form]()
    for facets in outputs:
        entries += _valid_facets(facets, "lineage")
        for facet in _valid_facets(facets, "columnLineage"):
            named += facet.get("dataset") or ()
            for column in (facet.get("fields") or {}).values():
                named += column.get("inputFields") or ()
    named += [source for entry in entries for source in inputs_of_entry(entry) if source["type"] == "DATASET"]
    for operations in _valid_facets(run_facets, "headwater_operations"):
        named += [form["source"] for form in operations.get("operations") or () if form.get("source")]
    return named


def _valid_facets(facets: _Facets, name: str) -> Iterator[_Form]:
    """Yield the facet of this name, if it is present and not withdrawn."""
    if name in facets and not is_deleted(facets[name]):
        yield facets[name]


def own_entries(job: JobId, facets: _Facets) -> list[_Form]:
    """List the entries of a job's `lineage` facet about the job's own inputs and outputs."""
    entries: Sequence[_Form] = [
        entry for facet in _valid_facets(facets, "lineage") for entry in facet.get("entries") or ()
    ]
    return [entry for entry in entries if entry["type"] == "DATASET" or job_of_entity(entry, job) == job]


def job_of_entity(entity: _Form, own: JobId) -> JobId | None:
    """Read the job of `{"type": "JOB", ...}`, by default the event's own; None for an entity of a different type."""
    if entity.get("type") != "JOB":
        return None
    namespace, name = entity.get("namespace"), entity.get("name")
    return own if namespace is None or name is None else JobId(namespace, name)


def inputs_of_entry(entry: _Form) -> Iterator[_Form]:
    """Yield the inputs of an entry and its columns: `{"inputs": [a], "fields": {"x": {"inputs": [b]}}}` gives a, b."""
    for holder in (entry, *(entry.get("fields") or {}).values()):
        yield from holder.get("inputs") or ()
