"""A source that only columns name is an input of the run in every response: a MERGE that lists its target alone."""

from tests.builders_events import a_run_event
from tests.unit.api.graph_api import GraphApi, at
from tests.unit.api.teams import A, B, World, a_dataset, a_facet

STAGED, MERGED = "00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"
JOB, STAGE, DOC = "job:etl:merge", "dataset:lake:stage", "dataset:lake:doc"


def of(name, field=None):
    return {"namespace": "lake", "name": name, **({"field": field} if field else {})}


def a_merge():
    """Return the API over two runs: one writes `stage`, one merges it into `doc`."""
    fields = {name: {"inputFields": [of(source, name)]} for name, source in (("id", "stage"), ("old", "doc"))}
    columns = {"columnLineage": a_facet("ColumnLineageDataset", fields=fields)}
    return GraphApi(
        a_run_event(run=STAGED, job="load", namespace="etl", inputs=[], outputs=[of("stage")]),
        a_run_event(
            run=MERGED,
            job="merge",
            namespace="etl",
            eventTime="2025-11-20T13:00:00Z",
            inputs=[of("doc")],
            outputs=[{**of("doc"), "facets": columns}],
        ),
    )


def test_graphs_impact_and_runs_have_the_source_as_an_input():
    api = a_merge()
    edges = {node["id"]: [edge["destination"] for edge in node["outEdges"]] for node in api.graph(STAGE)["graph"]}
    impact = api.found("/reports/impact", nodeId=STAGE)
    upstream = api.found("/runlineage/upstream", runId=MERGED)
    run = api.found(f"/jobs/runs/{MERGED}")

    assert edges == {"job:etl:load": [STAGE], STAGE: [JOB], JOB: [DOC], DOC: [JOB]}
    assert [(node["nodeId"], node["hops"]) for node in impact["impacted"]] == [(JOB, 1), (DOC, 2)]
    assert [(each["job"]["name"], [read["name"] for read in each["inputs"]]) for each in upstream["runs"]] == [
        ("merge", ["doc", "stage"]),
        ("load", []),
    ]
    versions = {each["datasetVersionId"]["name"]: each["resolvedBy"] for each in run["inputDatasetVersions"]}
    assert versions == {"doc": "initial", "stage": "time"}
    assert [each["name"] for each in api.found(f"/namespaces{at('etl')}/jobs{at('merge')}")["inputs"]] == [
        "doc",
        "stage",
    ]


def test_who_may_only_reference_a_namespace_has_the_source_in_the_graph_of_its_own_job():
    source = {"columnLineage": a_facet("ColumnLineageDataset", fields={"id": {"inputFields": [B.column("clean")]}})}
    event = a_run_event(
        namespace=A.jobs, job="take", inputs=[], outputs=[{**a_dataset("taken", A.store), "facets": source}]
    )
    world = World()
    world.load(event, writes=[A.jobs, A.store])

    graph = world.get(world.token(), "/api/v1/lineage", nodeId=f"job:{A.jobs}:take")["graph"]
    assert [node["id"] for node in graph if node["type"] == "DATASET"] == [
        f"dataset:{A.store}:taken",
        f"dataset:{B.store}:clean",
    ]
