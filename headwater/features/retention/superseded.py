"""The ends of superseded runs: rows of a run expire, days after later runs have taken all its places.

    JOB#<job>          WITH_IO#<time>#<run>      a place: the run holds it until a later run of the prefix ends
    DATASET#<dataset>  VERSION#<time>#<run>      likewise, until a later version counts

The last run of a job to start, to complete, to report datasets or the columns of a dataset stays. So does the first
or last writer, or the last reader, of a dataset; so do runs without an end, or of more than 500 datasets. An end
follows from the set of events: the end of the run in the last place taken, and the days. An expired run begins anew
with its next event.

A run may get a place back: a late FAIL makes the version before current again. So a loader computes the ends around
its runs after each write again, until they are as written. The last writer has seen all events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from headwater.facts.facet_refs import datasets_ever_with_columns, is_explicit, reported_columns
from headwater.facts.facts import IdText, RunFacts, dataset_of, merged_facets
from headwater.facts.facts_delta import FactsDelta
from headwater.facts.growth import KINDS
from headwater.facts.index_rows import LINEAGE_WITHOUT_IO, columns_prefix
from headwater.facts.index_scan import RunWithFacts, facts_in_rows, read_run_facts, run_of, time_of
from headwater.facts.kept import end_s
from headwater.facts.keys import dataset_pk, facts_key, job_pk
from headwater.facts.run_facts import branch_of, code_of, ended, failed, has_io, state, version_created
from headwater.facts.run_reports import transactional_rows
from headwater.facts.table import GraphTable, Row, RowQuery
from headwater.features.retention.stream_ends import expire_stream_rows
from headwater_model.errors import Unavailable
from headwater_model.ids import RunKey

_DATASETS_MAX = 500
_ROUNDS_MAX = 100
# Rows read in search of a holder.
_PAGES = (4, 100, 100, 100)


@dataclass(frozen=True, slots=True)
class _Place:
    """A place among the rows of a prefix; `time` gives the time of a holder, and None for another run.

    With `begins`, the first holder stays, too: a dataset has an initial version before.
    """

    pk: str
    prefix: str
    time: Callable[[RunFacts], str | None]
    begins: bool = False

    def holder(self, row: Row, facts: Mapping[RunKey, RunFacts], other: RunKey) -> RunWithFacts | None:
        """Find the run of a row, if the run holds the place and is not `other`."""
        run = run_of(row)
        holds = run != other and run in facts and _is_short(facts[run]) and self.time(facts[run]) == time_of(row)
        return (run, facts[run]) if holds else None


def on_merged(delta: FactsDelta, table: GraphTable) -> None:
    """Write the ends of the runs of a delta, and of the runs before.

    Raises:
        Unavailable: loaders changed the ends in each of 100 rounds.
    """
    if "streams" not in table.kept:
        return
    added: Mapping[RunKey, RunFacts] = delta.facts[RunFacts]
    merged = read_run_facts(added, table)
    expire_stream_rows(added, merged, table)
    if "runs" not in table.kept:
        return
    steps = [_Step(run, place, _latest(facts), "~") for run, facts in merged.items() for place in _places(facts)]
    runs = {step.run for step in steps} | {hit[0] for hit in _nearest(steps, table, back=True) if hit}
    written = dict[RunKey, int | None]()
    for _ in range(_ROUNDS_MAX if runs else 0):
        rows = table.get(map(facts_key, sorted(runs)))
        facts = facts_in_rows(rows.values())
        ends = _ends_of(facts, table)
        # An end is written again even where it is stored: another loader may have died before the other rows.
        changed = {
            run: end
            for run, end in ends.items()
            if (end != written[run] if run in written else (end, rows[facts_key(run)].expires_s) != (None, None))
        }
        if not changed:
            return
        for run, end in changed.items():
            _expire(run, facts[run], end, table)
        written |= changed
    if runs:
        raise Unavailable(f"the ends of {len(runs)} runs were changed by loaders too often")


@dataclass(frozen=True, slots=True)
class _Step:
    """A step from a run's time in a place to the next holder; `end` is the end of the sort key."""

    run: RunKey
    place: _Place
    time: str
    end: str

    def query(self, *, back: bool) -> RowQuery:
        """Make the query of the rows of the place, before or after the run."""
        prefix, bound = f"{self.place.prefix}#", f"{self.place.prefix}#{self.time}#{self.end}"
        low, high = (prefix, bound) if back else (bound, f"{prefix}~")
        return RowQuery(self.place.pk, low=low, high=high, newest_first=back)


def _nearest(steps: Sequence[_Step], table: GraphTable, *, back: bool) -> list[RunWithFacts | None]:
    """Find the nearest holder of each place, before or after a run; None beyond 304 rows, too."""
    nearest: list[RunWithFacts | None] = [None] * len(steps)
    left = {number: step.query(back=back) for number, step in enumerate(steps)}
    known = dict[RunKey, RunFacts]()
    for limit in _PAGES if left else ():
        pages = table.query([replace(query, limit=limit) for query in left.values()])
        known |= read_run_facts({run_of(row) for page in pages for row in page.rows} - known.keys(), table)
        for (number, query), page in zip(list(left.items()), pages, strict=True):
            run, place = steps[number].run, steps[number].place
            nearest[number] = next(filter(None, (place.holder(row, known, run) for row in page.rows)), None)
            if nearest[number] or not page.more:
                del left[number]
            else:
                last = page.rows[-1].sk
                left[number] = replace(query, high=last) if back else replace(query, low=last)
        if not left:
            break
    return nearest


def _ends_of(runs: Mapping[RunKey, RunFacts], table: GraphTable) -> dict[RunKey, int | None]:
    """Compute the ends of runs, in seconds since 1970; None for a run without an end."""
    ends: dict[RunKey, int | None] = dict.fromkeys(runs, 0)
    held = {
        run: [_Step(run, place, time, str(run)) for place in _places(facts) if (time := place.time(facts))]
        for run, facts in runs.items()
    }
    # The newest run of a job is known by its first place.
    for part in (slice(0, 1), slice(1, None)):
        steps = [step for run, of_run in held.items() if ends[run] is not None for step in of_run[part]]
        for step, later in zip(steps, _nearest(steps, table, back=False), strict=True):
            end, known = end_s(ended(later[1]) or "", table.kept["runs"]) if later else None, ends[step.run]
            ends[step.run] = None if end is None or known is None else max(end, known)
    firsts = [step for run, of_run in held.items() if ends[run] for step in of_run if step.place.begins]
    pairs = zip(firsts, _nearest(firsts, table, back=True), strict=True)
    ends |= {step.run: None for step, earlier in pairs if earlier is None}
    return {run: end or None for run, end in ends.items()}


def _expire(run: RunKey, facts: RunFacts, end: int | None, table: GraphTable) -> None:
    """Write the end of all rows of a run: the facts have an end first, and last, so a repetition completes the rest."""
    rows = {row.key for row in KINDS[RunFacts].new_rows(run, RunFacts(), facts, {})}
    rows |= transactional_rows(run, facts).keys()
    others = sorted(key for key in rows if key[1].endswith(f"#{run}"))
    for keys in ([facts_key(run)], others) if end else (others, [facts_key(run)]):
        table.expire(keys, end)


def _places(facts: RunFacts) -> list[_Place]:
    """List the possible places of an ended run; none of a wide run."""
    job = facts.job_id
    if job is None or ended(facts) is None or not _is_short(facts):
        return []
    pk, outputs = job_pk(job), sorted(facts.outputs)
    return [
        *_places_of_job(pk, facts),
        *(_columns_place(pk, text) for text in sorted(datasets_ever_with_columns(facts))),
        *(_version_place(text, prefix) for text in outputs for prefix in ("VERSION", "FAILED", "ACTIVE")),
        *map(_read_place, sorted(facts.inputs)),
    ]


def _is_short(facts: RunFacts) -> bool:
    return len(facts.inputs) + len(facts.outputs) <= _DATASETS_MAX


def _places_of_job(pk: str, facts: RunFacts) -> Iterator[_Place]:
    code = code_of(facts)
    yield _Place(pk, "WITH_IO", lambda of: ended(of) if has_io(of) else None)
    yield _Place(pk, "WITHOUT_IO", lambda of: ended(of) if not has_io(of) and code_of(of) == code else None)
    yield _Place(pk, LINEAGE_WITHOUT_IO, lambda of: ended(of) if is_explicit(of) and not has_io(of) else None)
    if not facts.declared:
        yield _Place(pk, "RUN", lambda of: of.first if ended(of) else None)
        yield _Place(pk, "RUN", lambda of: of.first if state(of) == "COMPLETED" else None)


def _columns_place(pk: str, text: IdText) -> _Place:
    return _Place(pk, columns_prefix(dataset_of(text)), lambda of: ended(of) if reported_columns(of, text) else None)


def _version_place(text: IdText, prefix: str) -> _Place:
    """Make the place of the dataset's writers: failed runs and streams have places of their own."""
    dataset = dataset_of(text)

    def time(of: RunFacts) -> str | None:
        if not version_created(of, dataset) or branch_of(merged_facets(of.output_facets, [dataset])):
            return None
        kind = "FAILED" if failed(of) else "ACTIVE" if of.streaming else "VERSION"
        return ended(of) if kind == prefix else None

    return _Place(dataset_pk(dataset), prefix, time, begins=True)


def _read_place(text: IdText) -> _Place:
    def time(of: RunFacts) -> str | None:
        return of.first if text in of.inputs and ended(of) and not of.declared else None

    return _Place(dataset_pk(dataset_of(text)), "FORWARD", time)


def _latest(facts: RunFacts) -> str:
    """Find the last time of a run in any place, now or before a late event."""
    return max(facts.times[-1], *facts.ends)
