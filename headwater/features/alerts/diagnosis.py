"""The present causes of a job or dataset, and the time of its next look."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from headwater.facts.annotations import annotations_of, tag_key
from headwater.facts.facts import JobFacts, last_deleted
from headwater.facts.keys import facts_key
from headwater.features.alerts.cause import Cause, Node
from headwater.features.alerts.failures import find_failed_runs, find_failing_tests
from headwater.features.alerts.rules import AlertRules
from headwater.features.alerts.tagged_columns import find_reaching, find_tagged_columns
from headwater.features.alerts.versions import find_due_time, find_late_version, find_schema_changes, read_good_versions
from headwater.queries.graph_queries import report_impact
from headwater.queries.view import GraphView, ResolvedDataset
from headwater_model.ids import DatasetId, JobId

T = TypeVar("T")
# Jobs between a tagged dataset and the datasets to which its columns are followed.
DEPTH = 20


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A node, under its primary name, with its causes and its own tags.

    `due` is the time of the next look at the node, `superseded` its time before the last version.
    `onward` are further nodes to look at because of this node. `faults` are failed reads of some kinds of causes.
    """

    node: Node
    causes: Sequence[Cause] = ()
    tags: Sequence[str] = ()
    due: str | None = None
    superseded: str | None = None
    onward: Sequence[DatasetId] = ()
    faults: Sequence[Exception] = ()


def diagnose(node: Node, view: GraphView, rules: AlertRules, now: str) -> Diagnosis:
    """Find the causes of a node at this time; an unknown, deleted or dropped node has none."""
    if isinstance(node, JobId):
        return _diagnose_job(node, view)
    view.load([node])
    group = view.dataset(node)
    if group is None or not group.known:
        return Diagnosis(view.primary(node))
    return _diagnose_dataset(group, view, rules, now)


def _diagnose_job(job: JobId, view: GraphView) -> Diagnosis:
    view.load(namespaces=[job.namespace])
    row = view.get([facts_key(job)]).get(facts_key(job))
    facts = JobFacts(**row.data["facts"]) if row else JobFacts()
    if facts.first is None or max(last_deleted(facts), view.deleted(job.namespace)) > (facts.last or ""):
        return Diagnosis(job)
    reads = _Reads()
    causes = [
        *reads.of(lambda: find_failed_runs(job, view)),
        *reads.of(lambda: find_failing_tests(job, facts.assertions, view)),
    ]
    return Diagnosis(job, causes, annotations_of(facts).names, faults=reads.faults)


class _Reads:
    """Reads with faults of their own: a fault of a kind keeps no further kind back."""

    def __init__(self) -> None:
        self.faults: list[Exception] = []

    def of(self, read: Callable[[], Iterable[T]]) -> list[T]:
        """List the result of a read; a failed read gives nothing and a fault."""
        try:
            return list(read())
        except Exception as error:  # noqa: BLE001 - whatever it is, the node is looked at again
            self.faults.append(error)
            return []


def _diagnose_dataset(group: ResolvedDataset, view: GraphView, rules: AlertRules, now: str) -> Diagnosis:
    reads = _Reads()
    versions = reads.of(lambda: read_good_versions(group, view))
    annotations = annotations_of(group.facts)
    reaching = reads.of(lambda: find_reaching(group, rules.tags, view)) if versions else []
    causes = [
        *reads.of(lambda: find_schema_changes(group, versions)),
        *reads.of(lambda: find_failing_tests(group.primary, group.facts.assertions, view)),
        *reads.of(lambda: find_late_version(group, versions, now)),
        *find_tagged_columns(group, reaching),
    ]
    # A tag of the dataset, or the flow of a tagged column through it, may be younger than the datasets below.
    watched = {tag_key(rule.tag) for rule in rules.tags} & {tag_key(tag.name) for tag in annotations.tags}
    onward = reads.of(lambda: _guarded_below(group, view, rules)) if watched or reaching else []
    due, superseded = find_due_time(group, versions), find_due_time(group, versions[1:])
    return Diagnosis(group.primary, causes, annotations.names, due, superseded, onward, reads.faults)


def _guarded_below(group: ResolvedDataset, view: GraphView, rules: AlertRules) -> Iterator[DatasetId]:
    """Yield the guarded datasets below."""
    impact = report_impact(view, group.primary.node_id, depth=DEPTH)
    for reached in impact.impacted if impact else ():
        dataset = reached.node.id
        if isinstance(dataset, DatasetId) and any(rule.guards(dataset) for rule in rules.tags):
            yield dataset
