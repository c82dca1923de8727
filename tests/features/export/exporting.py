"""Exports of a graph in memory over the API, and the parts of the graph kept by every export."""

import json
from dataclasses import replace

from headwater.events.event import Event
from headwater.features.export.events import render_events
from headwater.features.export.reading import Reading, Scope
from tests.features.serving import getter
from tests.unit.api.graph_api import GraphApi, at
from tests.unit.facts.strategies import DATASETS, JOBS, stamped


def exported(api, scope=Scope()):  # noqa: B008 - it is frozen
    """Return the lines of an export of events."""
    reading = Reading(getter(api), columns=True)
    lines = list(render_events(reading.parts(scope)))
    assert reading.cuts == []
    return lines


def imported(lines):
    """Return a new graph of exported lines."""
    return GraphApi(*map(json.loads, lines))


def without_explicit_lineage(statements):
    """Return the statements without `lineage` facets of jobs: beside these, an export may lose columns or flows."""
    return [
        stamped(
            replace(
                statement, job_facets={name: body for name, body in statement.job_facets.items() if name != "lineage"}
            )
        )
        if isinstance(statement, Event)
        else statement
        for statement in statements
    ]


def nodes_and_edges(api):
    """Return the ids of all listed nodes, and the edges, without edges to a job without datasets.

    A JobEvent without datasets is no lineage to the service, whatever jobs its `lineage` facet names.
    """
    parts = set()
    for kind, node in (*(("jobs", job) for job in JOBS), *(("datasets", dataset) for dataset in DATASETS)):
        status, form = api.get(f"/namespaces{at(node.namespace)}/{kind}{at(node.name)}")
        if status != 200 or form["deleted"] or form.get("temporary"):
            continue
        status, form = api.get("/lineage", nodeId=node.node_id, depth=1)
        if status == 200 and any(shown["id"] == node.node_id for shown in form["graph"]):
            parts |= {shown["id"] for shown in form["graph"]}
            parts |= {(edge["origin"], edge["destination"]) for shown in form["graph"] for edge in shown["inEdges"]}
    edges = {part for part in parts if isinstance(part, tuple)}
    with_datasets = {end for edge in edges if not all(map(_is_job, edge)) for end in edge}
    return parts - {edge for edge in edges if all(map(_is_job, edge)) and edge[1] not in with_datasets}


def _is_job(node_id):
    return node_id.startswith("job:")


def column_edges(api):
    """Return the sources of each column outside of structs, and of each whole dataset, by node id."""
    sources = {}
    for dataset in DATASETS:
        status, form = api.get("/column-lineage", nodeId=dataset.node_id)
        if status != 200:
            continue
        for node in form["graph"]:
            data = node["data"]
            if (data["namespace"], data["name"]) == dataset and data["field"] in ("carrier", "co2"):
                sources[node["id"]] = [data["type"], *_sources(data["inputFields"], data["datasetDependencies"])]
        sources |= {
            dataset_form["id"]: _sources(dataset_form["datasetDependencies"]) for dataset_form in form["datasets"]
        }
    return sources


def _sources(*lists):
    entries = [source for sources in lists for source in sources]
    return sorted(
        (source["namespace"], source["name"], source["field"] or "", json.dumps(source["transformations"]))
        for source in entries
    )
