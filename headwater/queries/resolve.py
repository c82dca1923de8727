"""Datasets under all their names: a symlink makes a name an alias of another name, for past facts too.

Facts and edges stay stored under the written names; here they are merged, as of the requested time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

from headwater.facts.facts import (
    DatasetFacts,
    as_of,
    dataset_of,
    job_of,
    join,
    primary_of,
)
from headwater.facts.keys import DATASET_FACTS, NOW, dataset_pk, facts_key
from headwater.facts.lattice import USERS_MAX
from headwater.facts.table import Row, RowPage, RowQuery
from headwater.facts.visibility import Visibility
from headwater.queries.view import GraphView
from headwater.walk import Walked, walk
from headwater_model.ids import DatasetId, JobId

# Current readers and producers of one name that are read.
EDGES_MAX = 3_000
# Names that one query reads because they are aliases, of all its datasets together.
ALIASES_MAX = 10_000
# Up to this number, names from which a walk goes on are read in one round, by one or two requests each. Others, and
# those that the caller may not see in full, are read by their facts, a hundred a request, which name the users of most
# of them.
_FEW = 16


@dataclass(frozen=True, slots=True)
class Near:
    """The inputs and outputs of a job as its edges have them, the outputs with their facet refs."""

    inputs: Sequence[DatasetId]
    outputs: Mapping[DatasetId, Sequence[str]]

    @property
    def datasets(self) -> set[DatasetId]:
        """Every input and output."""
        return {*self.inputs, *self.outputs}


@dataclass(slots=True)
class ResolvedDataset:
    """A dataset: its primary name, every name that resolves to it, and the facts under all of them.

    `producers` and `readers` may include jobs that are none any more; `cut`: some were left out. `reporters` are jobs
    that reported columns derived from it without reading it; `derived` are datasets that a DatasetEvent ever derived
    from it: the facts of each say whether its last one does.
    """

    primary: DatasetId
    names: list[DatasetId]
    facts: DatasetFacts
    producers: set[JobId] = field(default_factory=set)
    readers: set[JobId] = field(default_factory=set)
    reporters: set[JobId] = field(default_factory=set)
    derived: set[DatasetId] = field(default_factory=set)
    cut: bool = False
    # Datasets of some of the jobs, by job, and facet refs by output: what to expect of their nodes.
    near: dict[JobId, Near] = field(default_factory=dict)

    @property
    def known(self) -> bool:
        """True if an event mentioned the dataset whose sender may describe it: it is in lists, and has versions."""
        return self.facts.first is not None

    @property
    def named(self) -> bool:
        """True if an event mentioned the dataset, or only named it: graphs show it."""
        return self.known or self.facts.named_first is not None


@dataclass(slots=True)
class _Name:
    facts: DatasetFacts = field(default_factory=DatasetFacts)
    producers: list[JobId] = field(default_factory=list)
    readers: list[JobId] = field(default_factory=list)
    reporters: list[JobId] = field(default_factory=list)
    derived: list[DatasetId] = field(default_factory=list)
    near: dict[JobId, Near] = field(default_factory=dict)
    cut: bool = False
    # The facts may lack some of the datasets that were derived from it.
    has_more_derived: bool = False
    # The facts name all jobs that ever wrote it, or all that use it in any way.
    names_producers: bool = True
    names_users: bool = True


class ResolvedDatasets:
    """The groups of the loaded datasets, as of a time; `edges` also reads the jobs that use them.

    `ever`: the reporters include every job that ever read a dataset; its earlier report, under another name of its
    output, may still be current. `truncated`: beyond `ALIASES_MAX` names were not read, and groups lack their facts.
    """

    def __init__(
        self, view: GraphView, *, edges: bool = False, ever: bool = False, aliases_max: int = ALIASES_MAX
    ) -> None:
        self._view, self._edges, self._ever = view, edges, ever
        self._names: dict[DatasetId, _Name] = {}
        self._whole: set[DatasetId] = set()
        self._groups: dict[DatasetId, ResolvedDataset] = {}
        self._aliases_left = aliases_max
        self.truncated = False

    def load_names(self, names: Iterable[DatasetId], *, readers: bool = True, onward: bool = True) -> None:
        """Read these names, the names that they are aliases of, and the other names of these.

        `readers`: also read the jobs that read them, if the groups have `edges`. `onward`: the datasets of these jobs
        will be read next, so what is `near` is worth a request for each name.
        """
        read = self._whole if readers and self._edges else self._names.keys()

        # A name leads to the name that it is an alias of, and to its own aliases.
        def read_names(level: Sequence[DatasetId], _: bool) -> Iterable[DatasetId]:
            self._names.update(self._read(level, readers, onward))
            self._whole.update(level if readers else ())
            return {other for name in level for other in self._beside(name)} - read

        # Requested names are always read; the aliases count against the limit of the query.
        requested = set(names)
        aliases = {other for name in requested & self._names.keys() for other in self._beside(name)}
        walked = Walked[DatasetId](self._aliases_left)
        start = {*(requested - read), *walked.take_within_limit(sorted(aliases - requested - read))}
        walked.limit += len(requested - read)
        walk(start, read_names, into=walked)
        self._aliases_left = walked.limit - len(walked.hops)
        self.truncated |= walked.truncated
        if start:
            self._groups.clear()

    def expect(self, names: Iterable[DatasetId], *, readers: bool = True, onward: bool = True) -> None:
        """Announce that these names will probably be loaded with these options."""
        read = self._whole if readers and self._edges else self._names.keys()
        at_once, by_facts = self._ways(sorted(set(names) - read), onward)
        self._view.expect(queries=(query for name in at_once for query in self._queries(dataset_pk(name), readers)))
        self._view.expect(map(facts_key, by_facts))

    def take_rows(self, rows: Mapping[DatasetId, Row | None]) -> None:
        """Take the facts of names that were read already (None: no facts); `load_names` reads the rest."""
        for name, row in rows.items():
            self._names.setdefault(name, self._of_rows([row] if row else []))
        self._groups.clear()

    def group(self, name: DatasetId) -> ResolvedDataset:
        """Return the group of a loaded name."""
        primary = self.primary(name)
        if primary not in self._groups:
            self._groups[primary] = self._merged(primary)
        return self._groups[primary]

    def opens(self, name: DatasetId, visibility: Visibility) -> bool:
        """True if the caller may see the dataset of a loaded name in full."""
        return not visibility.strict or visibility.opens(*self.group(name).names)

    def primary(self, name: DatasetId) -> DatasetId:
        """Return the name that this name resolves to; in a loop of aliases, the smallest name."""
        path: list[DatasetId] = []
        while name not in path:
            path.append(name)
            target = self._target(name)
            if target is None:
                return name
            name = target
        return min(path[path.index(name) :])

    def _target(self, name: DatasetId) -> DatasetId | None:
        """Return the name that this name is an alias of, if that name was read."""
        known = self._names.get(name)
        target = primary_of(known.facts) if known else None
        return target if target in self._names else None

    def _beside(self, name: DatasetId) -> Iterable[DatasetId]:
        facts = self._names[name].facts
        target = primary_of(facts)
        return [*map(dataset_of, facts.other_names), *([target] if target else [])]

    def _merged(self, primary: DatasetId) -> ResolvedDataset:
        # A dataset has its primary name and, step by step, the names beside it that resolve to it.
        members, frontier = {primary}, [primary]
        while frontier:
            others = {other for name in frontier for other in self._beside(name)} - members
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
            group.near.update(named.near)
            group.cut |= named.cut
        return group

    def _ways(self, names: Sequence[DatasetId], onward: bool) -> tuple[list[DatasetId], list[DatasetId]]:
        """Return the names to read with their users in one round, and those to read by their facts first."""
        if not (self._edges and onward):
            return [], list(names)
        opened = [name for name in names if self._view.opens(name)]
        at_once = opened if len(opened) <= _FEW else []
        return at_once, [name for name in names if name not in at_once]

    def _read(self, names: Sequence[DatasetId], readers: bool, onward: bool) -> dict[DatasetId, _Name]:
        at_once, by_facts = self._ways(names, onward)
        loaded = {name: _Name() for name in at_once}
        # A round for all facts, with the users of the few names that are read at once.
        self._view.expect(map(facts_key, by_facts))
        self._query(loaded, readers)
        return loaded | self._facts_first(by_facts, readers)

    def _query(self, loaded: Mapping[DatasetId, _Name], readers: bool) -> None:
        """Read the facts of the names and the jobs that use them, in one round."""
        if not loaded:
            return
        queries = [query for name in loaded for query in self._queries(dataset_pk(name), readers)]
        pages = self._view.query(queries)
        # Each name has the same number of queries, and so of pages.
        each = len(pages) // len(loaded)
        for number, named in enumerate(loaded.values()):
            for page in pages[number * each : (number + 1) * each]:
                self._add(named, page)
        self._query_derived({name: named for name, named in loaded.items() if named.has_more_derived and readers})

    def _query_derived(self, loaded: Mapping[DatasetId, _Name]) -> None:
        """Read what was ever derived from datasets whose facts do not name all; their own facts say what is so now."""
        queries = [RowQuery(dataset_pk(name), prefix="NOW#DERIVED#", limit=EDGES_MAX) for name in loaded]
        for named, page in zip(loaded.values(), self._view.query(queries), strict=True):
            self._add(named, page)

    def _queries(self, pk: str, readers: bool) -> list[RowQuery]:
        # A name's rows sort by kind: facts, producers, readers, sources. Without readers the range ends before them.
        if self._view.at is None:
            if not readers:
                return [RowQuery(pk, low=DATASET_FACTS, high="NOW#Q", limit=EDGES_MAX)]
            once = [RowQuery(pk, low="EVER#READER#", high="EVER#T", limit=EDGES_MAX)] if self._ever else []
            return [RowQuery(pk, low=DATASET_FACTS, high=f"{NOW}~", limit=EDGES_MAX), *once]
        # Of the past, rows of every job that ever used the dataset are read: the others show the present alone.
        facts = RowQuery(pk, low=DATASET_FACTS, high=DATASET_FACTS)
        if not readers:
            return [facts, RowQuery(pk, prefix="EVER#PRODUCER#", limit=EDGES_MAX)]
        return [facts, RowQuery(pk, prefix="EVER#", limit=EDGES_MAX)]

    def _facts_first(self, names: Sequence[DatasetId], readers: bool) -> dict[DatasetId, _Name]:
        """Read the facts of the names, a hundred a request; then the jobs of those with more than their facts name."""
        rows = self._view.get(facts_key(name) for name in names)
        loaded = {name: self._of_rows([rows[key]] if (key := facts_key(name)) in rows else []) for name in names}
        if self._edges:
            more = {
                name: named
                for name, named in loaded.items()
                if not (named.names_users if readers else named.names_producers)
            }
            for name, named in loaded.items():
                if name not in more:
                    # Every current user is among those that the facts name.
                    named.producers += map(job_of, named.facts.written_by)
                    named.readers += map(job_of, named.facts.read_by)
            self._query(more, readers)
        return loaded

    def _add(self, named: _Name, page: RowPage) -> None:
        for row in page.rows:
            self._put(named, row)
        named.cut |= page.more

    def _of_rows(self, rows: Iterable[Row]) -> _Name:
        named = _Name()
        for row in rows:
            self._put(named, row)
        return named

    def _put(self, named: _Name, row: Row) -> None:
        if row.sk == DATASET_FACTS:
            facts = DatasetFacts(**row.data["facts"])
            named.facts = as_of(facts, self._view.at) if self._view.at else facts
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
                named.near[job] = Near(list(map(dataset_of, row.data["inputs"])), outputs)

    def _side(self, named: _Name, sk: str) -> list[JobId]:
        if sk.startswith(("NOW#PRODUCER#", "EVER#PRODUCER#")):
            return named.producers
        once = sk.startswith("EVER#READER#") and self._view.at is None
        return named.reporters if once or sk.startswith(("NOW#SOURCE_OF#", "EVER#SOURCE_OF#")) else named.readers


def resolve_dataset(name: DatasetId, view: GraphView) -> ResolvedDataset:
    """Return the dataset that a name resolves to, without the jobs that use it."""
    groups = ResolvedDatasets(view)
    groups.load_names([name])
    return groups.group(name)
