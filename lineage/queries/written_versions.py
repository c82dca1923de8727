"""Versions of datasets that runs made: index rows read backwards, each checked against its run's facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from lineage.graph.entities import LastWriter
from lineage.graph.facts import RunFacts
from lineage.graph.keys import dataset_pk
from lineage.graph.newest import end_of, read_run_facts, run_of, time_of
from lineage.graph.run_facts import effective_time, ended, failed, owner, run_version_id, version_created
from lineage.graph.table import GraphTable, RowPage, RowQuery
from lineage.queries.dataset_groups import DatasetGroup
from lineage_model.ids import DatasetId, JobId, RunKey

_LOOK = 4
_NEXT_LOOK = 100


@dataclass(frozen=True, slots=True)
class WrittenVersion:
    """A version that a run made of a dataset, under a name by which the run wrote it."""

    created: str
    run: RunKey
    job: JobId
    name: DatasetId
    facts: RunFacts

    @property
    def version(self) -> str:
        """Its id."""
        return run_version_id(self.name, self.job.namespace, self.run.id)

    @property
    def order(self) -> tuple[str, str]:
        """Where it stands among the dataset's versions."""
        return self.created, str(self.run)

    @property
    def standing(self) -> tuple[str, str]:
        """Its place among those that may be current: a stream was made long before its last event."""
        return max(effective_time(self.facts) or "", self.created), str(self.run)


@dataclass(frozen=True, slots=True)
class VersionQuery:
    """A question for versions of a dataset: those under an index prefix made before (or at) a time, and accepted.

    Under `L` are those of streaming runs, where the runs stand in time.
    """

    group: DatasetGroup
    prefix: str
    high: str = "~"
    accept: Callable[[WrittenVersion], bool] = lambda _: True


def newest_written(
    wanted: Sequence[VersionQuery], table: GraphTable, at: str | None = None, *, reads_max: int | None = None
) -> list[WrittenVersion | None]:
    """Return the newest version of each that its run's facts bear out; None where there is none, or none was found.

    Nobody is asked for the versions of what no event named as an output. `reads_max`: as many times rows are read.
    """
    found: list[WrittenVersion | None] = [None] * len(wanted)
    highs = {
        number: dict.fromkeys(one.group.names, f"{one.prefix}#{one.high}")
        for number, one in enumerate(wanted)
        if one.group.facts.first_written
    }
    look = _LOOK
    reads = 0
    while highs and (reads_max is None or reads < reads_max):
        reads += 1
        asked = [(number, name) for number, names in highs.items() for name in names]
        queries = [
            RowQuery(
                dataset_pk(name),
                low=f"{wanted[number].prefix}#",
                high=highs[number][name],
                newest_first=True,
                limit=look,
            )
            for number, name in asked
        ]
        pages = table.query(queries)
        facts = read_run_facts({run_of(row) for page in pages for row in page.rows}, table, at)
        left: dict[int, dict[DatasetId, str]] = {}
        for (number, name), page in zip(asked, pages, strict=True):
            order = _standing if wanted[number].prefix == "ACTIVE" else _order
            best = max((found[number], *_accepted(wanted[number], name, page, facts)), key=order)
            found[number] = best
            # A version may be older than its row: its run wrote it under another name before.
            if page.more and order(best) < (time_of(page.rows[-1]), end_of(page.rows[-1])):
                left.setdefault(number, {})[name] = page.rows[-1].sk
        highs, look = left, _NEXT_LOOK
    return found


def _accepted(
    wanted: VersionQuery, name: DatasetId, page: RowPage, facts: dict[RunKey, RunFacts]
) -> Iterator[WrittenVersion]:
    for row in page.rows:
        there = stands_at if wanted.prefix == "ACTIVE" else confirmed_version
        one = there(run_of(row), time_of(row), name, wanted.group, facts)
        if one is not None and _under(wanted.prefix, one) and wanted.accept(one):
            yield one


def _order(one: WrittenVersion | None) -> tuple[str, str]:
    return one.order if one else ("", "")


def _standing(one: WrittenVersion | None) -> tuple[str, str]:
    return one.standing if one else ("", "")


def last_streamed(groups: Sequence[DatasetGroup], table: GraphTable) -> list[WrittenVersion | None]:
    """For each group, the version of the streaming run that ended or was heard of last and did not fail."""
    return newest_written(
        [VersionQuery(group, "ACTIVE", accept=lambda one: not failed(one.facts)) for group in groups], table
    )


def confirmed_version(
    run: RunKey, created: str, name: DatasetId, group: DatasetGroup, facts: dict[RunKey, RunFacts]
) -> WrittenVersion | None:
    """The version that a row of this name tells of, if its run's facts say the same."""
    told = facts.get(run)
    if told is None or version_created(told, name) != created:
        return None
    return version_by(run, told, group)


def stands_at(
    run: RunKey, time: str, _: DatasetId, group: DatasetGroup, facts: dict[RunKey, RunFacts]
) -> WrittenVersion | None:
    """The version of a streaming run that a row tells to stand at a time, if its facts say the same."""
    told = facts.get(run)
    if told is None or not told.streaming or effective_time(told) != time:
        return None
    return version_by(run, told, group)


def version_by(run: RunKey, facts: RunFacts, group: DatasetGroup) -> WrittenVersion | None:
    """The version that a run made of a dataset: one, under whatever of its names it wrote, called by the smallest."""
    made = [(name, created) for name in group.names if (created := version_created(facts, name))]
    job = owner(facts)
    if job is None or not made:
        return None
    return WrittenVersion(min(created for _, created in made), run, job, made[0][0], facts)


def _under(prefix: str, one: WrittenVersion) -> bool:
    if prefix == "VERSION":
        return not failed(one.facts)
    return failed(one.facts) if prefix == "FAILED" else True


def last_writers(groups: Sequence[DatasetGroup], table: GraphTable, at: str | None = None) -> list[LastWriter | None]:
    """Who last wrote each dataset: a run that did not fail, if any did not; None if no run did."""
    wanted = [VersionQuery(group, prefix, at or "~") for group in groups for prefix in ("VERSION", "FAILED")]
    found = newest_written(wanted, table, at)
    writers = [good or bad for good, bad in zip(found[::2], found[1::2], strict=True)]
    return [last_writer(one) if one else None for one in writers]


def last_writer(one: WrittenVersion) -> LastWriter:
    """Return the run that made a version, and its job."""
    return LastWriter(one.job, one.run.id, ended(one.facts) or one.created)
