"""The rights of an event's sender: to name a dataset is not to own it.

An event describes its job, the jobs of its parent and root, its outputs, and the dataset of a DatasetEvent: a sender
without the right to write there is refused. An event only names its inputs, sources of columns, and further jobs with
edges to its job. Outside the namespaces that the sender may write they get edges to the job alone: facets of such a
dataset stay in the raw log.

    check_rights(event, rights)                       at the API, by the rules of names, before the event is queued
    limit_event(event, applied_patterns(event, ...))  at each load and replay
    limit_document(document, ["flights*"])            the JSON of a limited event, to forward it

A receiver of forwarded events does not know the sender's rights: statements without effect here must not reach it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from headwater.events.event import DatasetUse, Event, is_deleted, objects_in
from headwater.events.lineage_facets import jobs_in_lineage
from headwater.events.naming import find_datasets
from headwater.namespaces import EVERYWHERE, Rights, covers, is_match
from headwater_model.errors import Fault, Forbidden, Invalid
from headwater_model.ids import DatasetId

# The facets with sources of columns.
_OF_SOURCES = ("columnLineage", "lineage", "headwater_operations")
# The facet of an input with the version read: a fact of the run.
OF_READING = frozenset({"version"})
_WRITE_RULE = "must be a namespace that the token may write"
_REFERENCE_RULE = f"{_WRITE_RULE} or reference"


def check_rights(event: Event, rights: Rights) -> None:
    """Refuse an event that describes, or names, jobs or datasets beyond its sender's rights.

    Raises:
        Forbidden: the message names the field and the namespace, also if nothing exists there.
    """
    if EVERYWHERE in rights.writes:
        return
    _check_writes(event, rights.writes)
    named = [*((field, dataset.namespace) for field, dataset in _named(event)), *_named_jobs(event)]
    for field, namespace in named:
        if not covers((*rights.writes, *rights.references), namespace):
            raise Forbidden(str(Fault(field, namespace, _REFERENCE_RULE)))


def _check_writes(event: Event, writes: Sequence[str]) -> None:
    for field, namespace in _described(event):
        if not covers(writes, namespace):
            raise Forbidden(str(Fault(field, namespace, _WRITE_RULE)))


def applied_patterns(event: Event, writes: Sequence[str], *, renamed: Event | None = None) -> tuple[str, ...] | None:
    """Select the patterns that fit the event's namespaces; None if they cover all of them.

    `limit_event` needs no further pattern. `renamed` is the event by the rules of names: loaders with and without the
    newest rules limit it alike.

    An event of jobs and datasets in `flights-2013` and `s3://lake` needs `flights*` of `("flights*", "trains*")`.
    """
    if EVERYWHERE in writes:
        return None
    namespaces = _namespaces(event) | (_namespaces(renamed) if renamed else set())
    if all(covers(writes, namespace) for namespace in namespaces):
        return None
    return tuple(pattern for pattern in writes if any(is_match(pattern, namespace) for namespace in namespaces))


def _namespaces(event: Event) -> set[str]:
    """List the namespaces of the jobs and datasets in an event, with datasets' other names."""
    others = (*(dataset for _, dataset in _named(event)), *chain.from_iterable(map(_other_names, event.uses)))
    return {*(namespace for _, namespace in _described(event)), *(dataset.namespace for dataset in others)}


def parse_patterns(sent: object) -> tuple[str, ...] | None:
    """Parse the patterns beside a message or in a line of the raw log; without any (None) nothing is limited.

    Raises:
        Invalid: `sent` is no list of texts.
    """
    if sent is None:
        return None
    if not isinstance(sent, list) or not all(isinstance(pattern, str) for pattern in sent):
        raise Invalid.because("writes", sent, "must be a list of texts")
    return tuple(sent)


def limit_event(event: Event, writes: Sequence[str] | None) -> Event:
    """Drop the statements without effect if the sender may write in `["flights*"]` alone (None: in all namespaces).

    The facets of an input elsewhere are dropped, except the version read.

    Raises:
        Forbidden: the event describes a job or dataset elsewhere.
    """
    if writes is None or EVERYWHERE in writes:
        return event
    _check_writes(event, writes)
    return replace(
        event,
        inputs=tuple(_limited(use, writes) for use in event.inputs),
        outputs=tuple(_limited(use, writes) for use in event.outputs),
        dataset=_limited(event.dataset, writes) if event.dataset else None,
        named=tuple(sorted({dataset for _, dataset in _named(event) if not covers(writes, dataset.namespace)})),
    )


def _limited(use: DatasetUse, writes: Sequence[str]) -> DatasetUse:
    """Drop the facets of a dataset elsewhere, or the dataset's other names elsewhere."""
    if not covers(writes, use.dataset.namespace):
        facets = {name: use.facets[name] for name in use.facets.keys() & OF_READING}
        return replace(use, facets=facets)
    if all(covers(writes, other.namespace) for other in _other_names(use)):
        return use
    links = use.facets["symlinks"]
    kept = [link for link in links["identifiers"] if covers(writes, link["namespace"])]
    return replace(use, facets={**use.facets, "symlinks": {**links, "identifiers": kept}})


def _other_names(use: DatasetUse) -> set[DatasetId]:
    return find_datasets({"symlinks": use.facets["symlinks"]}) if "symlinks" in use.facets else set()


def _described(event: Event) -> Iterator[tuple[str, str]]:
    """Yield the namespaces of the described jobs and datasets, each after its field: `("job.namespace", "flights")`."""
    runs = (("parent", event.parent), ("root", event.root))
    jobs = [("job", event.job), *((f"{name}.job", run.job) for name, run in runs if run is not None)]
    yield from ((f"{field}.namespace", job.namespace) for field, job in jobs if job is not None)
    # Datasets among the entries are outputs, even if the event does not list them there.
    for entry in objects_in(event.job_facets, "lineage", "entries"):
        if entry.get("type") == "DATASET":
            yield "facets.lineage.entries.namespace", entry["namespace"]
    field = "outputs.namespace" if event.dataset is None else "dataset.namespace"
    yield from ((field, use.dataset.namespace) for use in event.described)
    for operation in objects_in(event.run_facets, "headwater_operations", "operations"):
        if operation.get("destination"):
            yield "facets.headwater_operations.destination.namespace", operation["destination"]["namespace"]


def _named_jobs(event: Event) -> Iterator[tuple[str, str]]:
    """Yield the namespaces of further jobs with edges to the event's job, each after its field."""
    if event.job is not None:
        others = jobs_in_lineage(event.job, event.job_facets)
        yield from (("facets.lineage.entries.inputs.namespace", job.namespace) for job in sorted(others))
    for side in ("upstream", "downstream"):
        for dependency in objects_in(event.run_facets, "jobDependencies", side):
            yield f"facets.jobDependencies.{side}.job.namespace", dependency["job"]["namespace"]


def _named(event: Event) -> Iterator[tuple[str, DatasetId]]:
    """Yield the datasets in reports of columns, and the inputs, each after its field."""
    for facets in (event.run_facets, event.job_facets, *(use.facets for use in event.described)):
        for name in _OF_SOURCES:
            if name in facets:
                yield from ((f"facets.{name}", dataset) for dataset in sorted(find_datasets({name: facets[name]})))
    # Sources in facets are inputs, too: a fault in them was yielded with the facet's field before.
    yield from (("inputs.namespace", use.dataset) for use in event.inputs)


def limit_document(event: Mapping[str, Any], writes: Sequence[str] | None) -> Mapping[str, Any]:
    """Drop from an event's JSON the facets of datasets outside the sender's namespaces, `["flights*"]` (None: all)."""
    if writes is None or EVERYWHERE in writes:
        return event
    limited = dict(event)
    for side in ("inputs", "outputs"):
        if event.get(side):
            limited[side] = [_limited_json(dataset, writes) for dataset in event[side]]
    if event.get("dataset"):
        limited["dataset"] = _limited_json(event["dataset"], writes)
    return limited


def _limited_json(dataset: Mapping[str, Any], writes: Sequence[str]) -> Mapping[str, Any]:
    facets = dataset.get("facets")
    if not facets:
        return dataset
    if not covers(writes, dataset["namespace"]):
        return {**dataset, "facets": {name: facets[name] for name in facets.keys() & OF_READING}}
    links = facets.get("symlinks")
    if not links or is_deleted(links) or not links.get("identifiers"):
        return dataset
    kept = [link for link in links["identifiers"] if covers(writes, link["namespace"])]
    return {**dataset, "facets": {**facets, "symlinks": {**links, "identifiers": kept}}}
