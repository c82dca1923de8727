"""The children of jobs and runs: those whose own facts name them as their parent.

possible, more = possible_children([dag], view)    # a superset: each one's node says which job its parent is
page = list_child_runs(run_id, view, limit=100, offset=0)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from headwater.facts.facts import job_of
from headwater.facts.index_rows import child_jobs_query, child_runs_query
from headwater.facts.index_scan import read_run_facts, run_of
from headwater.facts.result_page import ResultPage
from headwater.facts.run_facts import Run, parent_run
from headwater.facts.table import RowQuery
from headwater.queries.runs.runs import owned_runs, runs_in_detail, runs_of_id
from headwater.queries.view import GraphView
from headwater_model.ids import JobId, RunKey

# Jobs, of a namespace and of all, that are read for one parent; and runs.
CHILDREN_MAX = 1_000


def possible_children(parents: Iterable[JobId], view: GraphView) -> tuple[Sequence[JobId], bool]:
    """Return the jobs that ever named one of these as their parent, by id, and true if there are more.

    The parent's own namespace and those that the caller's token names are read by themselves, so that no number of
    others leaves their jobs out.
    """
    pages = view.query([query for parent in parents for query in _queries(parent, view)])
    children = {job_of(row.data["job"]) for page in pages for row in page.rows}
    return sorted(children), any(page.more for page in pages)


def _queries(parent: JobId, view: GraphView) -> Iterator[RowQuery]:
    named = {parent.namespace, *(name for name in view.caller.namespaces if not name.endswith("*"))}
    yield from (child_jobs_query(parent, namespace, CHILDREN_MAX) for namespace in sorted(named))
    if not view.caller.strict or any(name.endswith("*") for name in view.caller.namespaces):
        yield child_jobs_query(parent, None, CHILDREN_MAX)


def list_child_runs(
    run: str, view: GraphView, *, in_short: bool = False, limit: int, offset: int
) -> ResultPage[Run] | None:
    """Return the runs whose parent is the run that `find_run` finds, the last started first; None if it is unknown.

    `in_short`: without facets, and without the versions that they read and wrote.
    """
    parents, _ = runs_of_id(run, view)
    return list_runs_below(parents[0][0], view, in_short=in_short, limit=limit, offset=offset) if parents else None


def list_runs_below(
    parent: RunKey, view: GraphView, *, in_short: bool = False, limit: int, offset: int
) -> ResultPage[Run]:
    """Return the runs whose parent is this run, as `list_child_runs`."""
    page = view.query([child_runs_query(parent, CHILDREN_MAX)])[0]
    facts = read_run_facts(dict.fromkeys(map(run_of, page.rows)), view)
    children = [
        (run_key, of) for run_key, of in owned_runs(facts, view.caller.sees).items() if parent_run(of) == parent
    ]
    children.sort(key=lambda child: (child[1].first or "", child[0]), reverse=True)
    listed = runs_in_detail(dict(children[offset : offset + limit]), view, in_short=in_short)
    return ResultPage(listed, len(children), page.more or any(child.truncated for child in listed))
