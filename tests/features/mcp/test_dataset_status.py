"""The tool that finds why a dataset is late or wrong."""

from datetime import datetime, timezone

from headwater.features.mcp.reports import dataset_status
from tests.builders_events import a_run_event
from tests.unit.api.test_sources_in_columns import a_merge, of


def test_what_failed_above_the_source_is_a_reason_for_an_old_dataset():
    api, now = a_merge(), datetime(2025, 11, 21, tzinfo=timezone.utc)
    failed = {"run": "00000000-0000-4000-8000-000000000003", "eventTime": "2025-11-20T14:00:00Z", "eventType": "FAIL"}
    api.load(a_run_event(job="load", namespace="etl", inputs=[], outputs=[of("stage")], **failed))

    def status(name):
        document = dataset_status(lambda path, query: api.found(path[len("/api/v1") :], **query), "lake", name, now)
        return document.document["ageS"], [(each["nodeId"], each["hops"]) for each in document.document["suspects"]]

    assert status("doc") == (11 * 3600, [("job:etl:load", 3)])
    assert status("stage") == (12 * 3600, [("job:etl:load", 1)])
