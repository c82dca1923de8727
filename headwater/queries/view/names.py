"""Datasets under all their names: a symlink makes a name an alias of another name, for past facts too.

Facts and edges stay stored under the written names; here they are merged, as of the requested time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Literal, TypeAlias

from headwater.facts.facts import (
    DatasetFacts,
    as_of,
    dataset_of,
    job_of,
    join,
    primary_of,
    rivals_of,
)
from headwater.facts.keys import DATASET_FACTS, NOW, dataset_pk, facts_key
from headwater.facts.lattice import USERS_MAX
from headwater.facts.table import Row, RowPage, RowQuery
from headwater.queries.results.entities import Job
from headwater.queries.results.graphs import Direction
from headwater.queries.view.rows import GraphRows
from headwater_model.ids import DatasetId, JobId

# Current readers and producers of a name: more are not read.
EDGES_MAX = 3_000
# Aliases in a query, of all its datasets together.
ALIASES_MAX = 10_000
# So many datasets with their users are read in a single round, by a request or two each. More datasets, and private
# ones, are read by their facts, a hundred a request: the facts name up to eight users.
_FEW = 16

# The jobs that are read with a dataset: in the direction of a walk; at its border the writers; or every user ever.
Users: TypeAlias = Literal["writers", "up", "down", "both", "ever"]
_Level: TypeAlias = Literal[0, 1, 2, 3]
_PRODUCERS: _Level = 1
_READERS: _Level = 2
_EVER: _Level = 3
_LEVELS: Mapping[Users | None, _Level] = {None: 0, "writers": 1, "up": 1, "down": 2, "both": 2, "ever": 3}


@dataclass(frozen=True, slots=True)
class Near:
    """The inputs and outputs in a job's edges, the outputs with their facet refs."""

    inputs: Sequence[DatasetId]
    outputs: Mapping[DatasetId, Sequence[str]]


def next_datasets(job: Job | Near, way: Direction) -> Sequence[DatasetId]:
    """List the next datasets in a direction from a job."""
    return (*(job.inputs if way != "down" else ()), *(job.outputs if way != "up" else ()))


@dataclass(slots=True)
class ResolvedDataset:
    """A dataset: its primary name, all its names, and the facts under all of them.

    `producers` and `readers` may include jobs that are none any more; `cut`: some were left out. `reporters` are jobs
    that reported columns derived from it without reading it; `derived` are datasets that a DatasetEvent ever derived
    from it: the facts of each say whether its last one does. `claimed` are names that other locations claim, too.
    `names_producers`: the facts name all jobs that ever wrote it.
    """

    primary: DatasetId
    names: list[DatasetId]
    facts: DatasetFacts
    producers: set[JobId] = field(default_factory=set)
    readers: set[JobId] = field(default_factory=set)
    reporters: set[JobId] = field(default_factory=set)
    derived: set[DatasetId] = field(default_factory=set)
    claimed: set[DatasetId] = field(default_factory=set)
    cut: bool = False
    names_producers: bool = True

    @property
    def known(self) -> bool:
        """True if an event by its owner mentioned the dataset: it is in lists, and has versions."""
        return self.facts.first is not None

    @property
    def named(self) -> bool:
        """True if an event mentioned the dataset, or only named it: graphs show it."""
        return self.known or self.facts.named_first is not None


_NO_FACTS = DatasetFacts()


@dataclass(slots=True)
class _Name:
    facts: DatasetFacts = _NO_FACTS
    producers: list[JobId] = field(default_factory=list)
    readers: list[JobId] = field(default_factory=list)
    reporters: list[JobId] = field(default_factory=list)
    derived: list[DatasetId] = field(default_factory=list)
    cut: bool = False
    # The facts may lack derived datasets.
    has_more_derived: bool = False
    # The facts name every job that ever wrote it, or every user.
    names_producers: bool = True
    names_users: bool = True


class ResolvedDatasets:
    """The groups of the loaded datasets, as of a time, each with the users of its loads.

    With the users `ever`, the reporters include every job that ever read a dataset: its earlier report, under another
    name of its output, may still be current. `truncated`: beyond `aliases_max` names were not read, and groups lack
    their facts.
    """

    def __init__(self, rows: GraphRows, *, aliases_max: int = ALIASES_MAX) -> None:
        self._rows = rows
        self._names: dict[DatasetId, _Name] = {}
        self._levels: dict[DatasetId, _Level] = {}
        self._groups: dict[DatasetId, ResolvedDataset] = {}
        self._primaries: dict[DatasetId, DatasetId] = {}
        self._linked: set[DatasetId] = set()
        self._aliases_left = aliases_max
        # The datasets of jobs, by the edges of loaded datasets.
        self.near: dict[JobId, Near] = {}
        self.truncated = False

    def load_names(self, names: Iterable[DatasetId], users: Users | None = None) -> None:
        """Read the names and all their aliases."""
        level = _LEVELS[users]
        requested = self._unread(names, level)
        aliases = {other for name in requested & self._names.keys() for other in self._linked_names(name)} - requested
        # Requested names are always read; the aliases count against the limit of the query.
        unread = requested | self._affordable(aliases, level)
        while unread:
            new = sorted(unread)
            self._names.update(self._read(new, level, at_once=users != "writers"))
            self._levels.update(dict.fromkeys(new, level))
            self._primaries.clear()
            # A name leads to its target, if it is an alias, and to its own aliases.
            linked = {other for name in new for other in self._linked_names(name)}
            # A name with aliases may change any group, and another name its own alone.
            for name in new if self._linked.isdisjoint(new) and not linked else list(self._groups):
                self._groups.pop(name, None)
            self._linked |= linked
            unread = self._affordable(linked, level)

    def _unread(self, names: Iterable[DatasetId], level: _Level) -> set[DatasetId]:
        return {name for name in names if self._levels.get(name, -1) < level}

    def _affordable(self, names: Iterable[DatasetId], level: _Level) -> set[DatasetId]:
        """Choose the unread names at this level; of new names, as many as the query may still read."""
        unread = self._unread(names, level)
        new = sorted(unread.difference(self._names))
        self.truncated |= len(new) > self._aliases_left
        surplus = new[self._aliases_left :]
        self._aliases_left -= len(new) - len(surplus)
        return unread - set(surplus)

    def expect(self, names: Iterable[DatasetId], users: Users | None = None) -> None:
        """Announce a probable load."""
        level = _LEVELS[users]
        at_once, by_facts = self._ways(sorted(self._unread(names, level)), level, at_once=users != "writers")
        self._rows.expect(queries=(query for name in at_once for query in self._queries(dataset_pk(name), level)))
        self._rows.expect(map(facts_key, by_facts))

    def group(self, name: DatasetId) -> ResolvedDataset:
        """Look up the group of a loaded name, and merge it unless it was merged before."""
        primary = self.primary(name)
        return self._groups.get(primary) or self._groups.setdefault(primary, self._merged(primary))

    def primary(self, name: DatasetId) -> DatasetId:
        """Resolve a name to its target, step by step; in a loop of aliases, to the smallest name."""
        if known := self._primaries.get(name):
            return known
        path = [name]
        while (target := self._target(path[-1])) and target not in path:
            path.append(target)
        return self._primaries.setdefault(name, min(path[path.index(target) :]) if target else path[-1])

    def _target(self, name: DatasetId) -> DatasetId | None:
        """Find the target of an alias, if it was read."""
        known = self._names.get(name)
        target = primary_of(known.facts) if known else None
        return target if target in self._names else None

    def _linked_names(self, name: DatasetId) -> Iterable[DatasetId]:
        facts = self._names[name].facts
        target = primary_of(facts)
        return [*map(dataset_of, facts.other_names), *([target] if target else [])]

    def _merged(self, primary: DatasetId) -> ResolvedDataset:
        # A dataset has its primary name and, step by step, the aliases beside it.
        members, frontier = {primary}, [primary]
        while frontier:
            others = {other for name in frontier for other in self._linked_names(name)} - members
            frontier = [other for other in others if self.primary(other) == primary]
            members.update(frontier)
        names = sorted(members)
        group = ResolvedDataset(primary, names, reduce(join, (self._names[name].facts for name in names)))
        for name in names:
            named = self._names[name]
            group.producers.update(named.producers)
            group.readers.update(named.readers)
            group.reporters.update(named.reporters)
            group.derived.update(named.derived)
            linked = (other for other in self._linked_names(name) if other in self._names)
            group.claimed.update(other for other in linked if rivals_of(self._names[other].facts))
            group.cut |= named.cut
            group.names_producers &= named.names_producers
        return group

    def _ways(
        self, names: Sequence[DatasetId], level: _Level, *, at_once: bool
    ) -> tuple[list[DatasetId], list[DatasetId]]:
        """Split the names: to read with their users in a single round, and to read by their facts first."""
        opened = [name for name in names if self._rows.opens(name)] if level and at_once else []
        if len(opened) > _FEW:
            opened = []
        return opened, [name for name in names if name not in opened]

    def _read(self, names: Sequence[DatasetId], level: _Level, *, at_once: bool) -> dict[DatasetId, _Name]:
        with_users, by_facts = self._ways(names, level, at_once=at_once)
        loaded = {name: _Name() for name in with_users}
        # A round for all facts, and for the users of a few names.
        self._rows.expect(map(facts_key, by_facts))
        self._query(loaded, level)
        return loaded | self._facts_first(by_facts, level)

    def _query(self, loaded: Mapping[DatasetId, _Name], level: _Level) -> None:
        """Read the facts of the names and their users, in a single round."""
        if not loaded:
            return
        queries = [query for name in loaded for query in self._queries(dataset_pk(name), level)]
        pages = self._rows.query(queries)
        # Each name has the same number of queries, and so of pages.
        each = len(pages) // len(loaded)
        for number, named in enumerate(loaded.values()):
            for page in pages[number * each : (number + 1) * each]:
                self._add(named, page)
        if level >= _READERS:
            self._query_derived({name: named for name, named in loaded.items() if named.has_more_derived})

    def _query_derived(self, loaded: Mapping[DatasetId, _Name]) -> None:
        """Read every dataset ever derived, where the facts name eight; its own facts say its sources now."""
        queries = [RowQuery(dataset_pk(name), prefix="NOW#DERIVED#", limit=EDGES_MAX) for name in loaded]
        for named, page in zip(loaded.values(), self._rows.query(queries), strict=True):
            self._add(named, page)

    def _queries(self, pk: str, level: _Level) -> list[RowQuery]:
        # A name's rows sort by kind: facts, producers, readers, sources. Without readers the range ends before them.
        if self._rows.at is None:
            if level == _PRODUCERS:
                return [RowQuery(pk, low=DATASET_FACTS, high="NOW#Q", limit=EDGES_MAX)]
            once = [RowQuery(pk, low="EVER#READER#", high="EVER#T", limit=EDGES_MAX)] if level == _EVER else []
            return [RowQuery(pk, low=DATASET_FACTS, high=f"{NOW}~", limit=EDGES_MAX), *once]
        # For a past time, read every user ever: `NOW` rows show the present alone.
        facts = RowQuery(pk, low=DATASET_FACTS, high=DATASET_FACTS)
        prefix = "EVER#PRODUCER#" if level == _PRODUCERS else "EVER#"
        return [facts, RowQuery(pk, prefix=prefix, limit=EDGES_MAX)]

    def _facts_first(self, names: Sequence[DatasetId], level: _Level) -> dict[DatasetId, _Name]:
        """Read the facts of the names, a hundred a request; then the users of names with more than eight."""
        rows = self._rows.get(facts_key(name) for name in names)
        loaded = {name: _Name() for name in names}
        for name, named in loaded.items():
            self._add(named, RowPage([rows[key]] if (key := facts_key(name)) in rows else []))
        if level:
            more = {
                name: named
                for name, named in loaded.items()
                if not (named.names_users if level >= _READERS else named.names_producers)
            }
            for name, named in loaded.items():
                if name not in more:
                    # The facts name every current user.
                    named.producers += map(job_of, named.facts.written_by)
                    named.readers += map(job_of, named.facts.read_by)
            self._query(more, level)
        return loaded

    def _add(self, named: _Name, page: RowPage) -> None:
        for row in page.rows:
            self._put(named, row)
        named.cut |= page.more

    def _put(self, named: _Name, row: Row) -> None:
        if row.sk == DATASET_FACTS:
            facts = DatasetFacts(**row.data["facts"])
            named.facts = as_of(facts, self._rows.at) if self._rows.at else facts
            named.names_producers = len(facts.written_by) <= USERS_MAX
            readers_named = len(facts.read_by) <= USERS_MAX and len(facts.derived) <= USERS_MAX
            named.names_users = named.names_producers and readers_named
            named.has_more_derived = len(facts.derived) > USERS_MAX
            named.derived += map(dataset_of, named.facts.derived)
        elif row.sk.startswith("NOW#DERIVED#"):
            named.derived.append(dataset_of(row.data["name"]))
        else:
            job = job_of(row.data["job"])
            self._side(named, row.sk).append(job)
            if "inputs" in row.data:
                outputs = {dataset_of(text): refs for text, refs in row.data["outputs"].items()}
                self.near[job] = Near(list(map(dataset_of, row.data["inputs"])), outputs)

    def _side(self, named: _Name, sk: str) -> list[JobId]:
        if sk.startswith(("NOW#PRODUCER#", "EVER#PRODUCER#")):
            return named.producers
        once = sk.startswith("EVER#READER#") and self._rows.at is None
        return named.reporters if once or sk.startswith(("NOW#SOURCE_OF#", "EVER#SOURCE_OF#")) else named.readers
