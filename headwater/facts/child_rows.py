"""Index rows by which jobs and runs find their children: the jobs and runs that name them as their parent.

A row is written before the facts that name the parent and never moves. So a reader checks each row against these facts:
a job may get another parent, and a run may turn out to have started earlier.

    JOB#<parent>      CHILD#<namespace, hashed>#<name>#<job>    {"job": ...}
    RUN#<parent id>   CHILD#<job of the parent>#<started>#<run>
"""

from __future__ import annotations

from collections.abc import Iterator

from headwater.facts.facts import JobFacts, RunFacts, parent_of, text_of
from headwater.facts.keys import job_pk, run_pk, sortable
from headwater.facts.run_facts import parent_run
from headwater.facts.table import Row, RowQuery
from headwater.times import EARLIEST
from headwater_model.ids import JobId, RunKey, namespace_hash

_CHILD = "CHILD#"


def child_job_rows(job: JobId, facts: JobFacts) -> Iterator[Row]:
    """Yield the row by which the parent of a job finds it; a job is no child of itself."""
    parent = parent_of(facts.parents)
    if parent is not None and parent.job != job:
        end = f"{namespace_hash(job.namespace)}#{sortable(job.name)}#{job.digest[:16]}"
        yield Row(job_pk(parent.job), f"{_CHILD}{end}", {"job": text_of(job)})


def child_run_rows(run: RunKey, facts: RunFacts) -> Iterator[Row]:
    """Yield the row by which the parent of a run finds it; a run is no child of itself."""
    parent = parent_run(facts)
    if parent is not None and parent != run:
        yield Row(run_pk(parent.id), f"{_CHILD}{parent.job_hash}#{facts.first or EARLIEST}#{run}")


def child_jobs_query(parent: JobId, namespace: str | None, limit: int) -> RowQuery:
    """Return the query of the jobs of a namespace (None: of all) that may be children of a job."""
    prefix = _CHILD if namespace is None else f"{_CHILD}{namespace_hash(namespace)}#"
    return RowQuery(job_pk(parent), prefix=prefix, limit=limit)


def child_runs_query(parent: RunKey, limit: int) -> RowQuery:
    """Return the query of the runs that may be children of a run, the last started first."""
    return RowQuery(run_pk(parent.id), prefix=f"{_CHILD}{parent.job_hash}#", newest_first=True, limit=limit)
