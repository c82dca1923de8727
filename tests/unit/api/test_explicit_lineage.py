"""OpenLineage's examples of explicit lineage (proposals/explicit_lineage_facet/ExplicitLineageExamples.md), by number.

Where an event carries a `lineage` facet, its entries are the edges, and never all inputs with all outputs.
"""

import pytest

from tests.unit.api.graph_api import GraphApi

WAREHOUSE, ANALYTICS = "postgresql://warehouse:5432", "postgresql://analytics:5432"
RUN = "01941f29-7c00-7ea7-b5a3-0000000000{:02}"
COMMON = {"producer": "https://example.com/etl", "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json"}


def a_dataset(name, namespace=WAREHOUSE, **more):
    return {"namespace": namespace, "name": name, "type": "DATASET", **more}


def an_event(job, entries, inputs=(), outputs=(), *, run=1, namespace="etl", hour=10):
    """Return a RunEvent, or without a run a JobEvent, whose job has these entries (None: no facet)."""
    facets = {} if entries is None else {"facets": {"lineage": {"entries": entries}}}
    sides = {
        side: [{"namespace": dataset["namespace"], "name": dataset["name"]} for dataset in datasets]
        for side, datasets in (("inputs", inputs), ("outputs", outputs))
    }
    of_run = {} if run is None else {"eventType": "COMPLETE", "run": {"runId": RUN.format(run)}}
    job = {"namespace": namespace, "name": job, **facets}
    return {**COMMON, "eventTime": f"2026-03-25T{hour}:00:00Z", "job": job, **sides, **of_run}


def served(*events):
    return GraphApi(*events)


def names(nodes):
    """Return the last parts of node ids."""
    return sorted(node_id.rpartition(":")[2] for node_id in nodes)


def beyond(api, dataset, direction):
    response = api.graph(f"dataset:{dataset['namespace']}:{dataset['name']}", direction=direction)
    return names(node["id"] for node in response["graph"])


A, B, C, D = (a_dataset(f"table_{letter}") for letter in "abcd")
BULK_ENTRIES = [{**C, "inputs": [A]}, {**D, "inputs": [B]}]
BULK = an_event("bulk_etl", BULK_ENTRIES, [A, B], [C, D])


@pytest.mark.parametrize(
    "event", [BULK, an_event("bulk_etl", BULK_ENTRIES), an_event("bulk_etl", BULK_ENTRIES, run=None)]
)
def test_1_and_5_only_the_stated_pairs_are_edges_whether_or_not_the_event_lists_the_datasets(event):
    api = served(event)
    assert beyond(api, A, "down") == ["bulk_etl", "table_a", "table_c"]
    assert beyond(api, D, "up") == ["bulk_etl", "table_b", "table_d"]
    assert beyond(api, A, "both") == ["bulk_etl", "table_a", "table_b", "table_c", "table_d"]
    (job,) = (node for node in api.graph("job:etl:bulk_etl")["graph"] if node["type"] == "JOB")
    assert job["data"]["flows"] == [
        {"origin": f"dataset:{WAREHOUSE}:table_a", "destination": f"dataset:{WAREHOUSE}:table_c"},
        {"origin": f"dataset:{WAREHOUSE}:table_b", "destination": f"dataset:{WAREHOUSE}:table_d"},
    ]
    impact = api.found("/reports/impact", nodeId=f"dataset:{WAREHOUSE}:table_b")
    assert [(node["nodeId"].rpartition(":")[2], node["hops"]) for node in impact["impacted"]] == [
        ("bulk_etl", 1),
        ("table_d", 2),
    ]


def test_1_a_run_downstream_read_what_was_made_of_what_the_run_upstream_wrote():
    source = [
        an_event(f"load_{dataset['name']}", None, [], [dataset], run=run, hour=10) for run, dataset in ((2, A), (3, B))
    ]
    bulk = an_event("bulk_etl", BULK_ENTRIES, [A, B], [C, D], hour=11)
    readers = [
        an_event(f"read_{dataset['name']}", None, [dataset], run=run, hour=12) for run, dataset in ((4, C), (5, D))
    ]
    api = served(*source, bulk, *readers)

    def runs(way, run):
        return sorted(
            listed["run"]["id"][-2:] for listed in api.found(f"/runlineage/{way}", runId=RUN.format(run))["runs"]
        )

    assert (runs("upstream", 4), runs("upstream", 5), runs("upstream", 1)) == (
        ["01", "02", "04"],
        ["01", "03", "05"],
        ["01", "02", "03"],
    )
    assert (runs("downstream", 2), runs("downstream", 3)) == (["01", "02", "04"], ["01", "03", "05"])


def columns(api, dataset, column):
    node = f"datasetField:{dataset['namespace']}:{dataset['name']}:{column}"
    (shown,) = (column for column in api.found("/column-lineage", nodeId=node)["graph"] if column["id"] == node)
    return [
        (source["dataset"], source.get("field"), [change["type"] for change in source.get("transformations", [])])
        for source in shown["data"]["inputFields"]
    ]


def test_2_columns_follow_the_entries():
    amount = a_dataset(
        "input", ANALYTICS, field="amount", transformations=[{"type": "DIRECT", "subtype": "AGGREGATION"}]
    )
    output = a_dataset("output", ANALYTICS, fields={"total": {"inputs": [amount]}})
    api = served(an_event("analytics_etl", [output]))
    assert columns(api, output, "total") == [("input", "amount", ["DIRECT"])]
    assert beyond(api, output, "up") == ["analytics_etl", "input", "output"]


def test_6_and_7_a_job_without_entries_reads_and_writes_what_the_event_lists():
    transactions, extracted = a_dataset("transactions"), a_dataset("extracted")
    api = served(an_event("fraud_detector", None, [transactions]), an_event("extract", None, [], [extracted], run=2))
    assert beyond(api, transactions, "down") == ["fraud_detector", "transactions"]
    assert beyond(api, extracted, "up") == ["extract", "extracted"]


def test_8_an_output_with_empty_inputs_is_made_by_the_job_alone():
    total = {"inputs": [{"type": "JOB", "transformations": [{"type": "DIRECT", "subtype": "AGGREGATION"}]}]}
    extracted = a_dataset("extracted_data", inputs=[], fields={"total": total})
    api = served(an_event("extract_task", [extracted], [A], [extracted]))
    assert beyond(api, extracted, "up") == ["extract_task", "extracted_data"]
    assert beyond(api, A, "down") == ["extract_task", "table_a"]


def test_an_entry_of_the_own_job_reads_a_dataset():
    api = served(an_event("validate", [{"type": "JOB", "inputs": [A]}]))
    assert beyond(api, A, "down") == ["table_a", "validate"]


def test_12_a_dataset_is_made_of_columns_of_another():
    source = [a_dataset("X", "postgres://prod", field=field) for field in "AB"]
    target = a_dataset("R.pdf", "file://", inputs=source)
    api = served(an_event("event_processor", [target]))
    assert beyond(api, a_dataset("X", "postgres://prod"), "down") == ["R.pdf", "X", "event_processor"]


def test_run_events_accumulate_and_a_job_event_replaces():
    first, second = ([{**output, "inputs": [source]}] for output, source in ((C, A), (D, B)))
    api = served(an_event("bulk_etl", first), an_event("bulk_etl", second))
    assert (beyond(api, A, "down"), beyond(api, B, "down")) == (
        ["bulk_etl", "table_a", "table_c"],
        ["bulk_etl", "table_b", "table_d"],
    )
    api.load(an_event("bulk_etl", [{**C, "inputs": [B]}], run=None, hour=11))
    assert (beyond(api, A, "down"), beyond(api, B, "down")) == (["table_a"], ["bulk_etl", "table_b", "table_c"])


def a_job(name=None, namespace="airflow://prod", **more):
    return {"type": "JOB", **({"namespace": namespace, "name": name} if name else {}), **more}


@pytest.mark.parametrize(
    "entry",
    [
        a_job("dag_b.task_1", runId=RUN.format(2), inputs=[a_job("dag_a.task_3", runId=RUN.format(1))]),
        a_job(inputs=[a_job("dag_a.task_3")]),
        {**C, "inputs": [a_job("dag_a.task_3"), A]},
    ],
)
def test_9_to_11_data_of_another_job_is_an_edge_between_jobs(entry):
    prod = {"namespace": "airflow://prod"}
    api = served(an_event("dag_a.task_3", None, **prod), an_event("dag_b.task_1", [entry], run=2, **prod))
    graph = api.graph("job:airflow://prod:dag_a.task_3", direction="down")["graph"]
    assert {"job:airflow://prod:dag_b.task_1"} <= {node["id"] for node in graph}
    edge = {"origin": "job:airflow://prod:dag_a.task_3", "destination": "job:airflow://prod:dag_b.task_1"}
    assert [node["outEdges"] for node in graph if node["id"] == edge["origin"]] == [[edge]]


def test_dags_that_an_asset_triggers_are_connected_by_their_dependencies():
    dependency = {
        "job": {"namespace": "etl", "name": "producer"},
        "dependency_type": "IMPLICIT_DEPENDENCY",
        "sequence_trigger_rule": "FINISH_TO_START",
        "status_trigger_rule": "EXECUTE_EVERY_TIME",
    }
    consumer = an_event("consumer", None, run=2)
    consumer["run"]["facets"] = {"jobDependencies": {"upstream": [dependency], "trigger_rule": "ALL_SUCCESS"}}
    api = served(an_event("producer", None, [], [A]), consumer)
    assert names(node["id"] for node in api.graph("job:etl:consumer")["graph"]) == ["consumer"]
    for form in ("full", "summary"):
        graph = api.graph("job:etl:consumer", dependencies="true", form=form)
        assert names(node["id"] for node in graph["graph"]) == ["consumer", "producer", "table_a"]
        assert graph["dependencies"] == [
            {
                "origin": "job:etl:producer",
                "destination": "job:etl:consumer",
                "dependencyType": "IMPLICIT_DEPENDENCY",
                "sequenceTriggerRule": "FINISH_TO_START",
                "statusTriggerRule": "EXECUTE_EVERY_TIME",
            }
        ]
