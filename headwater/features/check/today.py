"""The graph of today as the API shows it, with a proposal laid over the columns of its jobs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias
from urllib.parse import quote

from headwater.api.values import path_of
from headwater.cli.service import Get, Missing
from headwater.features.check.proposal import Proposal, ProposedOutput
from headwater.queries.view.descriptions import schema_of
from headwater_model.columns import Column, Sources, merge_sources
from headwater_model.field_paths import parse_dotted
from headwater_model.ids import DatasetId, FieldPath, JobId

# The effect of a source: its original values arrive, or masked values, or it is a mere condition.
How: TypeAlias = Literal["plain", "masked", "condition"]
_CHILDREN_MAX = 100
# The sources of a column.
Flows: TypeAlias = Mapping[Column, How]


@dataclass(frozen=True, slots=True)
class DatasetToday:
    """A dataset under its primary name: the types, tags and sources of its fields."""

    dataset: DatasetId
    types: Mapping[FieldPath, str | None]
    tags: Mapping[FieldPath, Set[str]]
    flows: Mapping[FieldPath, Flows]
    temporary: bool = False


@dataclass(frozen=True, slots=True)
class Output:
    """An output of a proposed job; `flows` is None if its columns have no report."""

    job: JobId
    dataset: DatasetId
    today: DatasetToday | None
    types: Mapping[FieldPath, str | None] | None
    flows: Mapping[FieldPath, Flows] | None


@dataclass
class Today:
    """A reader of the graph; each dataset is read once."""

    get: Get
    _datasets: dict[DatasetId, DatasetToday | None] = field(default_factory=dict)

    def dataset(self, name: DatasetId) -> DatasetToday | None:
        """Read a dataset by any of its names; None if it is unknown or deleted."""
        if name not in self._datasets:
            self._datasets[name] = self._read(name)
        return self._datasets[name]

    def outputs(self, proposal: Proposal) -> Iterator[Output]:
        """Yield the outputs of a proposal, with all datasets under their primary names."""
        for job, outputs in sorted(proposal.outputs.items()):
            for name, proposed in sorted(outputs.items()):
                today = self.dataset(name)
                flows = self._flows(proposed)
                yield Output(job, self._primary(name), today, proposed.types, flows)

    def reads(self, proposal: Proposal) -> Mapping[str, Set[DatasetId]]:
        """Map the proposed jobs, by node id, to their inputs under primary names."""
        return {job.node_id: set(map(self._primary, proposal.inputs.get(job, ()))) for job in proposal.outputs}

    def lost(self, proposal: Proposal) -> Iterator[tuple[JobId, DatasetId]]:
        """Yield the datasets that the jobs write today, and that no job writes after the change."""
        kept = {self._primary(name) for outputs in proposal.outputs.values() for name in outputs}
        for job in sorted(proposal.outputs):
            written, writers = self._written(job)
            for name in sorted(written - kept):
                kept.add(name)
                today = self.dataset(name)
                if today is None or today.temporary:
                    continue
                others = self.get("/api/v1/lineage/neighbours", {"nodeId": name.node_id, "side": "up"})["neighbours"]
                if not {node["id"] for node in others} - writers - {job.node_id for job in proposal.outputs}:
                    yield job, name

    def _written(self, job: JobId) -> tuple[set[DatasetId], set[str]]:
        """Read the outputs of a job, and of the child runs of its last good run; list the jobs, too, by node id."""
        try:
            form = self.get(f"/api/v1/namespaces/{quote(job.namespace, safe='')}/jobs/{quote(job.name, safe='')}", {})
        except Missing:
            return set(), set()
        good = next((run["id"] for run in form["latestRuns"] if run["state"] == "COMPLETED"), None)
        path = f"/api/v1/jobs/runs/{quote(good or '', safe='')}/children"
        children = self.get(path, {"limit": _CHILDREN_MAX})["runs"] if good else ()
        names = [use["datasetVersionId"] for run in children for use in run["outputDatasetVersions"]]
        written = {DatasetId(name["namespace"], name["name"]) for name in (*form["outputs"], *names)}
        writers = {JobId(run["job"]["namespace"], run["job"]["name"]).node_id for run in children}
        return set(map(self._primary, written)), writers

    def _primary(self, name: DatasetId) -> DatasetId:
        today = self.dataset(name)
        return today.dataset if today else name

    def impact(self, node: Column | DatasetId, depth: int) -> Mapping[str, Any]:
        """Read the report of impact of a node; empty if it is unknown."""
        try:
            report: Mapping[str, Any] = self.get("/api/v1/reports/impact", {"nodeId": node.node_id, "depth": depth})
        except Missing:
            return {"impacted": [], "truncated": False}
        return report

    def _read(self, name: DatasetId) -> DatasetToday | None:
        try:
            form = self.get(path_of(name), {})
        except Missing:
            return None
        if form["deleted"]:
            return None
        fields = {parse_dotted(entry["name"]): entry for entry in form["fields"]}
        types = {path: entry["type"] for path, entry in fields.items()} | dict(schema_of(form["facets"]).types)
        flows = {parse_dotted(entry["name"]): _flows_of(entry["inputFields"]) for entry in form["columnLineage"] or ()}
        tags = {path: frozenset(entry["tags"]) for path, entry in fields.items() if entry["tags"]}
        return DatasetToday(DatasetId(form["namespace"], form["name"]), types, tags, flows, form["temporary"])

    def _flows(self, proposed: ProposedOutput) -> Mapping[FieldPath, Flows] | None:
        if proposed.columns is None:
            return None
        whole = proposed.columns.dataset_level
        return {path: self._named(merge_sources([sources, whole])) for path, sources in proposed.columns.fields.items()}

    def _named(self, sources: Sources) -> Flows:
        flows: dict[Column, How] = {}
        for source, transformations in sources.items():
            if source.field is not None:
                column = Column(self._primary(source.dataset), source.field)
                flows[column] = _how([(step.type, step.masking) for step in transformations])
        return flows


def _flows_of(sources: list[Mapping[str, Any]]) -> Flows:
    return {
        Column(DatasetId(source["namespace"], source["name"]), parse_dotted(source["field"])): _how(
            [(step["type"], step.get("masking")) for step in source.get("transformations") or ()]
        )
        for source in sources
        if source["field"] is not None
    }


def _how(steps: Sequence[tuple[str, bool | None]]) -> How:
    """Find the effect of steps; without a report of them, original values may arrive."""
    if steps and all(kind == "INDIRECT" for kind, _ in steps):
        return "condition"
    return "masked" if any(masked for _, masked in steps) else "plain"
