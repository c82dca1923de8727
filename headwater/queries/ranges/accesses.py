"""The accesses of runs to datasets around a dataset, in a time range: CDAP's lineage of datasets.

As in CDAP the walk has no direction: from a dataset to the jobs that write or read it, and from a job to all datasets
of its runs in the time range. A JobEvent counts as a run, reached from its datasets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from headwater.facts.facts import RunFacts, dataset_of
from headwater.facts.index_scan import read_run_facts, run_of
from headwater.facts.keys import job_pk
from headwater.facts.run_facts import root_run
from headwater.facts.run_reports import RunReports
from headwater.facts.table import RowQuery
from headwater.queries.ranges.mappings import DATASETS_MAX
from headwater.queries.ranges.near_fields import ROWS_MAX
from headwater.queries.ranges.runs_in_range import RUNS_MAX, RunsInRange
from headwater.queries.results.cdap import Access, Accesses, Relation
from headwater.queries.results.columns import TimeRange
from headwater.queries.results.graphs import DOWN, UP, Side
from headwater.queries.view import GraphView
from headwater.walk import Walked, walk
from headwater_model.ids import DatasetId, JobId, RunKey

# Runs read for their facts, shared equally by the jobs of a level; accesses in a result, and roots of its runs.
FACTS_MAX = 5_000
ACCESSES_MAX = 100_000
ROOTS_MAX = 1_000
# Names of datasets of the runs of a level, all together.
NAMES_MAX = 10_000
# The outputs and the inputs of a run.
_Sides: TypeAlias = tuple[set[DatasetId], set[DatasetId]]
_ACCESSES: tuple[Access, Access] = ("write", "read")
_SIDES: Sequence[tuple[Side, Access]] = ((UP, "write"), (DOWN, "read"))


@dataclass(frozen=True, order=True, slots=True)
class _Access:
    dataset: DatasetId
    job: JobId
    access: Access
    run: RunKey
    root: RunKey


def find_accesses(
    view: GraphView, dataset: DatasetId, time_range: TimeRange, *, levels: int, rolled_up: bool = False
) -> Accesses:
    """List the accesses of runs to datasets around the dataset, `levels` datasets and jobs away."""
    return AccessWalk(view, time_range).walk(dataset, levels, rolled_up=rolled_up)


class AccessWalk:
    """A walk in progress: a level takes two rounds for its datasets, and two for its jobs and their runs."""

    def __init__(self, view: GraphView, time_range: TimeRange) -> None:
        self._view, self._time_range = view, time_range
        self._range_runs = RunsInRange(view, time_range, RUNS_MAX, ROWS_MAX)
        self._found: set[_Access] = set()
        self._jobs: set[JobId] = set()
        self._runs: set[RunKey] = set()
        self._facts_left = FACTS_MAX
        self._truncated = False

    def walk(self, dataset: DatasetId, levels: int, *, rolled_up: bool = False) -> Accesses:
        """Walk `levels` datasets and jobs; `rolled_up`: show each access as an access by the run at its root."""
        walked = walk([dataset], self._expand, into=Walked(DATASETS_MAX), depth=levels - 1)
        relations = self._roll_up() if rolled_up else {self._relation(access) for access in self._found}
        cut = self._truncated or walked.truncated or self._range_runs.truncated
        return Accesses(tuple(sorted(relations, key=_order)), cut)

    def _expand(self, datasets: Sequence[DatasetId], _: bool) -> set[DatasetId]:
        """Add the accesses to the datasets and the accesses of their jobs; return all datasets of the jobs."""
        self._range_runs.load_datasets(((dataset, side) for dataset in datasets for side, _ in _SIDES), columns=False)
        declared: set[RunKey] = set()
        jobs: set[JobId] = set()
        for dataset in sorted({self._range_runs.primary(name) for name in datasets}):
            runs = ((run, access) for side, access in _SIDES for run in self._range_runs.runs_at(dataset, side))
            for run, access in runs:
                # A DatasetEvent is no run of a job.
                if run.job is not None:
                    self._add(_Access(dataset, run.job, access, run.key, run.root))
                    if self._view.opens(run.job):
                        jobs.add(run.job)
                        declared |= {run.key} if run.state is None else set()
        accessed = self._read_jobs(sorted(jobs - self._jobs), declared)
        return {dataset for dataset in accessed if self._view.shows(dataset)}

    def _read_jobs(self, jobs: Sequence[JobId], declared: set[RunKey]) -> set[DatasetId]:
        """Add the accesses of the jobs' runs in the time range, and of the JobEvents; return their datasets."""
        self._jobs.update(jobs)
        runs = [run for run in (*sorted(declared), *self._runs_of(jobs)) if run not in self._runs]
        self._truncated |= len(runs) > self._facts_left
        runs = runs[: self._facts_left]
        self._facts_left -= len(runs)
        facts = read_run_facts(runs, self._view)
        self._runs |= facts.keys()
        accessed = self._named_by({run: facts[run] for run in runs if run in facts})
        accesses = (access for run, sides in accessed.items() for access in self._accesses(run, facts[run], sides))
        return {access.dataset for access in accesses if self._add(access)}

    def _named_by(self, facts: Mapping[RunKey, RunFacts]) -> dict[RunKey, _Sides]:
        """Find the datasets of the runs that started in the time range, up to `NAMES_MAX` names."""
        accessed: dict[RunKey, _Sides] = {}
        names: set[DatasetId] = set()
        for run, run_facts in facts.items():
            if self._time_range.start <= (run_facts.first or "") < self._time_range.end:
                reports = RunReports(run, run_facts)
                sides = set(map(dataset_of, reports.written)), set(map(dataset_of, reports.read))
                new = sides[0].union(sides[1]) - names
                if names and len(names) + len(new) > NAMES_MAX:
                    self._truncated = True
                    break
                names |= new
                accessed[run] = sides
        if names:
            self._view.load_names(names)
        return accessed

    def _accesses(self, run: RunKey, facts: RunFacts, sides: _Sides) -> Iterator[_Access]:
        job = facts.job_id
        if job is None:
            return
        for names, access in zip(sides, _ACCESSES, strict=True):
            for dataset in sorted(set(map(self._range_runs.primary, names))):
                yield _Access(dataset, job, access, run, root_run(run, facts))

    def _runs_of(self, jobs: Sequence[JobId]) -> Iterable[RunKey]:
        """List the newest runs of the jobs in the time range."""
        if not jobs or not self._facts_left:
            self._truncated |= bool(jobs)
            return []
        limit = max(self._facts_left // len(jobs), 1)
        low, high = (f"RUN#{time}" for time in (self._time_range.start, self._time_range.end))
        pages = self._view.query(
            [RowQuery(job_pk(job), low=low, high=high, newest_first=True, limit=limit) for job in jobs]
        )
        self._truncated |= any(page.more for page in pages)
        return [run_of(row) for page in pages for row in page.rows]

    def _add(self, access: _Access) -> bool:
        """Add an access; return true if it fits."""
        fits = len(self._found) < ACCESSES_MAX or access in self._found
        self._truncated |= not fits
        if fits:
            self._found.add(access)
        return fits

    def _relation(self, access: _Access) -> Relation:
        run = access.run.id if self._view.opens(access.job) else None
        return Relation(access.dataset, access.job, access.access, run)

    def _roll_up(self) -> set[Relation]:
        """Show each access as an access by the run at its root; drop the private datasets of root runs.

        As in CDAP, the name of such a dataset ends with the id of the root's run.
        """
        roots = sorted({access.root for access in self._found if access.root != access.run})
        self._truncated |= len(roots) > ROOTS_MAX
        facts = read_run_facts(roots[:ROOTS_MAX], self._view)
        jobs = {root: job for root, run_facts in facts.items() if (job := run_facts.job_id) is not None}
        kept = (
            access
            for access in self._found
            if access.root not in jobs or not access.dataset.name.endswith(access.root.id)
        )
        return {
            self._rolled_up(access, jobs[access.root]) if access.root in jobs else self._relation(access)
            for access in kept
        }

    def _rolled_up(self, access: _Access, job: JobId) -> Relation:
        run = access.root.id if self._view.opens(job) else None
        return Relation(access.dataset, job, access.access, run, rolled_up=True)


def _order(relation: Relation) -> tuple[DatasetId, JobId, Access, str]:
    return relation.dataset, relation.job, relation.access, relation.run or ""
