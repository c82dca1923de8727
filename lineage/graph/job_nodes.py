"""The nodes of jobs, now or at an earlier time, computed from the facts of the jobs and of their runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, TypeAlias

from lineage.graph.entities import Job, Run
from lineage.graph.facet_refs import is_explicit, reported_columns
from lineage.graph.facts import (
    IdText,
    JobFacts,
    RunFacts,
    dataset_of,
    facets_of,
    job_of,
    last_deleted,
    parent_of,
    text_of,
)
from lineage.graph.index_scan import RunWithFacts, first_found, last_started, last_with_columns, last_with_io
from lineage.graph.run_facts import (
    effective_time,
    ended,
    io_at,
    others,
    owner,
    state,
    text_in,
    time_in,
    version_at,
    version_created,
)
from lineage.graph.table import GraphTable
from lineage.openlineage.event import ParentRun
from lineage.times import LATEST
from lineage_model.ids import DatasetId, JobId, RunKey

_TYPES = {"STREAMING": "STREAM", "SERVICE": "SERVICE"}


def summarize_run(run: RunKey, facts: RunFacts) -> Run:
    """The run without its facets and versions; its job version only if it told of datasets."""
    job = owner(facts)
    if job is None:
        raise ValueError(f"run {run} has no job")
    started, time = facts.first, effective_time(facts)
    nominal = facets_of(facts.run_facets).get("nominalTime", {})
    firsts = filter(None, (started, facts.named_first))
    return Run(
        id=run.id,
        job=job,
        state=state(facts),
        created=min(firsts),
        updated=facts.last or facts.named_last or "",
        started=started,
        ended=ended(facts),
        nominal_start=time_in(nominal, "nominalStartTime"),
        nominal_end=time_in(nominal, "nominalEndTime"),
        parent=parent_of(facts.parents),
        job_version=version_at(facts, time) if time else None,
        other_jobs=others(facts),
    )


def job_node(
    job: JobId,
    facts: JobFacts,
    known: tuple[RunKey, RunFacts] | None,
    latest: tuple[RunKey, RunFacts] | None,
    tellers: Mapping[IdText, tuple[RunKey, RunFacts]],
) -> dict[str, Any]:
    """The job as JSON: `known` is its last run that told of datasets, `latest` the one that started last.

    `tellers` are, by output, the last runs that told of its columns.
    """
    facets = facets_of(facts.facets)
    kind = facets.get("jobType", {})
    inputs, outputs = io_at(known[1], LATEST) if known else ([], [])
    return {
        "job": text_of(job),
        "first": facts.first,
        "last": facts.last,
        "deleted": last_deleted(facts),
        "type": _TYPES.get(str(kind.get("processingType")).upper(), "BATCH"),
        "labels": [label for name in ("jobType", "integration") if (label := text_in(kind, name))],
        "location": text_in(facets.get("sourceCodeLocation", {}), "url"),
        "description": text_in(facets.get("documentation", {}), "description"),
        "parent": _parent_json(parent_of(facts.parents)),
        "inputs": [text_of(one) for one in inputs],
        "outputs": [text_of(one) for one in outputs],
        "latest": _run_json(summarize_run(*latest)) if latest else None,
        "columns": {
            dataset: _columns_json(dataset, *(tellers.get(dataset) or known))
            for dataset in map(text_of, outputs)
            if known
        },
    }


def _columns_json(dataset: IdText, run: RunKey, facts: RunFacts) -> dict[str, Any]:
    """Who told of an output's columns last, and how; without tellings: nobody did, this is who wrote it last."""
    told = reported_columns(facts, dataset)
    made = version_created(facts, dataset_of(dataset)) is not None
    return {
        "run": run.id,
        "versioned": made,
        "declared": facts.declared is not None,
        "refs": list(told.refs) if told else [],
        "sources": list(told.sources) if told else [],
        "explicit": is_explicit(facts),
    }


def job_of_node(node: Mapping[str, Any], namespace_deleted: str = "") -> Job:
    """The job of a node; names of datasets are as they were written."""
    latest = node["latest"]
    return Job(
        id=job_of(node["job"]),
        type=node["type"],
        created=node["first"] or "",
        updated=node["last"] or "",
        inputs=tuple(map(dataset_of, node["inputs"])),
        outputs=tuple(map(dataset_of, node["outputs"])),
        location=node["location"],
        description=node["description"],
        parent=_parent_of(node["parent"]),
        latest_run=_run_of(latest) if latest else None,
        labels=tuple(node["labels"]),
        hidden=max(node["deleted"], namespace_deleted) > (node["last"] or ""),
    )


def io_of(node: Mapping[str, Any]) -> tuple[set[DatasetId], set[DatasetId]]:
    """The node's inputs and outputs, as they were written."""
    return set(map(dataset_of, node["inputs"])), set(map(dataset_of, node["outputs"]))


def sources_of(node: Mapping[str, Any]) -> set[DatasetId]:
    """The datasets that the columns of the node's outputs are told to come from."""
    return {dataset_of(text) for told in node["columns"].values() for text in told["sources"]}


def _parent_json(parent: ParentRun | None) -> dict[str, str] | None:
    return None if parent is None else {"run": parent.run, "job": text_of(parent.job)}


def _parent_of(form: Mapping[str, str] | None) -> ParentRun | None:
    return None if form is None else ParentRun(form["run"], job_of(form["job"]))


def _run_json(run: Run) -> dict[str, Any]:
    form = {name: value for name, value in asdict(run).items() if isinstance(value, str)}
    return {
        **form,
        "job": text_of(run.job),
        "parent": _parent_json(run.parent),
        "other_jobs": [text_of(job) for job in run.other_jobs],
    }


def _run_of(form: Mapping[str, Any]) -> Run:
    return Run(
        **{
            **form,
            "job": job_of(form["job"]),
            "parent": _parent_of(form["parent"]),
            "other_jobs": tuple(map(job_of, form["other_jobs"])),
        }
    )


_Pair: TypeAlias = tuple[JobId, IdText]


def compute_nodes(
    jobs: Mapping[JobId, JobFacts], table: GraphTable, at: str | None = None
) -> dict[JobId, dict[str, Any]]:
    """The node of each job, from what is known of it (or was, at that time) and of its runs."""
    high = at or "~"
    scans = [scan for job in jobs for scan in (last_with_io(job, high), last_started(job, high))]
    runs = first_found(scans, table, at=at)
    knowns = dict(zip(jobs, runs[::2], strict=True))
    tellers = _reporters(jobs, knowns, table, at)
    return {
        job: job_node(job, facts, knowns[job], latest, tellers[job])
        for (job, facts), latest in zip(jobs.items(), runs[1::2], strict=True)
    }


def _reporters(
    jobs: Mapping[JobId, JobFacts], knowns: Mapping[JobId, RunWithFacts | None], table: GraphTable, at: str | None
) -> dict[JobId, dict[IdText, RunWithFacts]]:
    """By output of each job, its last run that told of the output's columns.

    That is the last that told of datasets, if it told of columns too, unless another told of columns alone.
    """
    found: dict[JobId, dict[IdText, RunWithFacts]] = {job: {} for job in jobs}
    open_: list[_Pair] = []
    for job, known in knowns.items():
        for output in known[1].outputs if known and jobs[job].first_columns else ():
            if known and reported_columns(known[1], output) and not jobs[job].first_foreign_columns:
                found[job][output] = known
            else:
                open_.append((job, output))
    scans = [last_with_columns(job, output, at or "~") for job, output in open_]
    newest = first_found(scans, table, at=at)
    for (job, output), reporter in zip(open_, newest, strict=True):
        if reporter is not None:
            found[job][output] = reporter
    return found
