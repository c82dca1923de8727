"""An export as OpenLineage events, one JSON document a line: `headwater import` makes the same graph of them.

A job is a JobEvent with its inputs, its outputs and their column lineage. A dataset is a DatasetEvent with its schema
and its further descriptions. Events have the time of the thing's last mention: the same graph makes the same bytes.

Left out are runs and versions, with all that follows from them: states, times, stale datasets, edges of control. So are
the aliases of a dataset, and tags set by the API. The service lists the columns of a struct beside the fields inside
it, and an export repeats the list.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from headwater.features.export.reading import DatasetPart, Document, JobPart, Name, Part, name_of
from headwater.times import just_after, render_time
from headwater_model.times import parse_time

_PRODUCER = "urn:headwater:export"
_SPEC = "https://openlineage.io/spec"
_SCHEMA_URL = f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/{{}}"
_COLUMN_FACET = {"_producer": _PRODUCER, "_schemaURL": f"{_SPEC}/facets/1-2-0/ColumnLineageDatasetFacet.json"}
_LINEAGE_FACET = {"_producer": _PRODUCER, "_schemaURL": f"{_SPEC}/facets/1-0-0/LineageJobFacet.json"}
# Made anew from the current graph, or about a run: the facet as sent may be older than the graph.
_LEFT_OUT = frozenset({"columnLineage", "lineage", "lifecycleStateChange", "symlinks", "version"})


def render_events(parts: Iterable[Part]) -> Iterator[str]:
    """Yield a line for each part: first jobs, then datasets."""
    declared: dict[Name, dict[str, Any]] = {}
    for part in parts:
        events = _job_events(part, declared) if isinstance(part, JobPart) else [_dataset_event(part, declared)]
        yield from (json.dumps(event, ensure_ascii=False) + "\n" for event in events)


def _job_events(part: JobPart, declared: dict[Name, dict[str, Any]]) -> list[dict[str, Any]]:
    """Render a job's events; keep columns declared by DatasetEvents for their datasets' events.

    An earlier run may have reported columns of datasets that the job no longer reads. Sources are inputs of their
    event: so a second event, without columns, has the present inputs.
    """
    resource, node_id = part.resource or {}, part.node["id"]
    job = name_of(part.node["data"])
    inputs = _datasets(part, (origin for origin, end in part.edges if end == node_id))
    outputs = _datasets(part, (end for origin, end in part.edges if origin == node_id))
    columns = _Columns(part.columns, job)
    declared.update(columns.declared())
    entries = _entries(part, columns, outputs)
    facets = _kept(resource.get("facets", {}))
    if entries is not None:
        facets["lineage"] = {**_LINEAGE_FACET, "entries": entries}
    reported = {dataset: {} if entries is not None else columns.facet_of(dataset, inputs) for dataset in outputs}
    event = {
        **_common("JobEvent", resource["updatedAt"]),
        "job": {**job._asdict(), "facets": facets},
        "inputs": [dataset._asdict() for dataset in inputs],
        "outputs": [{**dataset._asdict(), "facets": facet} for dataset, facet in reported.items()],
    }
    if _sources(reported.values()) <= set(inputs):
        return [event]
    later = render_time(just_after(parse_time(resource["updatedAt"])))
    return [event, {**event, "eventTime": later, "outputs": [dataset._asdict() for dataset in outputs]}]


def _sources(reported: Iterable[Mapping[str, Any]]) -> set[Name]:
    """List the sources in `columnLineage` facets."""
    facets = [facets["columnLineage"] for facets in reported if facets]
    columns = (column["inputFields"] for facet in facets for column in facet["fields"].values())
    return {
        name_of(source) for sources in (*columns, *(facet.get("dataset", ()) for facet in facets)) for source in sources
    }


def _dataset_event(part: DatasetPart, declared: dict[Name, dict[str, Any]]) -> dict[str, Any]:
    name = name_of(part.resource)
    declared.update(_Columns(part.columns, None).declared())
    facets = {**_kept(part.resource.get("facets", {})), **declared.get(name, {})}
    return {**_common("DatasetEvent", part.resource["updatedAt"]), "dataset": {**name._asdict(), "facets": facets}}


def _common(kind: str, time: str) -> dict[str, Any]:
    return {"eventTime": time, "producer": _PRODUCER, "schemaURL": _SCHEMA_URL.format(kind)}


def _kept(facets: Mapping[str, Any]) -> dict[str, Any]:
    return {name: body for name, body in facets.items() if name not in _LEFT_OUT}


def _datasets(part: JobPart, ends: Iterable[str]) -> list[Name]:
    """List the names of the datasets among these ends."""
    return [name_of(part.neighbours[end]["data"]) for end in ends if _is(part, end, "DATASET")]


def _is(part: JobPart, end: str, kind: str) -> bool:
    return end in part.neighbours and part.neighbours[end]["type"] == kind


def _entries(part: JobPart, columns: _Columns, outputs: Sequence[Name]) -> list[dict[str, Any]] | None:
    """Render the entries of a `lineage` facet: of a job with stated flows, or with data of further jobs.

    Such a facet outweighs `columnLineage` facets. So there is none if the flows have no room for the job's columns:
    operations may have reported the columns beside the flows.
    """
    flows = part.node["data"].get("flows")
    jobs = [origin for origin, end in part.edges if end == part.node["id"] and _is(part, origin, "JOB")]
    taken = [{"type": "JOB", **name_of(part.neighbours[origin]["data"])._asdict()} for origin in jobs]
    sources: dict[Name, list[Name]] = defaultdict(list)
    for flow in flows or ():
        if _is(part, flow["origin"], "DATASET") and _is(part, flow["destination"], "DATASET"):
            origin, destination = (part.neighbours[flow[end]]["data"] for end in ("origin", "destination"))
            sources[name_of(destination)].append(name_of(origin))
    if not taken and (flows is None or not all(columns.fit(output, sources[output]) for output in outputs)):
        return None
    entries = [columns.entry_of(output, sources[output]) for output in outputs]
    return [*([{"type": "JOB", "inputs": taken}] if taken else ()), *entries]


class _Columns:
    """Columns reported by a job, or by DatasetEvents without a job, in a response of `/column-lineage` if any."""

    def __init__(self, response: Document | None, job: Name | None) -> None:
        self._job = job
        self._columns: dict[Name, list[Document]] = defaultdict(list)
        for node in response["graph"] if response else ():
            if node["data"] is not None:
                self._columns[name_of(node["data"])].append(node["data"])
        self._whole = (
            {name_of(dataset): dataset["datasetDependencies"] for dataset in response["datasets"]} if response else {}
        )

    def facet_of(self, dataset: Name, inputs: Sequence[Name]) -> dict[str, Any]:
        """Render the `columnLineage` facet of an output; no facet if all of it depends on all of each input.

        A facet without columns means: the output depends on no input.
        """
        fields = {
            column["field"]: {"inputFields": column_sources} for column, column_sources in self._reported(dataset)
        }
        whole = self._whole.get(dataset, ())
        if not fields and {name_of(source) for source in whole if source["field"] is None}.issuperset(inputs):
            return {}
        named = [_input(source) for source in whole if source["field"] is not None]
        return {"columnLineage": {**_COLUMN_FACET, "fields": fields, **({"dataset": named} if named else {})}}

    def fit(self, dataset: Name, sources: Sequence[Name]) -> bool:
        """True if these datasets have all sources of the columns without a second reporter."""
        alone = (column_sources for column, column_sources in self._reported(dataset) if len(column["reportedBy"]) == 1)
        return all(name_of(source) in sources for column_sources in alone for source in column_sources)

    def entry_of(self, dataset: Name, sources: Sequence[Name]) -> dict[str, Any]:
        """Render the entry of an output made of these datasets; further jobs may have reported further datasets."""
        fields = {
            column["field"]: {"inputs": [_entity(source) for source in column_sources if name_of(source) in sources]}
            for column, column_sources in self._reported(dataset, with_datasets=True)
        }
        whole = [_entity(_input(source)) for source in self._whole.get(dataset, ()) if name_of(source) in sources]
        related = {
            name_of(source)
            for source in (*whole, *(source for column in fields.values() for source in column["inputs"]))
        }
        whole += [_entity(source._asdict()) for source in sources if source not in related]
        return {**_entity(dataset._asdict()), "inputs": whole, **({"fields": fields} if fields else {})}

    def declared(self) -> Iterator[tuple[Name, dict[str, Any]]]:
        """Yield the `lineage` facets of datasets whose columns a DatasetEvent declared."""
        for dataset in self._columns:
            fields = {
                column["field"]: {"inputs": [_entity(source) for source in inputs]}
                for column, inputs in self._by(dataset, None)
            }
            if fields:
                whole = [] if self._job else [_entity(_input(source)) for source in self._whole.get(dataset, ())]
                yield dataset, {"lineage": {**_LINEAGE_FACET, "inputs": whole, "fields": fields}}

    def _reported(self, dataset: Name, *, with_datasets: bool = False) -> Iterator[tuple[Document, list[Document]]]:
        """Yield the columns in the job's reports, with their sources."""
        for column, inputs in self._by(dataset, self._job and self._job._asdict()):
            yield column, [source for source in inputs if with_datasets or "field" in source]

    def _by(self, dataset: Name, reporter: Document | None) -> Iterator[tuple[Document, list[Document]]]:
        """Yield the columns in a reporter's reports, with their sources; without `field`, of a whole dataset."""
        for column in self._columns.get(dataset, ()):
            if any(report["job"] == reporter for report in column["reportedBy"]):
                yield column, [_input(source) for source in (*column["inputFields"], *column["datasetDependencies"])]


def _entity(dataset: Mapping[str, Any]) -> dict[str, Any]:
    """Render a dataset, or a column of it, as the `lineage` facet names it."""
    return {"type": "DATASET", **dataset}


def _input(source: Document) -> dict[str, Any]:
    """Render a source as facets have it; a dataset without a column has no `field`."""
    names = ("type", "subtype", "description", "masking")
    transformations = [
        {name: transformation[name] for name in names if transformation.get(name) is not None}
        for transformation in source["transformations"]
    ]
    form = {"namespace": source["namespace"], "name": source["name"]}
    if source["field"] is not None:
        form["field"] = source["field"]
    return {**form, "transformations": transformations} if transformations else form
