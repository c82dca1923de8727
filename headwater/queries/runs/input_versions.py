"""Versions of the inputs and outputs of runs.

The rules, in order, for the version of an input:

1. the storage's own version, if the run reported a version other than its own output;
2. the latest by a run of the same parent, made before the reader's last event;
3. the latest at the start of the reader (of its attempt that decides);
4. the initial version.

The run's own output is never its input.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import attrgetter

from headwater.events.event import Facets
from headwater.facts.facts import RunFacts, dataset_of, job_of, merged_facets, present, text_of
from headwater.facts.index_rows import child_runs_query
from headwater.facts.index_scan import read_run_facts, run_of
from headwater.facts.lattice import TWO_LATEST, History, latest_first
from headwater.facts.run_facts import (
    ResolvedBy,
    UsedVersion,
    began,
    dataset_version_id,
    parent_run,
    storage_version,
    written_datasets,
)
from headwater.facts.table import RowQuery
from headwater.queries.runs.dataset_versions import KnownVersion, current_versions, first_pages, newest_good
from headwater.queries.view import GraphView, ResolvedDataset
from headwater.queries.view.column_reports import ColumnReport
from headwater.queries.view.written_versions import (
    VersionQuery,
    WrittenVersion,
    by_storage,
    newest_written,
    version_by,
)
from headwater.times import just_after
from headwater_model.ids import DatasetId, RunKey

# Inputs in a result, of all runs together: each costs about four requests.
INPUTS_MAX = 2_000
# From so many inputs on, the runs of a parent are listed once, in place of a query for each input.
MANY_READS = 8
# Runs read of a parent.
CHILDREN_MAX = 1_000


@dataclass(slots=True)
class InputBudget:
    """The number of inputs that a result may still resolve; `cut` are the runs with lost inputs."""

    left: int = INPUTS_MAX
    cut: set[RunKey] = field(default_factory=set)

    def limit_inputs(self, runs: Mapping[RunKey, RunFacts]) -> dict[RunKey, RunFacts]:
        """Keep as many of the runs' inputs, run by run and by name, as the budget has left."""
        taken = {}
        for run, facts in runs.items():
            inputs = sorted(facts.inputs)[: self.left]
            self.left -= len(inputs)
            if len(inputs) < len(facts.inputs):
                self.cut.add(run)
                facts = replace(facts, inputs={text: facts.inputs[text] for text in inputs})
            taken[run] = facts
        return taken


@dataclass
class InputVersion:
    """An input of a run: the dataset, its written names, and the version once it is resolved.

    `siblings` are the runs of the parent that may have written the dataset; None if they are not listed.
    """

    run: RunKey
    facts: RunFacts
    group: ResolvedDataset
    names: list[DatasetId]
    version: str = ""
    resolved_by: ResolvedBy = "initial"
    produced_by: RunKey | None = None
    resolved: bool = field(default=False)
    siblings: Sequence[RunKey] | None = None

    @property
    def facets(self) -> Facets:
        """The input facets, under any of the names."""
        return merged_facets(self.facts.input_facets, self.names)

    @cached_property
    def began(self) -> str:
        """The start of the run (of its attempt that decides)."""
        return began(self.facts) or ""

    @cached_property
    def parent(self) -> RunKey | None:
        """The parent of the run, as of the run's last event; None for a run without events of its own."""
        return parent_run(self.facts) if self.facts.last else None

    @cached_property
    def storage(self) -> str | None:
        """The storage's own version, as the run reported it last, except the run's own output.

        Iceberg's MERGE reports the table's new snapshot at its end: the run's input is the snapshot reported before.
        """
        own_version = storage_version(merged_facets(self.facts.written_facets, self.group.names))
        reported: History = {}
        for name in self.names:
            reported = TWO_LATEST.join(reported, self.facts.read_facets.get(text_of(name), {}).get("version", {}))
        versions = [storage_version(present({"version": facet})) for facet in latest_first(reported)]
        return next((version for version in versions if version is None or version != own_version), None)

    @property
    def versioned_name(self) -> DatasetId:
        """The first of the names with a reported version of the storage."""
        return next(name for name in self.names if self.facts.read_facets.get(text_of(name), {}).get("version"))

    def follows(self, version: WrittenVersion) -> bool:
        """True if another run of the parent made the version before the run's last event."""
        is_earlier = version.run != self.run and version.created < (self.facts.last or "") and version.counts
        return is_earlier and parent_run(version.facts) == self.parent

    def resolve(self, version: str, by: ResolvedBy, run: RunKey | None) -> None:
        """Set the version, and the rule behind it."""
        self.version, self.resolved_by, self.produced_by, self.resolved = version, by, run, True

    def used(self) -> UsedVersion:
        """Make the result of the input."""
        return UsedVersion(self.group.primary, self.version, self.facets, self.resolved_by)


def reads_of(runs: Mapping[RunKey, RunFacts], view: GraphView) -> dict[RunKey, list[InputVersion]]:
    """Resolve the inputs of each run, `{run: [InputVersion, ...]}`, by dataset; all runs share the rounds of requests.

    The facts are given as of the view's time.
    """
    view.load_names(dataset_of(text) for facts in runs.values() for text in facts.inputs)
    reads = {run: _inputs(run, facts, view) for run, facts in runs.items()}
    all_reads = [read for run_reads in reads.values() for read in run_reads]
    _read_first_pages(all_reads, view)
    for resolve in (_by_storage, _by_parent, _by_last_write, _by_time):
        resolve([read for read in all_reads if not read.resolved], view)
    _leave_out_expired([read for read in all_reads if read.began < view.oldest], view)
    return {run: [read for read in run_reads if read.resolved] for run, run_reads in reads.items()}


def sources_read(
    reports: Iterable[ColumnReport], facts: Mapping[RunKey, RunFacts], view: GraphView, budget: InputBudget
) -> dict[RunKey, list[InputVersion]]:
    """Resolve the versions read of the sources in reports, within the budget: `{run: [InputVersion, ...]}`.

    A source counts as an input, also if the run reported it under another name, or only in its columns.
    """
    sources: dict[RunKey, set[DatasetId]] = {run: set() for run in sorted(facts)}
    for report in reports:
        sources.get(report.reporter.run, set()).update(report.columns.datasets)
    narrowed: dict[RunKey, RunFacts] = {}
    for run, run_sources in sources.items():
        names = {name for source in run_sources for name in view.group(source).names}
        inputs = {text: time for text, time in facts[run].inputs.items() if dataset_of(text) in names}
        read = {view.primary(dataset_of(text)) for text in inputs}
        others = (text_of(source) for source in sorted(run_sources) if view.primary(source) not in read)
        narrowed[run] = replace(facts[run], inputs={**dict.fromkeys(others, facts[run].first or ""), **inputs})
    return reads_of(budget.limit_inputs(narrowed), view)


def _leave_out_expired(reads: Sequence[InputVersion], view: GraphView) -> None:
    """Leave out doubtful versions: of readers before the kept history, where the right version may be gone.

    A current version is right, and so is an initial version: the first version of a dataset stays.
    """
    current = current_versions([read.group for read in reads], view) if reads else []
    for read, version in zip(reads, current, strict=True):
        expected = "parentRun" if read.parent else "initial" if read.resolved_by == "initial" else "time"
        is_right = expected == "initial" or (version is not None and version.id == read.version)
        if read.resolved_by != "storage" and not (is_right and read.resolved_by == expected):
            read.resolved, view.history_cut = False, True


def outputs_of(facts: RunFacts, run: RunKey, view: GraphView) -> tuple[UsedVersion, ...]:
    """List the versions made by a run, by dataset, `(UsedVersion, ...)`; its outputs are loaded."""
    groups = {view.primary(name): view.group(name) for name in written_datasets(facts)}
    written = ((groups[primary], version_by(run, facts, groups[primary])) for primary in sorted(groups))
    return tuple(
        UsedVersion(group.primary, version.version, merged_facets(facts.output_facets, group.names))
        for group, version in written
        if version
    )


def _inputs(run: RunKey, facts: RunFacts, view: GraphView) -> list[InputVersion]:
    reads: dict[DatasetId, InputVersion] = {}
    for name in sorted(map(dataset_of, facts.inputs)):
        group = view.group(name)
        reads.setdefault(group.primary, InputVersion(run, facts, group, [])).names.append(name)
    return [reads[primary] for primary in sorted(reads)]


def _read_first_pages(reads: Sequence[InputVersion], view: GraphView) -> None:
    """Read the probable rows of each input's rule in one round, then the facts of siblings."""
    queries, few, last_runs = list[RowQuery](), list[InputVersion](), list[RunKey]()
    of_parents: dict[RunKey, list[InputVersion]] = defaultdict(list)
    for read in reads:
        if storage := read.storage:
            queries += by_storage(read.group, storage, _others(read)).first_pages()
        elif read.parent and view.at is None and read.group.names_producers:
            of_parents[read.parent].append(read)
        elif read.parent:
            few.append(read)
        elif last := _last_run_before(read, view):
            last_runs.append(last)
        else:
            queries += first_pages(read.group, just_after(read.began))
    many = {parent: of for parent, of in of_parents.items() if len(of) >= MANY_READS}
    few += [read for parent, of in of_parents.items() if parent not in many for read in of]
    queries += [query for read in few for each in _by_siblings(read) for query in each.first_pages()]
    children = [child_runs_query(parent, CHILDREN_MAX) for parent in many]
    view.read_first(queries, further=children)
    for (parent, of), page in zip(many.items(), view.query(children), strict=True):
        if not page.more:
            _list_siblings(of, (parent, *map(run_of, page.rows)))
    # The round has the facts of the runs in the pages, too.
    siblings = (run for of in many.values() for read in of for run in read.siblings or ())
    read_run_facts({*siblings, *last_runs}, view)


def _list_siblings(reads: Sequence[InputVersion], runs: Iterable[RunKey]) -> None:
    """List the runs of a parent by the jobs that ever wrote each input: its facts name all of them."""
    by_job: dict[str, list[RunKey]] = defaultdict(list)
    for run in runs:
        by_job[run.job_hash].append(run)
    for read in reads:
        jobs = [RunKey.of(job_of(text), "").job_hash for text in read.group.facts.written_by]
        read.siblings = [run for job in jobs for run in by_job[job]]


def _by_storage(reads: Sequence[InputVersion], view: GraphView) -> None:
    candidates = [(read, storage) for read in reads if (storage := read.storage)]
    queries = [by_storage(read.group, storage, _others(read)) for read, storage in candidates]
    for (read, storage), written in zip(candidates, newest_written(queries, view), strict=True):
        version = written.version if written else dataset_version_id(read.versioned_name, storage)
        read.resolve(version, "storage", written.run if written else None)


def _by_parent(reads: Sequence[InputVersion], view: GraphView) -> None:
    left = [read for read in reads if read.parent and read.siblings is None]
    pairs = newest_written([query for read in left for query in _by_siblings(read)], view)
    candidates = {id(read): pair for read, *pair in zip(left, pairs[::2], pairs[1::2], strict=True)}
    facts = read_run_facts({run for read in reads for run in read.siblings or ()}, view)
    for read in reads:
        runs, last = facts.keys() & (read.siblings or ()), read.facts.last or ""
        known = [version_by(run, facts[run], read.group, last) for run in runs]
        accepted = filter(read.follows, filter(None, candidates.get(id(read), known)))
        if written := max(accepted, key=attrgetter("order"), default=None):
            read.resolve(written.version, "parentRun", written.run)


def _by_siblings(read: InputVersion) -> Sequence[VersionQuery]:
    """Query the versions by the parent's runs: by creation, and streams by their last event."""
    last = read.facts.last or ""
    query = VersionQuery(read.group, f"BY_PARENT#{read.parent}", last, read.follows, before=last)
    return query, replace(query, prefix="ACTIVE")


def _others(read: InputVersion) -> Callable[[WrittenVersion], bool]:
    return lambda version: version.run != read.run


def _by_last_write(reads: Sequence[InputVersion], view: GraphView) -> None:
    """Resolve inputs by the last run of all writers, if it wrote the input: no version before the reader is later."""
    last = [(read, run) for read in reads if (run := _last_run_before(read, view))]
    facts = read_run_facts((run for _, run in last), view, view.at)
    for read, run in last:
        written = version_by(run, facts[run], read.group) if run in facts else None
        if written and written.counts and run != read.run:
            read.resolve(written.version, "time", run)


def _last_run_before(read: InputVersion, view: GraphView) -> RunKey | None:
    """Look up the last run of all writers in their loaded nodes, if each ended before the reader began."""
    if read.group.facts.first_described or not read.group.names_producers:
        return None
    writers = [(job, view.nodes.get(job, {}).get("with_io")) for job in map(job_of, read.group.facts.written_by)]
    last = [(of[0], str(RunKey.of(job, of[1]))) if of else ("~", "") for job, of in writers]
    ended, run = max(last, default=("~", ""))
    return RunKey.parse(run) if ended <= read.began else None


def _by_time(reads: Sequence[InputVersion], view: GraphView) -> None:
    newest = newest_good([(read.group, _readable(read), just_after(read.began)) for read in reads], view)
    for read, version in zip(reads, newest, strict=True):
        if version is None or not version.made_by:
            read.resolve(dataset_version_id(read.group.primary, ""), "initial", None)
        else:
            read.resolve(version.id, "time", version.run)


def _readable(read: InputVersion) -> Callable[[KnownVersion], bool]:
    return lambda version: version.counts and version.run != read.run
