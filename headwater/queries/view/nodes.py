"""The stored nodes of jobs as jobs, and the outcomes of tests as of a time.

The facts have the last outcome of each test. Where it is later than the time, rows of earlier events are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from headwater.events.event import ParentRun
from headwater.facts.annotations import annotations_from_json
from headwater.facts.assertions import OUTCOMES, Assertions, count_assertions, rows_query, stamp_of
from headwater.facts.facts import JobFacts, as_of, dataset_of, job_of
from headwater.facts.job_nodes import compute_nodes, flows_in
from headwater.facts.keys import current_key, dataset_pk, facts_key, job_pk
from headwater.facts.run_facts import Run
from headwater.facts.table import GraphReader, Key, Row
from headwater.queries.results.entities import Job
from headwater.queries.view.names import ResolvedDataset
from headwater.queries.view.rows import GraphRows
from headwater_model.ids import DatasetId, JobId

Thing = TypeVar("Thing", DatasetId, JobId)
# Events of a name: more are not read for its past.
ROWS_MAX = 100


def assertions_then(
    outcomes: Mapping[Thing, Assertions], pks: Mapping[Thing, Sequence[str]], reader: GraphReader, at: str | None
) -> tuple[dict[Thing, Assertions], bool]:
    """Find the outcomes as of a time, without unknown outcomes; and true if rows beyond `ROWS_MAX` may know more."""
    unknown = {thing: {key for key, (_, rank) in known.items() if rank is None} for thing, known in outcomes.items()}
    queries = {pk: rows_query(pk, ROWS_MAX, at) for thing, keys in unknown.items() if keys for pk in pks[thing]}
    pages = dict(zip(queries, reader.query(list(queries.values())), strict=True)) if queries else {}
    then, cut = dict(outcomes), False
    for thing, keys in unknown.items():
        if keys:
            earlier = _last_in(row for pk in pks[thing] for row in pages[pk].rows)
            known = {key: value for key, value in outcomes[thing].items() if key not in keys}
            then[thing] = {**known, **{key: earlier[key] for key in keys & earlier.keys()}}
            cut |= not keys <= earlier.keys() and any(pages[pk].more for pk in pks[thing])
    return then, cut


def _last_in(rows: Iterable[Row]) -> dict[str, Sequence[Any]]:
    last: dict[str, tuple[str, int]] = {}
    for row in rows:
        for result in row.data["results"]:
            value = stamp_of(row), OUTCOMES.index(result["outcome"])
            last[result["key"]] = max(last.get(result["key"], value), value)
    return {key: list(value) for key, value in last.items()}


def resolve_assertions(groups: Sequence[ResolvedDataset], rows: GraphRows) -> bool:
    """Give the groups the outcomes as of the view's time; return true if outcomes may be missing."""
    outcomes = {group.primary: group.facts.assertions for group in groups}
    then, cut = assertions_then(outcomes, {group.primary: pks_of(group) for group in groups}, rows, rows.at)
    for group in groups:
        if then[group.primary] is not outcomes[group.primary]:
            group.facts = replace(group.facts, assertions=then[group.primary])
    return cut


def resolve_jobs(
    jobs: Mapping[JobId, JobFacts], reader: GraphReader, at: str | None
) -> tuple[dict[JobId, JobFacts], bool]:
    """Give facts of jobs the outcomes as of a time; return true, too, if outcomes may be missing."""
    then, cut = assertions_then(
        {job: facts.assertions for job, facts in jobs.items()}, {job: [job_pk(job)] for job in jobs}, reader, at
    )
    return {job: replace(facts, assertions=then[job]) for job, facts in jobs.items()}, cut


def pks_of(group: ResolvedDataset) -> list[str]:
    """List the partitions of a dataset under all its names."""
    return [dataset_pk(name) for name in group.names]


def nodes_of(jobs: Sequence[JobId], rows: GraphRows) -> Mapping[JobId, Mapping[str, Any]]:
    """Read the nodes of the known jobs, now or as of a time, in the given order.

    A node of a time lacks the outcome of a test after more than `ROWS_MAX` later events with the test.
    """
    if not jobs:
        return {}
    keys = {job: node_key(job, rows.at) for job in jobs}
    stored = rows.get(keys.values())
    documents = {job: stored[key].data for job, key in keys.items() if key in stored}
    if rows.at is None:
        return documents
    facts = {job: JobFacts(**document["facts"]) for job, document in documents.items()}
    there = {job: as_of(of_job, rows.at) for job, of_job in facts.items() if of_job.first and of_job.first < rows.at}
    then, _ = resolve_jobs(there, rows, rows.at)
    return compute_nodes(then, rows, rows.at)


def node_key(job: JobId, at: str | None) -> Key:
    """Return the key of a job's node; of a time, the key of the job's facts: they make the node."""
    return facts_key(job) if at else current_key(job)


def is_hidden(node: Mapping[str, Any], namespace_deleted: str) -> bool:
    """True for a job deleted after its last event, and for a job without events: it was only tagged, or deleted."""
    return node["first"] is None or max(node["deleted"], namespace_deleted) > (node["last"] or "")


def job_of_node(node: Mapping[str, Any], namespace_deleted: str = "") -> Job:
    """Make the job of a node; names of datasets are as they were written."""
    latest = node["latest"]
    return Job(
        id=job_of(node["job"]),
        type=node["type"],
        created=node["first"] or "",
        updated=node["last"] or "",
        inputs=tuple(map(dataset_of, node["inputs"])),
        outputs=tuple(map(dataset_of, node["outputs"])),
        flows=flows_in(node),
        incomplete="incomplete" in node,
        location=node["location"],
        description=node["description"],
        parent=_parent_of(node["parent"]),
        latest_run=_run_of(latest) if latest else None,
        labels=tuple(node["labels"]),
        hidden=is_hidden(node, namespace_deleted),
        annotations=annotations_from_json(node.get("annotations")),
        assertions=count_assertions(node.get("assertions", {})),
    )


def under_primaries(job: Job, primary: Callable[[DatasetId], DatasetId]) -> Job:
    """Replace the names of the job's datasets by their primary names: an input `shop.orders` by `s3://lake/orders`."""
    if all(primary(name) == name for name in (*job.inputs, *job.outputs)):
        return job
    flows = job.flows and tuple(sorted({(primary(source), primary(output)) for source, output in job.flows}))
    inputs, outputs = (tuple(sorted(set(map(primary, side)))) for side in (job.inputs, job.outputs))
    return replace(job, inputs=inputs, outputs=outputs, flows=flows)


def _parent_of(document: Mapping[str, str] | None) -> ParentRun | None:
    return None if document is None else ParentRun(document["run"], job_of(document["job"]))


def _run_of(document: Mapping[str, Any]) -> Run:
    return Run(
        **{
            **document,
            "job": job_of(document["job"]),
            "parent": _parent_of(document["parent"]),
        }
    )
