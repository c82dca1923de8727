"""Jobs and datasets whose names hold a text, whatever its case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from lineage.names import JobId
from lineage.runs.answers.groups import Groups
from lineage.runs.answers.names import Id, NameCatalogue
from lineage.runs.facts.growing import JobFacts
from lineage.runs.facts.keys import facts_key
from lineage.runs.facts.table import GraphTable
from lineage.runs.found import Hit, Listed, Sort
from lineage.runs.visibility import EVERYTHING, Visibility

# Matches whose times are looked at, where the question is about times.
MATCHES_MAX = 1_000


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
    visibility: Visibility = EVERYTHING,
) -> Listed[Hit]:
    """The matches, updated from `after` on and before `before`; by name, or the last updated first."""
    catalogue = NameCatalogue(table, visibility)
    matches: list[Id] = [
        *(catalogue.datasets(namespace, text) if kind != "job" else ()),
        *(catalogue.jobs(namespace, text) if kind != "dataset" else ()),
    ]
    names = catalogue.listed(sorted(matches, key=lambda match: (match.name, match.namespace, isinstance(match, JobId))))
    if sort == "name" and before is None and after is None:
        page = catalogue.page(names, limit=limit, offset=0)
        return Listed(_hits(page, table), len(names.ids), names.truncated)
    hits = _hits(catalogue.page(names, limit=MATCHES_MAX, offset=0), table)
    hits = [hit for hit in hits if (after is None or hit.updated >= after) and (before is None or hit.updated < before)]
    if sort == "updated_at":
        hits.sort(key=lambda hit: hit.updated, reverse=True)
    return Listed(hits[:limit], len(hits), names.truncated or len(names.ids) > MATCHES_MAX)


def _hits(matches: Sequence[Id], table: GraphTable) -> list[Hit]:
    jobs = [match for match in matches if isinstance(match, JobId)]
    rows = table.get(facts_key(job) for job in jobs) if jobs else {}
    updated: dict[Id, str] = {}
    for job in jobs:
        updated[job] = JobFacts(**rows[facts_key(job)].data["facts"]).last or ""
    groups = Groups(table)
    datasets = [match for match in matches if not isinstance(match, JobId)]
    groups.load(datasets)
    updated.update((dataset, groups.group(dataset).facts.last or "") for dataset in datasets)
    return [Hit(match, updated[match]) for match in matches]
