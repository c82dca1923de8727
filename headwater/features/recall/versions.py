"""The versions made of a load: a walk to readers, and to later versions with the same rows.

An appended table keeps its rows: each later version holds the load, until a run replaces the table. The walk goes
level by level: the readers of all its new versions are read together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from headwater.events.subsets import SUBSET, Part, are_disjoint, part_of
from headwater.facts.annotations import annotations_of
from headwater.facts.facts import RunFacts, merged_facets
from headwater.facts.index_scan import read_run_facts
from headwater.facts.job_nodes import summarize_run
from headwater.facts.run_facts import Run, text_in, written_datasets
from headwater.queries.runs.dataset_versions import KnownVersion, read_versions_of
from headwater.queries.runs.input_versions import InputBudget, InputVersion, outputs_of, reads_of
from headwater.queries.runs.runs import child_runs, owned_runs, possible_readers, reading, runs_of_id
from headwater.queries.view import GraphView
from headwater.queries.view.written_versions import WrittenVersion
from headwater.walk import Budget
from headwater_model.ids import DatasetId, RunKey

Grade: TypeAlias = Literal["certainly", "possibly"]
# A version of a dataset, by the dataset's primary name.
VersionId: TypeAlias = tuple[DatasetId, str]
# Inputs of possible readers, resolved to versions: each costs about four requests.
INPUTS_MAX = 5_000
# A run read the version because of the time alone, or the writer is unknown.
_BY_TIME = ("time", "initial")
# Changes after which no earlier row of a dataset is left.
_REPLACES = ("CREATE", "DROP", "OVERWRITE", "TRUNCATE")


@dataclass(slots=True)
class Held:
    """A version with rows of the load, and its run; `part` has these rows, None: unknown."""

    dataset: DatasetId
    version: str
    grade: Grade
    run: Run
    facts: RunFacts
    part: Part | None
    owners: tuple[str, ...]
    repaired_by: str | None = None

    @property
    def created(self) -> str:
        """The time of the version's run."""
        return self.run.ended or self.run.started or self.run.created


@dataclass
class Recall:
    """A walk from the versions of a load; `budget` limits the shown versions, `cuts` say the unread parts."""

    view: GraphView
    budget: Budget
    cuts: dict[str, None] = field(default_factory=dict)
    held: dict[VersionId, Held] = field(default_factory=dict)
    _pending: dict[VersionId, None] = field(default_factory=dict)
    _inputs: InputBudget = field(default_factory=lambda: InputBudget(INPUTS_MAX))
    _read: dict[RunKey, set[DatasetId]] = field(default_factory=dict)
    _reads: dict[RunKey, list[InputVersion]] = field(default_factory=dict)
    _versions: dict[DatasetId, Sequence[KnownVersion]] = field(default_factory=dict)

    def from_run(self, run: str, grade: Grade) -> bool:
        """Start at the outputs of a run and of its child runs; false if the run is unknown."""
        runs, cut = runs_of_id(run, self.view)
        if not runs:
            self.cuts[f"run {run}: is unknown"] = None
            return False
        if cut or len(runs) > 1:
            self.cuts[f"run {run}: further jobs have runs of this id, which were not read"] = None
        children, more = child_runs(runs[0][0], self.view)
        if more:
            self.cuts[f"run {run}: not all its child runs were read"] = None
        self._hold_outputs({key: (facts, grade) for key, facts in (runs[0], *children)})
        return True

    def from_versions(self, dataset: DatasetId, version: str | None, start: str, end: str) -> bool:
        """Start at a version of a dataset, else at the versions from a time on and before another; false if none."""
        primary = self.view.named(dataset).primary
        self._load_versions([primary])
        chosen = [
            known
            for known in self._versions[primary]
            if (known.id == version if version else start <= known.created < end)
        ]
        for known in chosen:
            if self._writer(known):
                self._hold_version(known, "certainly", self._part(known))
            else:
                self.cuts[f"{primary.node_id}#{known.id}: no known run made it, so its readers are unknown"] = None
        return bool(chosen)

    def walk(self) -> list[Held]:
        """Walk to all versions with rows of the load; list the versions by dataset and time."""
        while self._pending:
            level, self._pending = [self.held[node] for node in self._pending], {}
            self._load_versions(held.dataset for held in level)
            for held in level:
                for version in self._kept(held):
                    self._hold_version(version, "possibly", held.part)
            readers = self._readers({held.run.key: held.facts for held in level})
            graded = {run: (facts, grade) for run, facts in readers.items() if (grade := self._grade(run))}
            self._hold_outputs(graded)
        if self.budget.cut:
            self.cuts[f"more than {len(self.held):,} versions hold something of the load"] = None
        for held in self.held.values():
            repairs = (version for version in self._later(held) if self._replaces(held, version))
            runs = (version.run for version in repairs if (held.dataset, version.id) not in self.held)
            held.repaired_by = next((run.id for run in runs if run), None)
        return sorted(self.held.values(), key=lambda held: (held.dataset, held.created, held.version))

    def _hold_outputs(self, runs: Mapping[RunKey, tuple[RunFacts, Grade]]) -> None:
        self.view.load_names(name for facts, _ in runs.values() for name in written_datasets(facts))
        for run, (facts, grade) in runs.items():
            for output in outputs_of(facts, run, self.view):
                part = part_of(output.facets.get(SUBSET, {}))
                self._hold((output.dataset, output.version), run, facts, grade, part)

    def _hold_version(self, version: KnownVersion, grade: Grade, part: Part | None) -> None:
        if written := self._writer(version):
            node = (self.view.primary(written.name), version.id)
            self._hold(node, written.run, written.facts, grade, part)

    def _hold(self, node: VersionId, run: RunKey, facts: RunFacts, grade: Grade, part: Part | None) -> None:
        """Add a version, or join its grade and part; a change leads to the readers again."""
        if known := self.held.get(node):
            joined = (min(known.grade, grade), _join(known.part, part))
            if joined == (known.grade, known.part):
                return
            known.grade, known.part = joined
        elif self.budget.take([node]):
            group = self.view.group(node[0])
            shown = annotations_of(group.facts).owners if self.view.opens(*group.names) else ()
            owners = tuple(owner.name for owner in shown)
            self.held[node] = Held(*node, grade, summarize_run(run, facts), facts, part, owners)
        else:
            return
        self._pending[node] = None

    def _readers(self, writers: Mapping[RunKey, RunFacts]) -> Mapping[RunKey, RunFacts]:
        """Read the runs that may have read the writers' outputs, and resolve their new inputs to versions."""
        candidates, more = possible_readers(writers, self.view)
        readers = owned_runs(read_run_facts(sorted(candidates), self.view), self.view.opens)
        new = {run: names for run in readers if (names := candidates[run] - self._read.get(run, set()))}
        fitting = self._inputs.limit_inputs({run: reading(readers[run], names) for run, names in new.items()})
        for run, reads in reads_of(fitting, self.view).items():
            self._read.setdefault(run, set()).update(new[run])
            self._reads.setdefault(run, []).extend(reads)
        if more or self._inputs.cut:
            self.cuts["not all readers were read: the datasets of the load have too many"] = None
        return readers

    def _grade(self, run: RunKey) -> Grade | None:
        """Grade a reader by the best input; None for a reader of other versions, or of other parts alone."""
        grades: list[Grade] = []
        for used in self._reads.get(run, ()):
            held, read = self.held.get((used.group.primary, used.version)), part_of(used.facets.get(SUBSET, {}))
            if held is not None and not (read and held.part and are_disjoint(read, held.part)):
                grades.append("possibly" if used.resolved_by in _BY_TIME else held.grade)
        return min(grades, default=None)

    def _kept(self, held: Held) -> Iterator[KnownVersion]:
        """Yield the later versions of a dataset, until its rows were replaced."""
        for version in self._later(held):
            if self._replaces(held, version):
                return
            yield version

    def _replaces(self, held: Held, version: KnownVersion) -> bool:
        """True if a version replaced all rows, or the part with the load."""
        change = text_in(version.facets.get("lifecycleStateChange", {}), "lifecycleStateChange")
        if version.failed or change not in _REPLACES or not self._writer(version):
            return False
        return self._part(version) in (None, held.part)

    def _later(self, held: Held) -> Sequence[KnownVersion]:
        """List the later versions of a dataset, oldest first; none for an unlisted version."""
        versions = [
            version
            for version in self._versions[held.dataset]
            if version.written is None or version.written.branch is None
        ]
        places = [place for place, version in enumerate(versions) if version.id == held.version]
        return versions[: places[0]][::-1] if places else ()

    def _load_versions(self, datasets: Iterable[DatasetId]) -> None:
        """Read the versions of new datasets; none where the caller may not see a dataset."""
        new = [self.view.group(name) for name in sorted({*datasets} - self._versions.keys())]
        shown = [group for group in new if self.view.opens(*group.names)]
        self._versions |= {group.primary: () for group in new}
        for group, page in zip(shown, read_versions_of(shown, self.view), strict=True):
            self._versions[group.primary] = page.versions
            if page.cut:
                text = f"{group.primary.node_id}: versions before the last {len(page.versions):,} were not read"
                self.cuts[text] = None

    def _writer(self, version: KnownVersion) -> WrittenVersion | None:
        """Find the run of a version, if the caller may see its job."""
        written = version.written
        return written if written and self.view.opened_runs({written.run: written.facts}) else None

    def _part(self, version: KnownVersion) -> Part | None:
        """Read the part of the dataset written by a version; None: unknown."""
        if version.written is None:
            return None
        names = self.view.group(version.name).names
        return part_of(merged_facets(version.written.facts.output_facets, names).get(SUBSET, {}))


def _join(part: Part | None, other: Part | None) -> Part | None:
    """Join two parts of a dataset; None if either is unknown, or for parts of two kinds."""
    if part is None or other is None or part.keys() != other.keys():
        return None
    return {kind: [*part[kind], *(entry for entry in other[kind] if entry not in part[kind])] for kind in part}
