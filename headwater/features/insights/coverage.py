"""The coverage of lineage: how much of its work each job reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from typing_extensions import TypedDict

from headwater.api.types import Time
from headwater.api.values import render_id, when
from headwater.facts.facts import job_of
from headwater.facts.keys import current_key
from headwater.queries.lists.name_lists import NameCatalogue
from headwater.queries.view import GraphView

# Jobs of one report: their nodes are read in 50 batches.
JOBS_MAX = 5_000
# `columns`: the job reports columns of an output. `tables`: datasets, without columns. `nothing`: no datasets.
# `parent`: no datasets, but the job started other jobs. `silent`: no event for so long.
CoverageLevel: TypeAlias = Literal["columns", "tables", "nothing", "parent", "silent"]


class JobCoverage(TypedDict):
    """The coverage of a job, by its last run with datasets."""

    namespace: str
    name: str
    producer: str | None
    coverage: CoverageLevel
    updatedAt: Time
    outputs: int
    certainOutputs: int
    incomplete: bool
    """True if the producer could not read all of the job's lineage."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """The coverage of jobs, by namespace and name; `truncated`: there are more jobs, or more may be hidden."""

    jobs: Sequence[JobCoverage]
    truncated: bool


def report_coverage(namespace: str | None, view: GraphView, *, since: str) -> Coverage:
    """Report the coverage of the jobs of a namespace (None: of all); a job without an event since then is silent."""
    catalogue = NameCatalogue(view)
    names = catalogue.every_job(namespace)
    jobs = catalogue.page(names, limit=JOBS_MAX, offset=0)
    rows = view.get(map(current_key, jobs))
    nodes = [row.data for job in jobs if (row := rows.get(current_key(job)))]
    return Coverage([_coverage_of(node, since) for node in nodes], names.truncated or len(names) > JOBS_MAX)


def _coverage_of(node: Mapping[str, Any], since: str) -> JobCoverage:
    reported = sum(bool(columns["refs"]) for columns in node["columns"].values())
    incomplete = "incomplete" in node
    return {
        **render_id(job_of(node["job"])),
        "producer": node.get("producer"),
        "coverage": _level(node, reported, since),
        "updatedAt": when(node["last"]),
        "outputs": len(node["outputs"]),
        "certainOutputs": 0 if incomplete else reported,
        "incomplete": incomplete,
    }


def _level(node: Mapping[str, Any], reported: int, since: str) -> CoverageLevel:
    if node["last"] < since:
        return "silent"
    if reported:
        return "columns"
    if node["inputs"] or node["outputs"]:
        return "tables"
    return "parent" if "is_parent" in node else "nothing"
