"""Late datasets, and datasets made of old data, over the whole graph: the same at each depth of a map.

    report = report_old_data(view)

A dataset is late if the last run of a writer failed or was aborted. A dataset downstream is on old data after a write
since then. A single walk down from the failing writers marks the datasets: cost grows with failures, not with maps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from typing_extensions import TypedDict

from headwater.api.types import Time
from headwater.api.values import when
from headwater.facts.index_scan import RunWithFacts
from headwater.facts.list_rows import LISTED_STATES
from headwater.facts.run_facts import ended
from headwater.features.insights.broken_jobs import BELOW_MAX, DEPTH, JOBS_MAX, GraphBelow
from headwater.queries.graphs.impact import Downstream
from headwater.queries.lists.urgent_jobs import listed_in_states
from headwater.queries.results.entities import Job
from headwater.queries.runs.dataset_times import last_written
from headwater.queries.runs.failing_jobs import good_run, last_runs
from headwater.queries.view import GraphView
from headwater_model.ids import DatasetId, JobId


class OldDataset(TypedDict):
    """A dataset that is late or on old data."""

    nodeId: str
    lateSince: Time | None
    """The end of the first bad run since its writer's last good run; null if its writers are well."""
    onOldDataSince: Time | None
    """The earliest such time of a dataset upstream, at any distance, if the dataset was written since."""
    writtenAt: Time | None
    """The last write by a run that did not fail."""


class OldDataReport(TypedDict):
    """The datasets that are late, or on old data, over the whole graph."""

    datasets: list[OldDataset]
    """By namespace and name."""
    truncated: bool
    """True if more than 50 writers fail, or more than 2,000 jobs and datasets are below them."""


def report_old_data(view: GraphView) -> OldDataReport:
    """Report the late datasets, and the datasets on old data."""
    listed, cut = listed_in_states(LISTED_STATES, None, view)
    view.load(jobs=listed)
    failing = (job for job in view.jobs(listed) if job.latest_run and job.latest_run.state in LISTED_STATES)
    writers = sorted((job for job in failing if job.outputs), key=lambda job: job.updated, reverse=True)
    since = _failing_since(writers[:JOBS_MAX], view)
    graph = GraphBelow(view, direction="down", limit=BELOW_MAX).from_jobs(sorted(since), DEPTH) if since else None
    if graph is None:
        return {"datasets": [], "truncated": cut}
    # A reader of another part of a dataset is not touched by a failure of its writer.
    downstream = Downstream(replace(graph, edges=tuple(sorted(set(graph.edges).difference(graph.other_part_reads)))))
    late, below = dict[str, str](), dict[str, list[str]]()
    for job, time in since.items():
        outputs = downstream.outputs(job.node_id)
        late.update((output, min(time, late.get(output, time))) for output in outputs)
        for node in downstream.datasets_below(outputs) - outputs:
            below.setdefault(node, []).append(time)
    groups = [group for dataset in graph.datasets if view.opens(*(group := view.group(dataset.id)).names)]
    written = last_written([group for group in groups if group.primary.node_id in {*late, *below}], view)
    marked = [_old_data(dataset, late, below, written.get(dataset)) for dataset in sorted(of.primary for of in groups)]
    datasets = [old for old in marked if old["lateSince"] or old["onOldDataSince"]]
    return {"datasets": datasets, "truncated": cut or graph.truncated or len(writers) > JOBS_MAX}


def _old_data(
    dataset: DatasetId, late: Mapping[str, str], below: Mapping[str, Sequence[str]], written: str | None
) -> OldDataset:
    times = [time for time in below.get(dataset.node_id, ()) if written and time < written]
    return {
        "nodeId": dataset.node_id,
        "lateSince": when(late.get(dataset.node_id)),
        "onOldDataSince": when(min(times, default=None)),
        "writtenAt": when(written),
    }


def _failing_since(jobs: Sequence[Job], view: GraphView) -> dict[JobId, str]:
    """Find the end of each job's first bad run since its last good run."""
    return {job: _first_end(runs) for job, runs in last_runs([job.id for job in jobs], view).items() if runs}


def _first_end(runs: Sequence[RunWithFacts]) -> str:
    bad = [end for _, facts in runs[: good_run(runs)] if (end := ended(facts))]
    return bad[-1] if bad else runs[0][1].last or runs[0][1].named_last or ""
