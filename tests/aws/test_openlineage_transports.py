"""Events of any producer of openlineage-python, by its own client, the queue and the events function into the graph."""

import pytest
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import (
    DatasetEvent,
    InputDataset,
    Job,
    JobEvent,
    OutputDataset,
    Run,
    RunEvent,
    RunState,
    StaticDataset,
)

from headwater_model.ids import DatasetId, JobId
from lambdas import wiring
from spark_client.openlineage import SqsConfig, SqsTransport
from tests.builders_events import CHECK, RUN, STORE

BY = {"producer": "https://github.com/flights/emissions"}
AT = "2025-11-20T12:00:00Z"


@pytest.fixture
def producer(cloud, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # no openlineage.yml of the developer's
    options = {"type": "spark_client.openlineage.SqsTransport", "queueUrl": cloud.url("EventsQueue")}
    return OpenLineageClient(config={"transport": options})


def a_run(state=RunState.COMPLETE, at=AT):
    return RunEvent(
        eventTime=at,
        eventType=state,
        run=Run(RUN),
        job=Job("emissions", CHECK),
        inputs=[InputDataset(STORE, "raw")],
        outputs=[OutputDataset(STORE, "checked")],
        **BY,
    )


def test_every_kind_of_event_ends_in_the_graph(cloud, producer):
    producer.emit(a_run(RunState.START, "2025-11-20T11:00:00Z"))
    producer.emit(a_run())
    producer.emit(
        JobEvent(
            eventTime=AT, job=Job("emissions", "declared"), inputs=[], outputs=[OutputDataset(STORE, "planes")], **BY
        )
    )
    producer.emit(DatasetEvent(eventTime=AT, dataset=StaticDataset(STORE, "described"), **BY))

    assert cloud.load_events(*cloud.bodies("EventsQueue")) == []

    queries = wiring.lineage_queries()
    job = queries.find_job(JobId("emissions", CHECK))
    assert ([dataset.name for dataset in job.inputs], [dataset.name for dataset in job.outputs]) == (
        ["raw"],
        ["checked"],
    )
    assert queries.find_run(RUN).state == "COMPLETED"
    assert queries.find_job(JobId("emissions", "declared")) is not None
    assert queries.find_dataset(DatasetId(STORE, "described")) is not None


def test_what_ingest_would_refuse_is_left_for_the_dead_letters_alone(cloud):
    transport = SqsTransport(SqsConfig(cloud.url("EventsQueue")))
    for event in (
        a_run(at="2025-11-21T13:00:00Z"),
        {"eventTime": AT, **BY, "run": {"runId": RUN}},
        {"change": "DELETE", "eventTime": "2030-01-01T00:00:00Z", "namespace": "emissions"},
        a_run(),
    ):
        transport.emit(event)

    assert cloud.load_events(*cloud.bodies("EventsQueue")) == [0, 1, 2]
    assert wiring.lineage_queries().find_run(RUN).state == "COMPLETED"
