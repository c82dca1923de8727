"""Jobs and datasets whose names hold a text, whatever its case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from lineage.names import DatasetId, JobId
from lineage.runs.answers.groups import Groups
from lineage.runs.answers.names import names_of_each, namespaces
from lineage.runs.facts.growing import JobFacts
from lineage.runs.facts.keys import facts_key
from lineage.runs.facts.table import GraphTable
from lineage.runs.found import Hit, Listed, Sort

# Matches whose times are looked at; names that are looked through are bounded by the lists of `names_listed`.
MATCHES_MAX = 1_000
NAMESPACES_MAX = 1_000


def search(
    text: str,
    table: GraphTable,
    *,
    kind: Literal["job", "dataset"] | None,
    sort: Sort,
    limit: int,
    namespace: str | None = None,
    before: str | None = None,
    after: str | None = None,
) -> Listed[Hit]:
    """The matches, updated from `after` on and before `before`; by name, or the last updated first."""
    among, truncated = ([namespace], False) if namespace is not None else _all_namespaces(table)
    matches: list[DatasetId | JobId] = []
    for one, mark in ((DatasetId, "D"), (JobId, "J")):
        if kind is None or mark == kind[0].upper():
            for where, names in zip(among, names_of_each(among, mark, table), strict=True):
                matches += [one(where, name) for name in names.names if text.lower() in name.lower()]
                truncated |= names.truncated
    matches.sort(key=lambda match: (match.name, match.namespace, isinstance(match, JobId)))
    hits = _hits(matches[:MATCHES_MAX], table)
    hits = [hit for hit in hits if (after is None or hit.updated >= after) and (before is None or hit.updated < before)]
    if sort == "updated_at":
        hits.sort(key=lambda hit: hit.updated, reverse=True)
    return Listed(hits[:limit], len(hits), truncated or len(matches) > MATCHES_MAX)


def _all_namespaces(table: GraphTable) -> tuple[Sequence[str], bool]:
    found, more = namespaces(table)
    return [one.name for one in found[:NAMESPACES_MAX]], more or len(found) > NAMESPACES_MAX


def _hits(matches: Sequence[DatasetId | JobId], table: GraphTable) -> list[Hit]:
    jobs = [match for match in matches if isinstance(match, JobId)]
    rows = table.get(facts_key(job) for job in jobs) if jobs else {}
    updated: dict[DatasetId | JobId, str] = {}
    for job in jobs:
        updated[job] = JobFacts(**rows[facts_key(job)].data["facts"]).last or ""
    groups = Groups(table)
    datasets = [match for match in matches if isinstance(match, DatasetId)]
    groups.load(datasets)
    updated.update((dataset, groups.group(dataset).facts.last or "") for dataset in datasets)
    return [Hit(match, updated[match]) for match in matches]
