"""The readers of changed columns, worst first: reports of impact, with the proposed jobs read from the proposal."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from headwater.features.check.today import Output, Today
from headwater_model.columns import Column
from headwater_model.field_paths import parse_dotted
from headwater_model.ids import DatasetId

# As the API's reports of impact: everything downstream.
DEPTH = 100
# Reports of impact read.
REPORTS_MAX = 500
# The effects of a change on a reader, worst first, as in the explorer's report of impact.
BREAKS = "breaks"
EFFECTS = ("loses a dataset", BREAKS, "rows change", "masked", "perhaps")


@dataclass(slots=True)
class Reader:
    """A job, dataset or column made of changed columns; `hops` of the nearest path, worst `effect`."""

    node_id: str
    type: str
    hops: int
    effect: str
    owners: tuple[str, ...] = ()
    columns: set[str] = field(default_factory=set)

    @property
    def harm(self) -> tuple[int, int, str, str]:
        """The order of the readers: worst effect first, then nearest."""
        return EFFECTS.index(self.effect), self.hops, self.type, self.node_id

    def to_json(self) -> dict[str, Any]:
        """Make the JSON."""
        names = {"nodeId": self.node_id, "type": self.type, "effect": self.effect, "hops": self.hops}
        return {**names, "owners": list(self.owners), "columns": sorted(self.columns)}


@dataclass
class ReaderSearch:
    """A search for the readers of columns; a proposed job reads the columns of the proposal, not of its last run."""

    today: Today
    outputs: Collection[Output]
    # The datasets read by each proposed job.
    reads: Mapping[str, Set[DatasetId]]
    truncated: bool = False
    _reports: int = 0
    _jobs: frozenset[str] = field(init=False)
    _below: dict[Column, dict[Column, str]] = field(init=False)

    def __post_init__(self) -> None:
        # A job with an output without reported columns keeps its lineage of today.
        unreported = {output.job for output in self.outputs if output.flows is None}
        self._jobs = frozenset(output.job.node_id for output in self.outputs if output.job not in unreported)
        self._below = {}
        for output in self.outputs:
            for path, flows in (output.flows or {}).items():
                for source in flows:
                    self._below.setdefault(source, {})[Column(output.dataset, path)] = output.job.node_id

    def readers(self, columns: Iterable[Column]) -> list[Reader]:
        """Find the readers of the columns, worst first."""
        readers_by_id: dict[str, Reader] = {}
        columns = list(columns)
        for column in columns:
            for reader in self._of_column(column) if column.field else self._of_dataset(column.dataset):
                reader.columns = {column.node_id} if column.field else set()
                known = readers_by_id.setdefault(reader.node_id, reader)
                known.columns |= reader.columns
                known.hops = min(known.hops, reader.hops)
                known.effect = min(known.effect, reader.effect, key=EFFECTS.index)
        changed = {column.node_id for column in columns}
        return sorted(
            (each for each in readers_by_id.values() if each.node_id not in changed), key=lambda each: each.harm
        )

    def _of_column(self, column: Column) -> Iterator[Reader]:
        """Yield the readers of a column: of a whole report, or hop by hop where a proposed job stands on the way."""
        seen, pending = {column}, deque([(column, 0)])
        while pending:
            current, hops = pending.popleft()
            report = self._report(current, DEPTH)
            if self._names_proposed(report) or current in self._below:
                kept, further = self._without_proposed(current, self._report(current, 0)["impacted"])
                yield from self._proposed_readers(current, hops + 1)
            else:
                kept = report["impacted"]
                # A proposed job may read a column further down.
                further = {below: far for below, far in _columns_in(kept, kept).items() if below in self._below}
            yield from (_reader(node, hops) for node in kept)
            new = {below: far for below, far in further.items() if below not in seen}
            seen |= new.keys()
            pending += ((below, hops + far) for below, far in new.items())

    def _of_dataset(self, dataset: DatasetId) -> Iterator[Reader]:
        """Yield everything downstream of a lost dataset, but behind a proposed job that reads it no more."""
        reached, report = {dataset.node_id}, self._report(dataset, DEPTH)
        for node in report["impacted"]:
            is_left = node["hops"] == 1 and dataset not in self.reads.get(node["nodeId"], (dataset,))
            if not is_left and not reached.isdisjoint(node["through"]):
                reached.add(node["nodeId"])
                yield _reader(node, 0, EFFECTS[0])

    def _proposed_readers(self, column: Column, hops: int) -> Iterator[Reader]:
        """Yield the proposed jobs with a lost column in the proposal, and the columns made of it: all break."""
        below = self._below.get(column, {})
        yield from (Reader(job, "JOB", hops, BREAKS) for job in sorted({*below.values()}))
        yield from (Reader(each.node_id, "DATASET_FIELD", hops, BREAKS) for each in below)

    def _report(self, node: Column | DatasetId, depth: int) -> Mapping[str, Any]:
        if self._reports >= REPORTS_MAX:
            self.truncated = True
            return {"impacted": [], "truncated": True}
        self._reports += 1
        report = self.today.impact(node, depth)
        self.truncated |= report["truncated"]
        return report

    def _names_proposed(self, report: Mapping[str, Any]) -> bool:
        return any(node["nodeId"] in self._jobs for node in report["impacted"])

    def _without_proposed(
        self, column: Column, nodes: Sequence[Mapping[str, Any]]
    ) -> tuple[list[Mapping[str, Any]], dict[Column, int]]:
        """Keep the readers by other jobs; list the columns a hop down, with the columns of the proposal."""
        nearest = [node for node in nodes if node["hops"] == 1]
        kept = [node for node in nearest if node["type"] != "DATASET" and not self._is_proposed(node)]
        below = _columns_in(kept, nodes) | dict.fromkeys(self._below.get(column, {}), 1)
        datasets = {each.dataset.node_id for each in below}
        uncertain = any(node["type"] == "JOB" and not node["certain"] for node in kept)
        kept += [
            node
            for node in nearest
            if node["type"] == "DATASET" and (node["nodeId"] in datasets or (uncertain and not node["certain"]))
        ]
        return kept, below

    def _is_proposed(self, node: Mapping[str, Any]) -> bool:
        if node["type"] == "JOB":
            return node["nodeId"] in self._jobs
        return bool(node["data"]) and {*node["data"]["jobs"]} <= self._jobs


def _columns_in(kept: Iterable[Mapping[str, Any]], nodes: Iterable[Mapping[str, Any]]) -> dict[Column, int]:
    """Map the kept columns of a report to their hops; a node id alone may be split in several ways."""
    datasets = {
        node["nodeId"]: DatasetId(node["data"]["namespace"], node["data"]["name"])
        for node in nodes
        if node["type"] == "DATASET" and node["data"]
    }
    return {
        Column(datasets[node["data"]["dataset"]], parse_dotted(node["data"]["field"])): node["hops"]
        for node in kept
        if node["type"] == "DATASET_FIELD" and node["data"] and node["data"]["dataset"] in datasets
    }


def _reader(node: Mapping[str, Any], hops: int, effect: str | None = None) -> Reader:
    owners = tuple(owner["name"] for owner in (node["data"] or {}).get("owners", ()))
    return Reader(node["nodeId"], node["type"], hops + node["hops"], effect or _effect(node), owners)


def _effect(node: Mapping[str, Any]) -> str:
    if not node["certain"]:
        return "perhaps"
    if node["masked"]:
        return "masked"
    return BREAKS if node["direct"] else "rows change"
