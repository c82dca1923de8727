"""The columns of datasets as they are now, or were at a time: what the jobs that write them told last, united."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lineage.fields.answers.schemas import Schema, schema_of
from lineage.fields.answers.told import Ask, read_columns
from lineage.fields.columns import NO_COLUMNS, Column, Columns, Source, Sources, Transformation, unite
from lineage.fields.found import Teller
from lineage.names import DatasetId, FieldPath, JobId, uuid_of_bytes
from lineage.runs.answers.groups import Group, Groups
from lineage.runs.answers.hidden import Namespaces
from lineage.runs.answers.nodes import nodes_of
from lineage.runs.answers.written import version_by
from lineage.runs.facts.current import found_job, io_of
from lineage.runs.facts.growing import dataset_of, facets_of, job_of, text_of
from lineage.runs.facts.newest import facts_of_runs
from lineage.runs.facts.run import dataset_version_id
from lineage.runs.facts.table import GraphTable


@dataclass(slots=True)
class Told:
    """What one writer told last of a dataset; of one that never told anything, that it depends on all its inputs."""

    teller: Teller
    ask: Ask
    columns: Columns = NO_COLUMNS


@dataclass(slots=True)
class Entry:
    """A dataset's columns: what each of its writers told; all of it, by primary names and without hidden datasets."""

    group: Group
    schema: Schema
    told: list[Told]
    columns: Columns = NO_COLUMNS
    _near: dict[int, frozenset[Column]] = field(default_factory=dict, repr=False)

    @property
    def paths(self) -> list[FieldPath]:
        """Its columns: those of its schema, then those that were only told of."""
        return list(dict.fromkeys((*self.schema.columns, *sorted(self.columns.fields))))

    def type_of(self, path: FieldPath) -> str | None:
        """A column's type: the one that operations gave, else the schema's."""
        return self.columns.types.get(path) or self.schema.types.get(path)

    def sources_of(self, path: FieldPath) -> frozenset[Column]:
        """The columns that one of its columns is made of or, like all of the dataset, depends on."""
        sources = self.columns.fields.get(path, {})
        # Columns that one operation made share their sources, and so what is made of these.
        if id(sources) not in self._near or not sources:
            self._near[id(sources)] = frozenset(columns_in(sources, self.columns.whole))
        return self._near[id(sources)]

    @property
    def used(self) -> set[Column]:
        """The columns that any of its columns is made of, or all of it depends on."""
        every = {id(sources): sources for sources in (self.columns.whole, *self.columns.fields.values())}
        return columns_in(*every.values())

    def tellers_of(self, path: FieldPath) -> tuple[Teller, ...]:
        """Those who told of this column."""
        return tellers_of(self.told, path)


def tellers_of(told: Iterable[Told], path: FieldPath) -> tuple[Teller, ...]:
    """Those who told of a column, or of the whole that it is part of."""
    tellers = {one.teller for one in told if one.ask[0] and (path in one.columns.fields or one.columns.whole)}
    return tuple(sorted(tellers, key=lambda one: one.run))


class Present:
    """Datasets' columns, those asked for so far; `at` is the time that is asked about, None for now."""

    def __init__(self, table: GraphTable, at: str | None = None) -> None:
        self.table, self.at = table, at
        self.groups = Groups(table, at, edges=True)
        self.namespaces = Namespaces(table, at)
        self.nodes: dict[JobId, Mapping[str, Any]] = {}
        self._entries: dict[DatasetId, Entry] = {}

    def load(self, names: Iterable[DatasetId], *, readers: bool = False) -> None:
        """Read the columns of these datasets; `readers`: and the nodes of the jobs that make others of them."""
        wanted = set(names)
        self.groups.load(wanted, readers=readers)
        groups = {self.groups.primary(name): self.groups.group(name) for name in wanted}
        self.namespaces.load(primary.namespace for primary in groups)
        self._read_nodes(groups.values(), readers)
        new = {primary: self._entry(group) for primary, group in groups.items() if primary not in self._entries}
        self._name_versions(new.values())
        self._read_columns([told for entry in new.values() for told in entry.told])
        for entry in new.values():
            entry.columns = renamed(unite(one.columns for one in entry.told), self._visible_name)
        self._entries.update(new)

    def load_jobs(self, jobs: Iterable[JobId]) -> None:
        """Read the nodes of these jobs."""
        new = sorted(set(jobs) - self.nodes.keys())
        self.nodes.update(nodes_of(new, self.table, self.at))
        self.namespaces.load(job.namespace for job in new)

    def entry(self, dataset: DatasetId) -> Entry | None:
        """The columns of a dataset that was loaded; None if it is unknown or hidden."""
        entry = self._entries.get(self.groups.primary(dataset))
        return entry if entry and self.is_visible(entry.group) else None

    def is_visible(self, group: Group) -> bool:
        """Whether the dataset is known and not hidden."""
        return group.known and not self.namespaces.hides(group)

    def is_visible_job(self, job: JobId) -> bool:
        """Whether the job, whose node was read, is there and not hidden."""
        node = self.nodes.get(job)
        return node is not None and not found_job(node, self.namespaces.deleted(job.namespace)).hidden

    def sees(self, dataset: DatasetId) -> bool:
        """Whether a dataset that something was told to be made of is there and not hidden."""
        return self._visible_name(dataset) is not None

    def _visible_name(self, dataset: DatasetId) -> DatasetId | None:
        group = self.groups.group(dataset)
        return group.primary if self.is_visible(group) else None

    def made_of(self, group: Group) -> set[DatasetId]:
        """The datasets that may have columns made of this one's: what its readers write, what was declared so."""
        jobs = [self.nodes[job] for job in group.readers | group.tellers if self.is_visible_job(job)]
        return {output for node in jobs for output in io_of(node)[1]} | group.made

    def _read_nodes(self, groups: Iterable[Group], readers: bool) -> None:
        jobs = {job for group in groups for job in group.producers}
        if readers:
            jobs |= {job for group in groups for job in group.readers | group.tellers}
        self.load_jobs(jobs)

    def _name_versions(self, entries: Iterable[Entry]) -> None:
        """Of a dataset with several names a run made one version, whatever the name that it told of."""
        several = [
            (entry.group, one)
            for entry in entries
            for one in entry.told
            if len(entry.group.names) > 1 and not one.teller.declared
        ]
        facts = facts_of_runs({one.teller.run for _, one in several}, self.table, self.at) if several else {}
        for group, one in several:
            made = version_by(one.teller.run, facts[one.teller.run], group) if one.teller.run in facts else None
            one.teller = replace(one.teller, version=made.version if made else None)

    def _read_columns(self, every: Sequence[Told]) -> None:
        """Read what was told, what the sources are called, and whether they are hidden."""
        columns = read_columns((one.ask for one in every), self.table)
        for one in every:
            one.columns = columns[one.ask] if one.ask[0] else one.columns
        names = {source for one in every for source in one.columns.datasets}
        self.groups.load(names, readers=False)
        self.namespaces.load(self.groups.primary(name).namespace for name in names)

    def _entry(self, group: Group) -> Entry:
        entry = Entry(group, schema_of(facets_of(group.facts.facets)), [])
        for job in sorted(group.producers):
            if self.is_visible_job(job):
                self._add_writer(entry, self.nodes[job])
        if group.facts.declarations:
            stamp = max(group.facts.declarations)
            telling = group.facts.declarations[stamp]
            teller = Teller(uuid_of_bytes(stamp.partition("#")[2]), None, None, declared=True)
            entry.told += [Told(teller, ((telling["kept"],), dataset_of(name))) for name in telling["into"]]
        return entry

    def _add_writer(self, entry: Entry, node: Mapping[str, Any]) -> None:
        inputs, outputs = io_of(node)
        for name in sorted(outputs & set(entry.group.names)):
            told = node["columns"][text_of(name)]
            version = dataset_version_id(name, told["run"]) if told["made"] else None
            teller = Teller(told["run"], job_of(node["job"]), version, told["declared"])
            unknown = NO_COLUMNS if told["tellings"] or told["explicit"] else unknown_columns(inputs)
            entry.told.append(Told(teller, (tuple(told["tellings"]), name), unknown))


def unknown_columns(inputs: Iterable[DatasetId]) -> Columns:
    """That a dataset depends on others in a way that nobody told."""
    return Columns(whole={Source(one): frozenset() for one in inputs})


def renamed(columns: Columns, name_of: Callable[[DatasetId], DatasetId | None]) -> Columns:
    """The columns with their sources' datasets under other names; those that have none are left out."""

    def known(sources: Sources) -> Sources:
        found: dict[Source, frozenset[Transformation]] = {}
        for source, transformations in sources.items():
            dataset = names[source.dataset]
            if dataset is not None:
                primary = Source(dataset, source.field)
                found[primary] = found.get(primary, frozenset()) | transformations
        return found

    names = {dataset: name_of(dataset) for dataset in columns.datasets}
    # Columns that one operation made share their sources: they do so afterwards.
    every = {id(sources): sources for sources in (columns.whole, *columns.fields.values())}
    shared = {one: known(sources) for one, sources in every.items()}
    fields = {path: shared[id(sources)] for path, sources in columns.fields.items()}
    return Columns(fields, shared[id(columns.whole)], columns.types)


def columns_in(*every: Sources) -> set[Column]:
    """The columns among these sources."""
    return {Column(one.dataset, one.field) for sources in every for one in sources if one.field is not None}
