"""Edges between jobs: of data without a dataset between (`lineage`), and of control (`jobDependencies`).

A job's node lists the edges of its own runs' reports, under `jobs`. The job at the far end finds the reporting job by
its `dependents`, which may hold too much: a reader takes an edge from the reporting job's node alone. A node has
the first hundred data edges and dependents by name, 1,000 dependencies a side as listed, and a mark of a cut.

    {"other": "<job>", "side": "up", "kind": "CONTROL", "sequence_rule": "FINISH_TO_START"}    a row of `jobs`
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from headwater.events.event import Event, Facet, is_deleted
from headwater.events.lineage_facets import jobs_in_lineage
from headwater.facts.facts import IdText, RunFacts, facet_of, job_of, text_of
from headwater.facts.lattice import JOBS_MAX
from headwater.facts.run_io import windows_of
from headwater_model.ids import JobId

JOB_DEPENDENCIES = "jobDependencies"
# Jobs of an event, on each side, that have an edge; the first as the producer lists them.
REPORTED_MAX = 1_000
_SIDES: Mapping[str, Literal["up", "down"]] = {"upstream": "up", "downstream": "down"}
Kind: TypeAlias = Literal["DATA", "CONTROL"]
# The edges of each graph, and the edges of a graph with control.
DATA_ALONE: tuple[Kind, ...] = ("DATA",)
WITH_CONTROL: tuple[Kind, ...] = ("DATA", "CONTROL")


@dataclass(frozen=True, order=True, slots=True)
class JobEdge:
    """An edge reported by a job to another job, on its up or down side; the rules are a dependency's."""

    other: JobId
    side: Literal["up", "down"]
    kind: Kind
    type: str | None = None
    sequence_rule: str | None = None
    status_rule: str | None = None

    def ends(self, job: JobId) -> tuple[JobId, JobId]:
        """Order the two jobs of the edge, from upstream to downstream; `job` is the reporting job."""
        return (self.other, job) if self.side == "up" else (job, self.other)


def jobs_reported(event: Event) -> tuple[set[JobId], set[JobId]]:
    """Find the sources of the job's data in its `lineage` facet, and all jobs with an edge in the event."""
    if event.job is None:
        return set(), set()
    sources = set(sorted(jobs_in_lineage(event.job, event.job_facets))[:REPORTED_MAX])
    facet = event.run_facets.get(JOB_DEPENDENCIES, {})
    others = {edge.other for edge in _dependencies(facet, event.job)}
    return sources, sources | others


def edges_to_json(job: JobId, latest: RunFacts | None, reporting: RunFacts | None) -> list[dict[str, Any]]:
    """List the control edges of the job's last started run, and the data edges of its last run with data edges.

    `reporting` is the last run (or JobEvent) to count with datasets or a `lineage` facet.
    """
    edges = set[JobEdge]()
    if reporting is not None:
        edges.update(JobEdge(job_of(text), "up", "DATA") for text in _job_sources(reporting)[:JOBS_MAX])
    if latest is not None:
        edges.update(_dependencies(facet_of(latest.run_facets, JOB_DEPENDENCIES), job))

    def order(edge: JobEdge) -> tuple[Any, ...]:
        rules = (edge.type, edge.sequence_rule, edge.status_rule)
        return edge.other, edge.side, edge.kind, *(rule or "" for rule in rules)

    fields = ({**asdict(edge), "other": text_of(edge.other)} for edge in sorted(edges, key=order))
    return [{name: value for name, value in form.items() if value is not None} for form in fields]


def are_edges_cut(latest: RunFacts | None, reporting: RunFacts | None) -> bool:
    """True if the node of a job lists fewer edges than these runs report."""
    facet = facet_of(latest.run_facets, JOB_DEPENDENCIES) if latest else {}
    return (reporting is not None and len(_job_sources(reporting)) > JOBS_MAX) or any(
        len(facet.get(side) or ()) > REPORTED_MAX for side in _SIDES
    )


def _job_sources(facts: RunFacts) -> Sequence[IdText]:
    """List the jobs whose data a run takes, sorted; a run with windows takes the jobs of its last window."""
    windows = list(windows_of(facts))
    return windows[-1].job_sources if windows else sorted(facts.job_sources)


def edges_in(node: Mapping[str, Any]) -> Iterator[JobEdge]:
    """Yield the edges in a job's node: `{"jobs": [{"other": <job>, "side": "up", "kind": "CONTROL"}]}`."""
    for form in node.get("jobs", ()):
        yield JobEdge(**{**form, "other": job_of(form["other"])})


def dependents_in(node: Mapping[str, Any]) -> Sequence[JobId]:
    """List the first hundred jobs in a node's `dependents`: their edges are possible, and readers check their nodes."""
    return list(map(job_of, node.get("dependents", ())[:JOBS_MAX]))


def are_dependents_cut(node: Mapping[str, Any]) -> bool:
    """True if `dependents_in` leaves out a job."""
    return len(node.get("dependents", ())) > JOBS_MAX


def _dependencies(facet: Facet, job: JobId) -> Iterator[JobEdge]:
    """Yield the edges of a `jobDependencies` facet; an edge to the job itself is left out."""
    if is_deleted(facet):
        return
    for name, side in _SIDES.items():
        for form in (facet.get(name) or ())[:REPORTED_MAX]:
            other = JobId(form["job"]["namespace"], form["job"]["name"])
            rules = (form.get(rule) for rule in ("dependency_type", "sequence_trigger_rule", "status_trigger_rule"))
            if other != job:
                yield JobEdge(other, side, "CONTROL", *rules)
