"""Outcomes of tests as of a time.

The facts have the last outcome of each test. Where that is later than the time, the rows of earlier events are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from headwater.facts.assertions import OUTCOMES, Assertions, rows_query, stamp_of
from headwater.facts.facts import JobFacts
from headwater.facts.keys import dataset_pk, job_pk
from headwater.facts.table import GraphReader, Row
from headwater.queries.resolve import ResolvedDataset
from headwater.queries.view import GraphView
from headwater_model.ids import DatasetId, JobId

Thing = TypeVar("Thing", DatasetId, JobId)
# Rows of one name's events that are read for its past.
ROWS_MAX = 100


def assertions_then(
    outcomes: Mapping[Thing, Assertions], pks: Mapping[Thing, Sequence[str]], reader: GraphReader, at: str | None
) -> tuple[dict[Thing, Assertions], bool]:
    """Return the outcomes as of a time, without unknown ones; and true if rows beyond `ROWS_MAX` may know more."""
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


def resolve_assertions(groups: Sequence[ResolvedDataset], view: GraphView) -> bool:
    """Give the groups the outcomes as of the view's time; return true if some may be missing."""
    outcomes = {group.primary: group.facts.assertions for group in groups}
    then, cut = assertions_then(outcomes, {group.primary: pks_of(group) for group in groups}, view, view.at)
    for group in groups:
        if then[group.primary] is not outcomes[group.primary]:
            group.facts = replace(group.facts, assertions=then[group.primary])
    return cut


def resolve_jobs(
    jobs: Mapping[JobId, JobFacts], reader: GraphReader, at: str | None
) -> tuple[dict[JobId, JobFacts], bool]:
    """Return the facts of jobs with the outcomes as of a time; and true if some may be missing."""
    then, cut = assertions_then(
        {job: facts.assertions for job, facts in jobs.items()}, {job: [job_pk(job)] for job in jobs}, reader, at
    )
    return {job: replace(facts, assertions=then[job]) for job, facts in jobs.items()}, cut


def pks_of(group: ResolvedDataset) -> list[str]:
    """Return the partitions of a dataset under all its names."""
    return [dataset_pk(name) for name in group.names]
