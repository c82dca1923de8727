"""The versions made of a load: a walk over the API to readers, and to later versions with the same rows.

An appended table keeps its rows: each later version holds the load, until a run replaces the table.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias
from urllib.parse import quote

from headwater.cli.service import Get, NoResponse
from headwater.events.subsets import SUBSET, Part, are_disjoint, part_of
from headwater.walk import Budget
from headwater_model.ids import DatasetId
from headwater_model.times import parse_time

Grade: TypeAlias = Literal["certainly", "possibly"]
_PAGE, _VERSIONS_MAX = 100, 2_000
# A run read the version because of the time alone, or the writer is unknown.
_BY_TIME = ("time", "initial")
# Changes after which no earlier row of a dataset is left.
_REPLACES = ("CREATE", "DROP", "OVERWRITE", "TRUNCATE")


class VersionId(NamedTuple):
    """A version of a dataset."""

    dataset: DatasetId
    version: str


@dataclass(slots=True)
class Held:
    """A version with rows of the load, and its run; `part` has these rows, None: unknown."""

    id: VersionId
    grade: Grade
    run: str
    job: str
    created: str
    part: Part | None
    owners: tuple[str, ...]
    repaired_by: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Make the JSON."""
        dataset = self.id.dataset
        names = {"namespace": dataset.namespace, "name": dataset.name, "version": self.id.version}
        origin = {"grade": self.grade, "run": self.run, "job": self.job, "createdAt": self.created}
        part = None if self.part is None else {kind: list(entries) for kind, entries in self.part.items()}
        return {**names, **origin, "part": part, "owners": list(self.owners), "repairedBy": self.repaired_by}


@dataclass
class Recall:
    """A walk from the versions of a load; `budget` limits the shown versions."""

    get: Get
    budget: Budget
    cuts: dict[str, None] = field(default_factory=dict)
    held: dict[VersionId, Held] = field(default_factory=dict)
    _pending: deque[VersionId] = field(default_factory=deque)
    _read: dict[str, Any] = field(default_factory=dict)

    def from_run(self, run: str) -> None:
        """Start at the outputs of a run.

        Raises:
            NoResponse: the service knows no such run.
        """
        self._hold_outputs(run, "certainly")

    def from_version(self, dataset: DatasetId, version: str) -> None:
        """Start at a version of a dataset.

        Raises:
            NoResponse: the service knows no such version.
        """
        self._start(dataset, lambda document: bool(document["version"] == version), version)

    def from_times(self, dataset: DatasetId, start: str, end: str) -> None:
        """Start at the versions of a dataset from a time on and before another (normalized).

        Raises:
            NoResponse: the dataset has no such versions.
        """
        self._start(dataset, lambda document: start <= parse_time(document["createdAt"]) < end, f"of {start} to {end}")

    def walk(self) -> list[Held]:
        """Walk to all versions with rows of the load; list the versions by dataset and time."""
        while self._pending:
            held = self.held[self._pending.popleft()]
            for document in self._kept(held):
                node = VersionId(held.id.dataset, document["version"])
                self._hold(node, document["createdByRun"], "possibly", held.part)
            for run in self._readers(held.run):
                if grade := self._grade(run):
                    self._hold_outputs(run, grade)
        if self.budget.cut:
            self.cuts[f"more than {len(self.held):,} versions hold something of the load: give --limit"] = None
        return sorted(self.held.values(), key=lambda each: (each.id.dataset, each.created, each.id.version))

    def find_repairs(self) -> None:
        """Find the run that replaced each version, without rows of the load."""
        for held in self.held.values():
            for document in self._later(held.id):
                version = VersionId(held.id.dataset, document["version"])
                if version not in self.held and self._replaces(held, document):
                    held.repaired_by = document["createdByRun"]["id"]
                    break

    def _start(self, dataset: DatasetId, chosen: Callable[[Mapping[str, Any]], bool], what: str) -> None:
        documents = [document for document in self._versions(dataset) if chosen(document)]
        if not documents:
            raise NoResponse(f"{dataset.node_id}: has no version {what}")
        for document in documents:
            node = VersionId(DatasetId(document["namespace"], document["name"]), document["version"])
            self._hold(node, document["createdByRun"], "certainly", self._written(node, document))

    def _hold_outputs(self, run: str, grade: Grade) -> None:
        document = self._run(run)
        for output in document["outputDatasetVersions"]:
            self._hold(_version(output), document, grade, _part(output))

    def _hold(self, node: VersionId, run: Mapping[str, Any] | None, grade: Grade, part: Part | None) -> None:
        """Add a version, or join its grade and part; a change leads to the readers again."""
        if run is None:
            return
        if known := self.held.get(node):
            joined = (min(known.grade, grade), _join(known.part, part))
            if joined == (known.grade, known.part):
                return
            known.grade, known.part = joined
        elif self.budget.take([node]):
            job = f"job:{run['job']['namespace']}:{run['job']['name']}"
            time = run["endedAt"] or run["startedAt"] or run["createdAt"]
            self.held[node] = Held(node, grade, run["id"], job, time, part, self._owners(node.dataset))
        else:
            return
        self._pending.append(node)

    def _grade(self, run: str) -> Grade | None:
        """Grade a reader by the best input; None for a reader of other parts alone."""
        grades: list[Grade] = []
        for used in self._run(run)["inputDatasetVersions"]:
            held, read = self.held.get(_version(used)), _part(used)
            if held is None or (read and held.part and are_disjoint(read, held.part)):
                continue
            grades.append("possibly" if used["resolvedBy"] in _BY_TIME else held.grade)
        return min(grades, default=None)

    def _kept(self, held: Held) -> Iterator[Mapping[str, Any]]:
        """Yield the later versions of a dataset, until its rows were replaced."""
        for document in self._later(held.id):
            if self._replaces(held, document):
                return
            yield document

    def _replaces(self, held: Held, document: Mapping[str, Any]) -> bool:
        """True if a version replaced all rows, or the part with the load."""
        if document["failed"] or document["createdByRun"] is None or document["lifecycleState"] not in _REPLACES:
            return False
        written = self._written(VersionId(held.id.dataset, document["version"]), document)
        return written is None or written == held.part

    def _later(self, node: VersionId) -> Sequence[Mapping[str, Any]]:
        """List the later versions of a dataset, oldest first; none for an unlisted version."""
        newest_first = [document for document in self._versions(node.dataset) if not document["branch"]]
        places = [place for place, document in enumerate(newest_first) if document["version"] == node.version]
        return newest_first[: places[0]][::-1] if places else ()

    def _written(self, node: VersionId, document: Mapping[str, Any]) -> Part | None:
        """Read the part of the dataset written by a version; None: unknown."""
        run = document["createdByRun"]
        outputs = self._run(run["id"])["outputDatasetVersions"] if run else ()
        return next((_part(output) for output in outputs if _version(output) == node), None)

    def _readers(self, run: str) -> Iterable[str]:
        response = self._once("/api/v1/runlineage/downstream", {"runId": run, "depth": 1})
        if response["truncated"]:
            self.cuts[f"run {run}: not all its readers were read"] = None
        return [each["run"]["id"] for each in response["runs"] if each["run"]["id"] != run]

    def _run(self, run: str) -> Mapping[str, Any]:
        document: Mapping[str, Any] = self._once(f"/api/v1/jobs/runs/{quote(run, safe='')}", {})
        if document["otherJobs"]:
            self.cuts[f"run {run}: further jobs have runs of this id, which were not read"] = None
        return document

    def _versions(self, dataset: DatasetId) -> list[Mapping[str, Any]]:
        """List the versions of a dataset, newest first."""
        path, versions = f"{_path(dataset)}/versions", list[Mapping[str, Any]]()
        while len(versions) < _VERSIONS_MAX:
            page = self._once(path, {"limit": _PAGE, "offset": len(versions)})
            versions += page["versions"]
            if not page["versions"] or len(versions) >= page["totalCount"]:
                return versions
        self.cuts[f"{dataset.node_id}: versions before the last {_VERSIONS_MAX:,} were not read"] = None
        return versions

    def _owners(self, dataset: DatasetId) -> tuple[str, ...]:
        return tuple(owner["name"] for owner in self._once(_path(dataset), {})["owners"])

    def _once(self, path: str, query: Mapping[str, object]) -> Any:
        """Fetch a document; remember it."""
        key = f"{path} {sorted(query.items())}"
        if key not in self._read:
            self._read[key] = self.get(path, query)
        return self._read[key]


def _version(used: Mapping[str, Any]) -> VersionId:
    of = used["datasetVersionId"]
    return VersionId(DatasetId(of["namespace"], of["name"]), of["version"])


def _part(used: Mapping[str, Any]) -> Part | None:
    return part_of(used["facets"].get(SUBSET) or {})


def _join(part: Part | None, other: Part | None) -> Part | None:
    """Join two parts of a dataset; None if either is unknown, or for parts of two kinds."""
    if part is None or other is None or part.keys() != other.keys():
        return None
    return {kind: [*part[kind], *(entry for entry in other[kind] if entry not in part[kind])] for kind in part}


def _path(dataset: DatasetId) -> str:
    return f"/api/v1/namespaces/{quote(dataset.namespace, safe='')}/datasets/{quote(dataset.name, safe='')}"
