"""The nodes of jobs, worked out from the facts: of now, or of an earlier time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from lineage.names import JobId
from lineage.runs.facts.current import job_node
from lineage.runs.facts.growing import IdText, JobFacts
from lineage.runs.facts.newest import Run, last_known, last_started, last_teller, newest
from lineage.runs.facts.table import GraphTable
from lineage.runs.facts.tellings import told_of

_Pair: TypeAlias = tuple[JobId, IdText]


def work_out(jobs: Mapping[JobId, JobFacts], table: GraphTable, at: str | None = None) -> dict[JobId, dict[str, Any]]:
    """The node of each job, from what is known of it (or was, at that time) and of its runs."""
    runs = newest([ask for job in jobs for ask in (last_known(job), last_started(job))], table, at)
    knowns = dict(zip(jobs, runs[::2], strict=True))
    tellers = _tellers(jobs, knowns, table, at)
    return {
        job: job_node(job, facts, knowns[job], latest, tellers[job])
        for (job, facts), latest in zip(jobs.items(), runs[1::2], strict=True)
    }


def _tellers(
    jobs: Mapping[JobId, JobFacts], knowns: Mapping[JobId, Run | None], table: GraphTable, at: str | None
) -> dict[JobId, dict[IdText, Run]]:
    """By output of each job, its last run that told of the output's columns.

    That is the last that told of datasets, if it told of columns too, unless another told of columns alone.
    """
    found: dict[JobId, dict[IdText, Run]] = {job: {} for job in jobs}
    open_: list[_Pair] = []
    for job, known in knowns.items():
        for output in known[1].outputs if known and jobs[job].told else ():
            if known and told_of(known[1], output) and not jobs[job].told_apart:
                found[job][output] = known
            else:
                open_.append((job, output))
    for (job, output), teller in zip(open_, _asked(open_, table, at), strict=True):
        if teller is not None:
            found[job][output] = teller
    return found


def _asked(open_: Sequence[_Pair], table: GraphTable, at: str | None) -> list[Run | None]:
    return newest([last_teller(job, output) for job, output in open_], table, at) if open_ else []
