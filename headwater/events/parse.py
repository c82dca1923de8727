"""Parsing of OpenLineage events."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypedDict

from headwater.events.canonical import canonical, in_order
from headwater.events.cost import cost_of
from headwater.events.event import DESCRIBING, DatasetUse, Event, Facets, ParentRun
from headwater.events.field_names import fold_dataset, fold_job, fold_run, fold_use
from headwater.events.mentions import merge_mentions
from headwater.events.naming import NamingRules, rename_datasets
from headwater_model.errors import Invalid
from headwater_model.events import Kind, check_fields
from headwater_model.ids import DatasetId, JobId, normalize_run_id
from headwater_model.named_datasets import sources_in, targets_in
from headwater_model.times import parse_time

# A JSON object whose fields were checked (`headwater_model.events`); null is as good as missing.
_Form: TypeAlias = Mapping[str, Any]
# A kind of job in the facet `jobType`: its runs move rows between files and change none (compaction, clustering).
_MAINTENANCE = "MAINTENANCE"
# Facets of such a job or run with names of datasets.
_OF_LINEAGE = frozenset({"lineage", "headwater_operations"})


@dataclass(frozen=True, slots=True)
class CheckedBody:
    """The JSON of a correct event, checked and hashed once; different rules of names make different events of it.

    `fields` are sorted and have tidy names (`in_order`); `canonical` is the canonical JSON as sent, with its hash.
    """

    kind: Kind
    fields: _Form
    canonical: bytes
    hash: str

    def event(self, rules: NamingRules) -> Event:
        """Parse the event, its datasets named by the rules.

        An unknown `eventType` is kept. Mentions of a dataset (sent twice, or partitions of it) are merged (`mentions`).
        Datasets of the job's `lineage` facet become inputs and outputs, and sources of columns and operations become
        inputs, even if the event does not list them. An event of a job of the type MAINTENANCE reads and writes
        nothing, whatever it names.

        Raises:
            TooLarge: the event names too many datasets, or would cost too much to load (`cost`).
        """
        event = with_sources(_without_maintained(_PARSERS[self.kind](self.fields, self.hash, rules)), rules)
        return replace(event, units=cost_of(event, len(self.canonical)))


def check_body(body: object, *, now: str | None) -> CheckedBody:
    """Check a JSON body by the rules of `headwater_model.events`.

    The time of the event may be at most a day after `now` (normalized); None sets no bound.

    Raises:
        Invalid: the event breaks a rule, or is a change through the API.
        TooLarge: the event names too many datasets.
    """
    if not isinstance(body, dict):
        canonical(body)  # its errors come first: a body with too deep nesting cannot be shown
        raise Invalid.because("event", body, "must be a JSON object")
    fields, text = in_order(body)
    return CheckedBody(check_fields(fields, now=now), fields, text, hashlib.sha256(text).hexdigest())


def parse_event(body: object, rules: NamingRules, *, now: str | None) -> Event:
    """Check and parse the event in a JSON body; see `check_body` and `CheckedBody.event`."""
    return check_body(body, now=now).event(rules)


def _without_maintained(event: Event) -> Event:
    """Drop the datasets of an event of maintenance: the graph, versions and freshness stay as they are."""
    if str(event.job_facets.get("jobType", {}).get("jobType")).upper() != _MAINTENANCE:
        return event
    job_facets, run_facets = (
        {name: facet for name, facet in facets.items() if name not in _OF_LINEAGE}
        for facets in (event.job_facets, event.run_facets)
    )
    return replace(event, inputs=(), outputs=(), job_facets=job_facets, run_facets=run_facets)


def with_sources(event: Event, rules: NamingRules) -> Event:
    """Append to a job's inputs the missing sources of its columns and operations."""
    if event.job is None:
        return event
    sources = sources_in(event.job, event.job_facets, event.run_facets, (use.facets for use in event.outputs))
    return replace(event, inputs=_with_named(event.inputs, sources, rules)) if sources else event


def _run_event(body: _Form, hash_: str, rules: NamingRules) -> Event:
    run = body["run"]
    facets = _sent(run)
    parent = facets.get("parentRun") or facets.get("parent")
    root = parent.get("root") if parent else None
    return Event(
        kind="RUN",
        **_common(body, hash_),
        run=normalize_run_id(run["runId"]),
        run_facets=fold_run(rename_datasets(facets, rules), rules),
        parent=_run_of_job(parent),
        root=_run_of_job(root),
        parent_facets=_describing(parent),
        root_facets=_describing(root),
        **_job_members(body, rules),
    )


def _job_event(body: _Form, hash_: str, rules: NamingRules) -> Event:
    return Event(kind="JOB", **_common(body, hash_), **_job_members(body, rules))


class _Common(TypedDict):
    time: str
    hash: str
    type: str | None


def _common(body: _Form, hash_: str) -> _Common:
    """Parse the common members of all events."""
    type_: str | None = body.get("eventType")
    return {"time": parse_time(body["eventTime"]), "hash": hash_, "type": None if type_ is None else type_.upper()}


class _JobMembers(TypedDict):
    job: JobId
    inputs: tuple[DatasetUse, ...]
    outputs: tuple[DatasetUse, ...]
    job_facets: Facets


def _job_members(body: _Form, rules: NamingRules) -> _JobMembers:
    """Parse the common members of a RunEvent and a JobEvent."""
    job, facets = _job(body["job"]), fold_job(rename_datasets(_sent(body["job"]), rules), rules)
    outputs = merge_mentions(_use(mention, "outputFacets", rules) for mention in body.get("outputs") or ())
    return {
        "job": job,
        "inputs": merge_mentions(_use(mention, "inputFacets", rules) for mention in body.get("inputs") or ()),
        "outputs": _with_named(outputs, targets_in(job, facets), rules),
        "job_facets": facets,
    }


def _with_named(uses: tuple[DatasetUse, ...], named: Iterable[DatasetId], rules: NamingRules) -> tuple[DatasetUse, ...]:
    """Append the named datasets that are missing."""
    missing = sorted(set(named) - {use.dataset for use in uses})
    return (
        *uses,
        *(DatasetUse(dataset, temporary=rules.is_temporary(dataset.namespace, dataset.name)) for dataset in missing),
    )


def _dataset_event(body: _Form, hash_: str, rules: NamingRules) -> Event:
    return Event(kind="DATASET", **_common(body, hash_), dataset=_use(body["dataset"], None, rules))


_PARSERS: Mapping[Kind, Callable[[_Form, str, NamingRules], Event]] = {
    "RUN": _run_event,
    "JOB": _job_event,
    "DATASET": _dataset_event,
}


def _sent(holder: _Form, name: str = "facets") -> Facets:
    """Read the facets of a job, a run, a dataset or its use, as sent, without null."""
    return {name: facet for name, facet in (holder.get(name) or {}).items() if facet is not None}


def _job(form: _Form) -> JobId:
    return JobId(form["namespace"], form["name"])


def _describing(parent: _Form | None) -> Facets:
    """Read the facets `documentation`, `ownership` and `tags` of the job of a parent or root."""
    sent = _sent(parent["job"]) if parent else {}
    return {name: sent[name] for name in DESCRIBING & sent.keys()}


def _run_of_job(parent: _Form | None) -> ParentRun | None:
    return None if parent is None else ParentRun(normalize_run_id(parent["run"]["runId"]), _job(parent["job"]))


def _use(mention: _Form, use: str | None, rules: NamingRules) -> DatasetUse:
    namespace, name = mention["namespace"], mention["name"]
    dataset = rules.dataset(namespace, name)
    return DatasetUse(
        dataset,
        fold_dataset(rename_datasets(_sent(mention), rules), rules, dataset),
        fold_use(_sent(mention, use), rules, dataset) if use else {},
        rules.is_temporary(namespace, name),
    )
