"""Index rows of runs, read backwards a page at a time, each confirmed by the facts of its run.

Index rows are written before their facts and never move, so there may be more rows than facts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain, islice, repeat
from typing import Generic, TypeAlias, TypeVar

from headwater.facts.facet_refs import is_explicit, reported_columns
from headwater.facts.facts import IdText, JobFacts, RunFacts, as_of, dataset_of
from headwater.facts.index_rows import LINEAGE_WITHOUT_IO, columns_prefix
from headwater.facts.keys import facts_key, job_pk
from headwater.facts.run_facts import effective_time, ended, has_io, is_active_stream
from headwater.facts.stream_rows import coarse_highs
from headwater.facts.table import GraphReader, Key, Row, RowPage, RowQuery
from headwater.times import EARLIEST
from headwater_model.ids import JobId, RunKey

T = TypeVar("T")
RunWithFacts: TypeAlias = tuple[RunKey, RunFacts]
# A position in the order of rows: a time, then the end of the row's key.
Position: TypeAlias = tuple[str, ...]
_BEFORE_ALL: Position = ()
_AFTER_ALL: Position = ("~",)
_PAGES = (3, 100)
_NO_FACTS = RunFacts()


def read_run_facts(runs: Iterable[RunKey], table: GraphReader, at: str | None = None) -> dict[RunKey, RunFacts]:
    """Read the facts of the existing runs among these, `{run: facts}`, as of a time."""
    stored = facts_in_rows(table.get(facts_key(run) for run in runs).values())
    if at is None:
        return stored
    earlier = {run: as_of(facts, at) for run, facts in stored.items()}
    return {run: facts for run, facts in earlier.items() if facts.job}


def facts_in_rows(rows: Iterable[Row]) -> dict[RunKey, RunFacts]:
    """Parse the facts of runs in these rows: `{"id": "0176a8c2-....c8cf489e...", "facts": {...}}`."""
    return {RunKey.parse(row.data["id"]): RunFacts(**row.data["facts"]) for row in rows}


def is_streamed(facts: JobFacts) -> bool:
    """True if a run of the job is, or was, a stream, perhaps with coarse rows (see `stream_rows`)."""
    return facts.first_streamed is not None


def streamed_jobs(jobs: Iterable[JobId], table: GraphReader) -> set[JobId]:
    """Find the jobs with a past or present stream, by their facts (`first_streamed`)."""
    return {job for job, facts in facts_of(jobs, table).items() if is_streamed(facts)}


def facts_of(jobs: Iterable[JobId], table: GraphReader) -> dict[JobId, JobFacts]:
    """Read the facts of the known jobs: `{JobId("etl", "load"): JobFacts(...)}`."""
    keys = {facts_key(job): job for job in jobs}
    return {keys[key]: JobFacts(**row.data["facts"]) for key, row in table.get(keys).items()}


def time_of(row: Row) -> str:
    """Read the time in the sort key of an index row: `WITH_IO#<time>#<run>`."""
    return row.sk.split("#")[-2]


def run_of(row: Row) -> RunKey:
    """Read the run in the sort key of an index row: `WITH_IO#<time>#<run>`."""
    return RunKey.parse(end_of(row))


def end_of(row: Row) -> str:
    """Read the end of a sort key, `WITH_IO#<time>#<run>`: a run's identity, or the hash of a DatasetEvent."""
    return row.sk.rpartition("#")[2]


class IndexScan(Generic[T]):
    """The rows under a prefix of a partition, the newest first, as far as they were read.

    `results` holds the results of `confirm` by row key; scans for the same result may share it. Rows
    without `needs_facts` are confirmed with empty facts. `watermark` is the position of the last row read, empty after
    the last page. `order` gives the position of a result, if it differs from its row's position.
    """

    def __init__(
        self,
        pk: str,
        prefix: str,
        confirm: Callable[[Row, RunFacts], T | None],
        *,
        high: str = "~",
        needs_facts: Callable[[Row], bool] = lambda _: True,
        order: Callable[[T], Position] = lambda _: _AFTER_ALL,
        results: dict[Key, T] | None = None,
    ) -> None:
        self.results: dict[Key, T] = {} if results is None else results
        self.watermark = _AFTER_ALL
        self.needs_facts = needs_facts
        self._pk, self._low, self._high = pk, f"{prefix}#", f"{prefix}#{high}"
        self._confirm, self._order = confirm, order

    @property
    def best(self) -> T | None:
        """The newest result."""
        return max(self.results.values(), key=self._order, default=None)

    @property
    def is_done(self) -> bool:
        """True if no unread row can have a newer result."""
        return not self.watermark or any(self._order(result) >= self.watermark for result in self.results.values())

    def query(self, rows: int) -> RowQuery:
        """Make the query of the next page."""
        return RowQuery(self._pk, low=self._low, high=self._high, newest_first=True, limit=rows)

    def add_page(self, page: RowPage, facts: dict[RunKey, RunFacts]) -> None:
        """Confirm the rows of the next page."""
        for row in page.rows:
            run_facts = facts.get(run_of(row)) if self.needs_facts(row) else _NO_FACTS
            result = None if run_facts is None else self._confirm(row, run_facts)
            if result is not None:
                self.results[row.key] = result
        self.watermark = _BEFORE_ALL
        if page.more:
            # The last row read begins the next page: a live run's newest row may be any of its rows.
            last = page.rows[-1]
            self.watermark, self._high = (time_of(last), end_of(last)), last.sk


def advance(scans: Sequence[IndexScan[T]], table: GraphReader, *, rows: int, at: str | None = None) -> None:
    """Read a page of each scan, `advance(scans, view, rows=8)`: a round of queries, and of facts (as of a time)."""
    if not scans:
        return
    pages = table.query([scan.query(rows) for scan in scans])
    read = zip(scans, pages, strict=True)
    runs = {run_of(row) for scan, page in read for row in page.rows if scan.needs_facts(row)}
    facts = read_run_facts(runs, table, at) if runs else {}
    for scan, page in zip(scans, pages, strict=True):
        scan.add_page(page, facts)


def first_of_groups(
    groups: Sequence[Sequence[IndexScan[T]]],
    table: GraphReader,
    *,
    at: str | None = None,
    pages: Sequence[int] = _PAGES,
    rounds_max: int | None = None,
) -> list[T | None]:
    """Find the newest result of each group of scans that share their results, as of a time.

    It is None without a result, or without a result in so many rounds. `pages` are the sizes of a scan's pages, in
    rows; the last size is the size of all further pages.
    """
    for rows in islice(chain(pages, repeat(pages[-1])), rounds_max):
        pending = [scan for group in groups for scan in group if not scan.is_done]
        if not pending:
            break
        advance(pending, table, rows=rows, at=at)
    return [group[0].best if group else None for group in groups]


def run_order(run: RunWithFacts) -> Position:
    """Order a run among its job's runs that count: `("2026-11-20T...", "<run>")`, effective time before identity."""
    return effective_time(run[1]) or "", str(run[0])


def io_order(run: RunWithFacts, *, with_io: bool = True) -> Position:
    """Order a run among its job's runs with inputs or outputs, or without; empty for others, and until it counts."""
    return run_order(run) if has_io(run[1]) is with_io and effective_time(run[1]) else _BEFORE_ALL


def start_order(run: RunWithFacts) -> Position:
    """Order a run by its start, a run known only as a parent first; empty for a JobEvent."""
    return _BEFORE_ALL if run[1].declared else (run[1].first or EARLIEST, str(run[0]))


def last_with_io(job: JobId, high: str = "~", *, streamed: bool) -> list[IndexScan[RunWithFacts]]:
    """Scan for the job's last run with inputs or outputs; `streamed`: the job had a stream (`JobFacts`)."""
    return _scan_places(job, "WITH_IO", high, has_io, streamed=streamed)


def last_without_io(job: JobId, high: str = "~", *, streamed: bool) -> list[IndexScan[RunWithFacts]]:
    """Scan the rows `WITHOUT_IO#<time>#<run>` for the job's last run that counts and has no inputs and no outputs."""
    return _scan_places(job, "WITHOUT_IO", high, lambda facts: not has_io(facts), streamed=streamed)


def last_counted(job: JobId, until: str, *, streamed: bool) -> list[IndexScan[RunWithFacts]]:
    """Scan for the job's last run that counts, up to a time: the rows `WITH_IO#...` and `WITHOUT_IO#...`."""
    return [
        *last_with_io(job, f"{until}#~", streamed=streamed),
        *last_without_io(job, f"{until}#~", streamed=streamed),
    ]


def last_explicit_without_io(job: JobId, high: str = "~", *, streamed: bool) -> list[IndexScan[RunWithFacts]]:
    """Scan for the job's last run that counts and has a `lineage` facet, but neither inputs nor outputs."""
    return _scan_places(
        job, LINEAGE_WITHOUT_IO, high, lambda facts: is_explicit(facts) and not has_io(facts), streamed=streamed
    )


def last_with_columns(job: JobId, dataset: IdText, high: str = "~", *, streamed: bool) -> list[IndexScan[RunWithFacts]]:
    r"""Scan for the job's last run that reported the columns of a dataset, given as `s3://lake\0raw`."""
    prefix = columns_prefix(dataset_of(dataset))
    return _scan_places(
        job, prefix, high, lambda facts: reported_columns(facts, dataset) is not None, streamed=streamed
    )


def _scan_places(
    job: JobId, prefix: str, high: str, accept: Callable[[RunFacts], bool], *, streamed: bool
) -> list[IndexScan[RunWithFacts]]:
    """Scan for the job's last accepted run by `run_order`: rows of its end and, if it may be a stream, coarse rows."""

    def confirm(row: Row, facts: RunFacts) -> RunWithFacts | None:
        # Each row of an active stream counts: older tables have a row at each event in place of coarse rows.
        is_confirmed = is_active_stream(facts) or ended(facts) == time_of(row)
        return (run_of(row), facts) if is_confirmed and accept(facts) else None

    runs: dict[Key, RunWithFacts] = {}
    places = [(prefix, high), *(coarse_highs(prefix, high) if streamed else ())]
    return [IndexScan(job_pk(job), name, confirm, high=end, order=run_order, results=runs) for name, end in places]


def last_started(job: JobId, high: str = "~") -> IndexScan[RunWithFacts]:
    """Scan the rows `RUN#<start>#<run>` for the job's run that started last; runs known only as parents sort first."""
    return scan_runs(job, "RUN", high, lambda facts, time: (facts.first or EARLIEST) == time)


def scan_runs(
    job: JobId, prefix: str, high: str = "~", is_valid: Callable[[RunFacts, str], bool] = lambda _, __: True
) -> IndexScan[RunWithFacts]:
    """Scan for the job's runs under a prefix of index rows, `WITH_IO`; their facts confirm the time of the row."""

    def confirm(row: Row, facts: RunFacts) -> RunWithFacts | None:
        return (run_of(row), facts) if is_valid(facts, time_of(row)) else None

    return IndexScan(job_pk(job), prefix, confirm, high=high)
