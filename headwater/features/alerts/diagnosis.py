"""The causes that a job or dataset has now, and when it is to be looked at again."""

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
from headwater.queries.graph_queries import GraphQueries
from headwater.queries.view import GraphView, ResolvedDataset
from headwater_model.ids import DatasetId, JobId

T = TypeVar("T")
# Jobs away from a tagged dataset to which its columns are followed.
DEPTH = 20


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A node, under its primary name, with its causes and its own tags.

    `due` is when to look at the node again, and `superseded` when that was before its last version. `onward` are
    other nodes to look at because of this one. `faults` kept some kinds of causes from being read.
    """

    node: Node
    causes: Sequence[Cause] = ()
    tags: Sequence[str] = ()
    due: str | None = None
    superseded: str | None = None
    onward: Sequence[DatasetId] = ()
    faults: Sequence[Exception] = ()


def diagnose(node: Node, view: GraphView, rules: AlertRules, now: str) -> Diagnosis:
    """Return what is wrong with a node at this time; nothing of one that is unknown, deleted or dropped."""
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
    """Reads that fail by themselves: a fault of a kind keeps no other kind back."""

    def __init__(self) -> None:
        self.faults: list[Exception] = []

    def of(self, read: Callable[[], Iterable[T]]) -> list[T]:
        """Return the result of a read; nothing, and a fault more, if it fails."""
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
    # A tag of the dataset, or the flow of a tagged column through it, may be younger than what is below.
    watched = {tag_key(rule.tag) for rule in rules.tags} & {tag_key(tag.name) for tag in annotations.tags}
    onward = reads.of(lambda: _guarded_below(group, view, rules)) if watched or reaching else []
    due, superseded = find_due_time(group, versions), find_due_time(group, versions[1:])
    return Diagnosis(group.primary, causes, annotations.names, due, superseded, onward, reads.faults)


def _guarded_below(group: ResolvedDataset, view: GraphView, rules: AlertRules) -> Iterator[DatasetId]:
    """Yield the datasets below this one that a rule guards."""
    impact = GraphQueries(view).report_impact(group.primary.node_id, depth=DEPTH)
    for reached in impact.impacted if impact else ():
        dataset = reached.node.id
        if isinstance(dataset, DatasetId) and any(rule.guards(dataset) for rule in rules.tags):
            yield dataset
