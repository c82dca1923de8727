"""The rows by which the feed of a day finds datasets and jobs with possible news.

    FEED#<day>#<shard>    DATASET#<name>#<dataset>#<event>    a dataset with a schema first stated by the event, or
                                                              dropped by it; with the event's job and run
                          DATASET#<name>#<dataset>#           a dataset first mentioned on the day
                          JOB#<name>#<job>#                   a job with a failed run on the day

The hash of the thing chooses the shard, so neither a namespace nor a day of many new datasets is a hot partition. Rows
are written before the facts, and only when the facts gain possible news. They are never moved: a reader computes the
news of a thing from its facts (`features/insights/feed.py`), and takes the event's sender from the row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from headwater.facts.facts import DatasetFacts, RunFacts, text_of
from headwater.facts.facts_delta import Sender
from headwater.facts.growth import Senders
from headwater.facts.keys import sortable
from headwater.facts.lattice import HISTORY, History
from headwater.facts.table import Row, RowQuery
from headwater_model.ids import DatasetId, JobId, RunKey

# The most days of a request, with today. Rows live a little longer: clocks differ.
FEED_DAYS = 31
_KEPT_DAYS = FEED_DAYS + 2
_SHARDS = 4
_TO_DAY = len("2026-11-20")
_DAY_S = 86_400
_EPOCH = date(1970, 1, 1)
_HASH_DIGITS = 16
NOBODY: Sender = (None, None)


def day_in(time: str) -> str:
    """Read the day of a time, or of a stamp."""
    return time[:_TO_DAY]


def schemas_stated(facts: DatasetFacts) -> History:
    """Join the schemas written, planned or declared, by content; the schema of a read may be a part."""
    declared, written = (facets.get("schema", {}) for facets in (facts.facets, facts.written_schemas))
    return HISTORY.join(declared, written) if declared and written else declared or written


def last_drop(facts: DatasetFacts) -> str | None:
    """Find the stamp of the last event that dropped the dataset; None without a drop."""
    if not facts.dropped_at:
        return None
    stated = facts.facets.get("lifecycleStateChange", {}).values()
    return max((last for _, last, body in stated if body.get("lifecycleStateChange") == "DROP"), default=None)


def added_dataset_rows(
    dataset: DatasetId, old: DatasetFacts, new: DatasetFacts, senders: Mapping[str, Sender]
) -> Iterator[Row]:
    """Yield the rows of a dataset for the new facts, without the rows of the old facts."""
    if new.first is None or new.temporary:
        return
    before, after = _stamps(old), _stamps(new)
    for stamp in sorted(after - before):
        yield _row(dataset, day_in(stamp), event_in(stamp), senders.get(stamp, NOBODY))
    if new.first != old.first and day_in(new.first) not in set(map(day_in, after)):
        yield _row(dataset, day_in(new.first))


def _stamps(facts: DatasetFacts) -> set[str]:
    """List the stamps of events with possible news: the first of each schema, and the last drop."""
    drop = last_drop(facts)
    return {first for first, _, _ in schemas_stated(facts).values()} | ({drop} if drop else set())


def added_job_rows(_run: RunKey, old: RunFacts, new: RunFacts, _senders: Senders) -> Iterator[Row]:
    """Yield the rows of a run's job for the new facts, without the rows of the old facts: a row a day of failures."""
    job = new.job_id
    if job is not None:
        known = _failed_days(old) if old.job_id else set()
        yield from (_row(job, day) for day in sorted(_failed_days(new) - known))


def _failed_days(facts: RunFacts) -> set[str]:
    return {day_in(terminal) for terminal in facts.terminals if terminal.endswith("#FAILED")}


def _row(thing: DatasetId | JobId, day: str, event: str = "", sender: Sender = NOBODY) -> Row:
    job, run = sender
    kind = "JOB" if isinstance(thing, JobId) else "DATASET"
    shard = int(thing.digest[0], 16) % _SHARDS
    end = f"{thing.digest[:_HASH_DIGITS]}#{event}"
    return Row(
        _pk(day, shard),
        f"{kind}#{sortable(f'{thing.namespace}:{thing.name}')}#{end}",
        {"name": text_of(thing), **({"job": text_of(job)} if job else {}), **({"run": run} if run else {})},
        expires_s=((date.fromisoformat(day) - _EPOCH).days + _KEPT_DAYS) * _DAY_S,
    )


def _pk(day: str, shard: int) -> str:
    return f"FEED#{day}#{shard}"


def event_in(text: str) -> str:
    """Read the beginning of the event's hash, in a stamp or in the sort key of a row; empty for a row of a day.

    >>> event_in("2026-11-20T12:00:00.000000Z#f85f9b1d0a2c4e6f8091"), event_in("DATASET#lake:raw#e462bbbe00000000#")
    ('f85f9b1d0a2c4e6f', '')
    """
    return text.rpartition("#")[2][:_HASH_DIGITS]


def feed_queries(days: Sequence[str], kind: str, limit: int) -> list[RowQuery]:
    """Make the queries for the rows of these days; `kind` is `DATASET`, `JOB`, or empty for both."""
    prefix = f"{kind}#" if kind else ""
    return [RowQuery(_pk(day, shard), prefix=prefix, limit=limit) for day in days for shard in range(_SHARDS)]


# As `headwater.facts.growth` writes them, with the facts of a run or of a dataset.
ROWS = {RunFacts: added_job_rows, DatasetFacts: added_dataset_rows}
