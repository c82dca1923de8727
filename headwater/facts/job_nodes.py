"""The nodes of jobs, now or at an earlier time, computed from the facts of the jobs and of their runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from operator import ge
from typing import Any, TypeAlias

from headwater.events.event import Facet, ParentRun
from headwater.events.subsets import SUBSET, Part, part_of
from headwater.facts.annotations import annotations_of, annotations_to_json
from headwater.facts.facet_refs import is_explicit, last_flows, reported_columns
from headwater.facts.facts import (
    Histories,
    IdText,
    JobFacts,
    RunFacts,
    dataset_of,
    describing_facets,
    facet_of,
    facets_of,
    last_deleted,
    text_of,
)
from headwater.facts.index_scan import (
    Position,
    RunWithFacts,
    first_of_groups,
    io_order,
    is_streamed,
    last_explicit_without_io,
    last_started,
    last_with_columns,
    last_with_io,
    last_without_io,
    read_run_facts,
    run_order,
    start_order,
)
from headwater.facts.job_edges import are_edges_cut, edges_to_json
from headwater.facts.list_rows import LISTED_STATES
from headwater.facts.run_facts import (
    Run,
    completed_before,
    effective_time,
    is_incomplete,
    last_ended,
    parent_of,
    state,
    text_in,
    time_in,
    version_created,
)
from headwater.facts.run_io import io_at, version_at
from headwater.facts.table import GraphReader, Row
from headwater.times import EARLIEST, LATEST
from headwater_model.ids import DatasetId, JobId, RunKey

_TYPES = {"STREAMING": "STREAM", "SERVICE": "SERVICE"}
# Of a job, the last run with inputs or outputs, the last started run, and the last run with neither; each by its order.
LastRuns: TypeAlias = Sequence[RunWithFacts | None]
_ORDERS: Sequence[Callable[[RunWithFacts], Position]] = (io_order, start_order, partial(io_order, with_io=False))


def summarize_run(run: RunKey, facts: RunFacts) -> Run:
    """Summarize a run, `Run("0176a8c2-...", job, "COMPLETED")`; it has a job version only if it reported datasets."""
    job = facts.job_id
    if job is None:
        raise ValueError(f"run {run} has no job")
    started, last = facts.first, last_ended(facts)
    time = last.ended if last else effective_time(facts)
    nominal = facet_of(facts.run_facets, "nominalTime")
    # A run known only as a parent begins with its first mention.
    firsts = filter(None, (started, facts.named_first))
    return Run(
        id=run.id,
        job=job,
        state=last.state if last else state(facts),
        created=min(firsts),
        updated=facts.last or facts.named_last or "",
        started=started,
        ended=last.ended if last else None,
        attempt_started=last.started if last and last.started != started else None,
        completed_before=completed_before(facts),
        nominal_start=time_in(nominal, "nominalStartTime"),
        nominal_end=time_in(nominal, "nominalEndTime"),
        parent=parent_of(facts.parents),
        job_version=version_at(facts, time) if time else None,
        incomplete=is_incomplete(facts),
    )


def _described_by(facets: Mapping[str, Facet]) -> Mapping[str, Any]:
    job_type = facets.get("jobType", {})
    return {
        "type": _TYPES.get(str(job_type.get("processingType")).upper(), "BATCH"),
        "labels": [label for name in ("jobType", "integration") if (label := text_in(job_type, name))],
        "producer": text_in(job_type, "_producer"),
        "location": text_in(facets.get("sourceCodeLocation", {}), "url"),
        "description": text_in(facets.get("documentation", {}), "description"),
    }


def job_node(
    job: JobId,
    facts: JobFacts,
    last_runs: LastRuns,
    reporters: Mapping[IdText, tuple[RunKey, RunFacts]],
    explicit: tuple[RunKey, RunFacts] | None = None,
) -> dict[str, Any]:
    """Render the job's node; it names the last run without inputs and outputs if no run with any is later.

    `reporters` are, by output, the last runs with a report of its columns; `explicit` is the last run with a `lineage`
    facet but without inputs and outputs.
    """
    with_io, latest, without_io = last_runs
    inputs, outputs = io_at(with_io[1], LATEST) if with_io else ([], [])
    # Without datasets ever, the run that started last decides if lineage is incomplete.
    last = with_io or latest
    latest_state = state(latest[1]) if latest else None
    return {
        "job": text_of(job),
        "first": facts.first,
        "last": facts.last,
        "deleted": last_deleted(facts),
        **_described_by(facets_of(describing_facets(facts))),
        **_given(
            annotations=annotations_to_json(annotations_of(facts)),
            streamed=is_streamed(facts),
            is_parent=facts.is_parent,
            dependents=sorted(facts.dependents),
            assertions=dict(facts.assertions),
            listed=latest_state if latest_state in LISTED_STATES else None,
        ),
        "with_io": _position_json(with_io),
        "without_io": _position_json(None if _latest(with_io, without_io) is with_io else without_io),
        **_edges_json(job, latest, _latest(with_io, explicit)),
        "parent": _parent_json(parent_of(facts.parents)),
        "inputs": list(inputs),
        "outputs": list(outputs),
        **({**_flows_json(with_io[1], inputs, outputs), **_parts_json(with_io[1], inputs, outputs)} if with_io else {}),
        **_given(
            version=version_at(with_io[1], effective_time(with_io[1]) or "") if with_io else None,
            incomplete=last is not None and is_incomplete(last[1]),
        ),
        "latest": _run_json(summarize_run(*latest)) if latest else None,
        "columns": {of: _columns_json(of, *(reporters.get(of) or with_io)) for of in outputs if with_io},
    }


def _position_json(run: RunWithFacts | None) -> list[str] | None:
    return [run_order(run)[0], run[0].id] if run else None


def _latest(*runs: RunWithFacts | None) -> RunWithFacts | None:
    return max(filter(None, runs), key=run_order, default=None)


def _given(**members: Any) -> dict[str, Any]:
    """Drop the empty members."""
    return {name: value for name, value in members.items() if value}


def _edges_json(job: JobId, latest: RunWithFacts | None, reporting: RunWithFacts | None) -> dict[str, Any]:
    """Render the edges to other jobs, and their cut: of the last started run, and of the last run with datasets."""
    runs = latest[1] if latest else None, reporting[1] if reporting else None
    return _given(jobs=edges_to_json(job, *runs), jobs_cut=are_edges_cut(*runs))


def _flows_json(facts: RunFacts, inputs: Sequence[IdText], outputs: Sequence[IdText]) -> dict[str, list[list[int]]]:
    """Render `flows`: by output, the positions of its inputs; nothing for a run without a statement of flows."""
    flows = last_flows(facts)
    if flows is None:
        return {}
    positions = {text: position for position, text in enumerate(inputs)}
    return {"flows": [sorted(positions[source] for source in flows[output]) for output in outputs]}


def _parts_json(
    facts: RunFacts, inputs: Sequence[IdText], outputs: Sequence[IdText]
) -> dict[str, dict[str, Mapping[IdText, Part]]]:
    """Render `parts`: by side and dataset, the part read or written by the run; nothing where no part is known."""
    if facts.declared:
        return {}
    sides = {"inputs": (inputs, facts.input_facets), "outputs": (outputs, facts.output_facets)}
    parts = {
        side: {text: part for text in datasets if (part := _part_used(facets.get(text, {})))}
        for side, (datasets, facets) in sides.items()
    }
    return _given(parts=_given(**parts))


def _part_used(facets: Histories) -> Part | None:
    return part_of(facet_of(facets, SUBSET)) if SUBSET in facets else None


def flows_in(node: Mapping[str, Any]) -> tuple[tuple[DatasetId, DatasetId], ...] | None:
    """Pair inputs with outputs made of them, `"flows": [[0], [0, 1]]`; None if each output is made of all inputs."""
    if "flows" not in node:
        return None
    inputs = list(map(dataset_of, node["inputs"]))
    sides = zip(map(dataset_of, node["outputs"]), node["flows"], strict=True)
    return tuple(sorted((inputs[position], output) for output, positions in sides for position in positions))


def _columns_json(dataset: IdText, run: RunKey, facts: RunFacts) -> dict[str, Any]:
    """Render the last run to report an output's columns, with its refs; without such a run, the last writer."""
    reported = reported_columns(facts, dataset)
    versioned = version_created(facts, dataset_of(dataset)) is not None
    return {
        "run": run.id,
        "versioned": versioned,
        "declared": facts.declared is not None,
        "refs": list(reported.refs) if reported else [],
        "sources": list(reported.sources) if reported else [],
        "explicit": is_explicit(facts),
    }


def io_of(node: Mapping[str, Any]) -> tuple[set[DatasetId], set[DatasetId]]:
    """Parse the node's `inputs` and `outputs`, under the names as written."""
    return set(map(dataset_of, node["inputs"])), set(map(dataset_of, node["outputs"]))


def sources_of(node: Mapping[str, Any]) -> set[DatasetId]:
    """List the sources of the columns of the node's outputs: `columns: {output: {"sources": [...]}}`."""
    return {dataset_of(text) for columns in node["columns"].values() for text in columns["sources"]}


def _parent_json(parent: ParentRun | None) -> dict[str, str] | None:
    return None if parent is None else {"run": parent.run, "job": text_of(parent.job)}


def _run_json(run: Run) -> dict[str, Any]:
    document = {name: value for name, value in asdict(run).items() if isinstance(value, str)}
    job, parent = text_of(run.job), _parent_json(run.parent)
    return {**document, "job": job, "parent": parent, **_given(incomplete=run.incomplete)}


def compute_nodes(
    jobs: Mapping[JobId, JobFacts],
    table: GraphReader,
    at: str | None = None,
    *,
    last: Mapping[JobId, LastRuns] | None = None,
) -> dict[JobId, dict[str, Any]]:
    """Compute each job's node, `{"inputs": [...], ...}`, from its and its runs' facts, now or at an earlier time.

    The last runs of a job are searched, unless `last` has them.
    """
    # A scan of a job for each of its last runs; as of an earlier time, no reader needs the last run without datasets.
    # All jobs share the rounds.
    high = at or "~"
    last = last or {}
    searched = {job: facts for job, facts in jobs.items() if job not in last}
    groups = [
        group
        for job, facts in searched.items()
        for streamed in [is_streamed(facts)]
        for group in (
            last_with_io(job, high, streamed=streamed),
            [last_started(job, high)],
            last_without_io(job, streamed=streamed) if at is None else [],
        )
    ]
    runs = first_of_groups(groups, table, at=at)
    last = {**last, **dict(zip(searched, zip(runs[::3], runs[1::3], runs[2::3], strict=True), strict=True))}
    reporters = _reporters(jobs, {job: last[job][0] for job in jobs}, table, at)
    explicit = _explicit_runs(jobs, table, at)
    return {job: job_node(job, facts, last[job], reporters[job], explicit.get(job)) for job, facts in jobs.items()}


def follow_last_runs(
    nodes: Mapping[JobId, Row | None], known: Mapping[RunKey, RunFacts], table: GraphReader
) -> dict[JobId, LastRuns]:
    """Find the last runs of jobs among the last runs in their nodes and the `known` runs, whose facts are later.

    The node has each other run, or its loader writes the node afterwards. A job is left out if no run is as late as a
    last run in its node was: then any run may be the last.
    """
    noted = {job: _last_in(job, node) for job, node in nodes.items()}
    by_job = defaultdict[JobId | None, list[RunWithFacts]](list)
    for run in known.items():
        by_job[run[1].job_id].append(run)
    earlier = {
        RunKey.parse(position[1])
        for job, positions in noted.items()
        for order, position in zip(_ORDERS, positions, strict=True)
        if position > max(map(order, by_job[job]), default=())
    }
    for run in read_run_facts(earlier - known.keys(), table).items():
        by_job[run[1].job_id].append(run)
    last: dict[JobId, LastRuns] = {}
    for job, positions in noted.items():
        runs = [max(filter(order, by_job[job]), key=order, default=None) for order in _ORDERS]
        reached = [order(run) if run else () for order, run in zip(_ORDERS, runs, strict=True)]
        if all(map(ge, reached, positions)):
            last[job] = runs
    return last


def _last_in(job: JobId, node: Row | None) -> Sequence[Position]:
    """Read the positions of the last runs in a node, empty for none."""
    data = node.data if node else {}
    latest = data.get("latest")
    started = latest and (latest.get("started", EARLIEST), latest["id"])
    noted = data.get("with_io"), started, data.get("without_io")
    return [(of[0], str(RunKey.of(job, of[1]))) if of else () for of in noted]


def _explicit_runs(jobs: Mapping[JobId, JobFacts], table: GraphReader, at: str | None) -> dict[JobId, RunWithFacts]:
    """Find the last run without datasets but with a `lineage` facet, of the jobs with such facets."""
    reporters = [job for job, facts in jobs.items() if facts.first_explicit]
    groups = [last_explicit_without_io(job, at or "~", streamed=is_streamed(jobs[job])) for job in reporters]
    runs = first_of_groups(groups, table, at=at)
    return {job: run for job, run in zip(reporters, runs, strict=True) if run}


def _reporters(
    jobs: Mapping[JobId, JobFacts],
    runs_with_io: Mapping[JobId, RunWithFacts | None],
    table: GraphReader,
    at: str | None,
) -> dict[JobId, dict[IdText, RunWithFacts]]:
    """Find the last run with a report of the columns of each output, by job.

    The last run with inputs or outputs is the reporter, if it reported columns and no run reported columns alone.
    """
    reporters: dict[JobId, dict[IdText, RunWithFacts]] = {job: {} for job in jobs}
    unresolved: list[tuple[JobId, IdText]] = []
    for job, with_io in runs_with_io.items():
        for output in with_io[1].outputs if with_io and jobs[job].first_columns else ():
            if with_io and reported_columns(with_io[1], output) and not jobs[job].first_foreign_columns:
                reporters[job][output] = with_io
            else:
                unresolved.append((job, output))
    groups = [last_with_columns(job, output, at or "~", streamed=is_streamed(jobs[job])) for job, output in unresolved]
    newest = first_of_groups(groups, table, at=at)
    for (job, output), reporter in zip(unresolved, newest, strict=True):
        if reporter is not None:
            reporters[job][output] = reporter
    return reporters
