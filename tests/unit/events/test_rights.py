"""Rights of senders: what an event describes is in namespaces that they may write, what it names may be elsewhere."""

import pytest

from headwater.events.api_changes import parse_change
from headwater.events.naming import NamingRules
from headwater.events.parse import parse_event
from headwater.events.rights import check_rights
from headwater.namespaces import Rights
from headwater_model.errors import Forbidden
from tests.builders_events import (
    NAMESPACE,
    STORE,
    a_dataset,
    a_dataset_event,
    a_facet,
    a_job_event,
    a_parent,
    a_run_event,
)

OTHER = {"namespace": "team-b", "name": "nightly"}
DEPENDS = {"run_facets": {"jobDependencies": {"upstream": [{"job": OTHER}]}}}
IS_NEEDED = {"run_facets": {"jobDependencies": {"downstream": [{"job": OTHER}]}}}
TAKES = {"job_facets": {"lineage": {"entries": [{"type": "JOB", "inputs": [{"type": "JOB", **OTHER}]}]}}}


@pytest.mark.parametrize(
    ("facets", "field"),
    [
        (DEPENDS, "facets.jobDependencies.upstream.job.namespace"),
        (IS_NEEDED, "facets.jobDependencies.downstream.job.namespace"),
        (TAKES, "facets.lineage.entries.inputs.namespace"),
    ],
)
def test_an_edge_to_a_job_elsewhere_needs_the_right_to_reference(facets, field):
    event = parse_event(a_run_event(**facets), NamingRules(), now=None)
    own = (NAMESPACE, STORE, *{use.dataset.namespace for use in event.inputs})
    for allowed in (Rights(own, ("team-*",)), Rights((*own, "team-b"), ())):
        check_rights(event, allowed)
    with pytest.raises(Forbidden, match=f"^{field}: .*team-b"):
        check_rights(event, Rights(own, ("team-c",)))


SECRET = {"namespace": "s3://secret", "name": "ages"}
AGE = {**SECRET, "field": "age"}
RAW = {"namespace": STORE, "name": "raw"}
OTHER_NAME = a_facet("SymlinksDataset", identifiers=[{"namespace": "hive", "name": "db.raw", "type": "TABLE"}])
OLD_NAME = a_facet(
    "LifecycleStateChange", lifecycleStateChange="RENAME", previousIdentifier={"namespace": "hive", "name": "old"}
)
COLUMNS = a_facet("ColumnLineageDataset", fields={"seats": {"inputFields": [AGE]}})
WHOLE = a_facet("ColumnLineageDataset", fields={}, dataset=[AGE])
OF_DATASET = a_facet("Lineage", inputs=[{"type": "DATASET", **SECRET}])
OF_JOB = a_facet("Lineage", entries=[{"type": "DATASET", **SECRET, "inputs": []}])


def operations(source, destination):
    """Operations that write into one dataset what they read of another."""
    read = {"type": "READ", "name": "read", "source": source, "outputs": ["age"]}
    write = {
        "type": "WRITE",
        "name": "write",
        "inputs": [{"origin": "read", "name": "age"}],
        "destination": destination,
    }
    return {"headwater_operations": a_facet("HeadwaterOperations", operations=[read, write])}


def check(event, *references):
    check_rights(parse_change(event, NamingRules()), Rights((NAMESPACE, f"{STORE}*"), references))


@pytest.mark.parametrize(
    "event",
    [
        a_run_event(),
        a_job_event(),
        a_run_event(inputs=[SECRET]),
        a_run_event(outputs=[a_dataset(facets={"symlinks": OTHER_NAME})]),
        a_run_event(outputs=[a_dataset(facets={"lifecycleStateChange": OLD_NAME})]),
        a_run_event(outputs=[a_dataset(facets={"columnLineage": COLUMNS})]),
        a_run_event(outputs=[a_dataset(facets={"columnLineage": WHOLE})]),
        a_dataset_event(a_dataset(facets={"columnLineage": COLUMNS})),
        a_dataset_event(a_dataset(facets={"lineage": OF_DATASET})),
        a_run_event(run_facets=operations(SECRET, RAW)),
    ],
)
def test_an_event_may_name_what_it_does_not_describe(event):
    check(event, "*")


@pytest.mark.parametrize(
    ("event", "field", "namespace"),
    [
        (a_run_event(namespace="elsewhere"), "job.namespace", "elsewhere"),
        (a_job_event(namespace="elsewhere"), "job.namespace", "elsewhere"),
        (a_run_event(outputs=[SECRET]), "outputs.namespace", "s3://secret"),
        (a_dataset_event(SECRET), "dataset.namespace", "s3://secret"),
        (a_run_event(run_facets={"parent": a_parent(namespace="airflow")}), "parent.job.namespace", "airflow"),
        (a_run_event(job_facets={"lineage": OF_JOB}), "facets.lineage.entries.namespace", "s3://secret"),
        (a_job_event(job_facets={"lineage": OF_JOB}), "facets.lineage.entries.namespace", "s3://secret"),
        (
            a_run_event(run_facets=operations(RAW, SECRET)),
            "facets.headwater_operations.destination.namespace",
            "s3://secret",
        ),
    ],
)
def test_to_describe_what_is_in_another_namespace_is_refused(event, field, namespace):
    with pytest.raises(Forbidden) as refused:
        check(event, "*")
    assert str(refused.value) == f"{field}: must be a namespace that the token may write, got {namespace!r}"


@pytest.mark.parametrize(
    ("event", "field"),
    [
        (a_run_event(inputs=[SECRET]), "inputs.namespace"),
        (a_run_event(outputs=[a_dataset(facets={"columnLineage": COLUMNS})]), "facets.columnLineage"),
    ],
)
def test_references_limit_the_datasets_that_an_event_may_name(event, field):
    with pytest.raises(Forbidden) as refused:
        check(event, "s3://shared")
    assert str(refused.value) == (
        f"{field}: must be a namespace that the token may write or reference, got 's3://secret'"
    )
    check(event, "s3://shared", "s3://sec*")
