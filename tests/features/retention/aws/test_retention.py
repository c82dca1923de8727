"""History that has expired: with the time moved, current things are as they were, and nothing fails."""

from __future__ import annotations

import json

import pytest

from headwater import settings
from headwater.records.archive_state import ArchiveState
from headwater.records.removals import delete_versions
from headwater.records.verify.archive import TrustAnchors, read_digests
from headwater.records.verify.chain import DayRange
from headwater.records.verify.stores import Bucket
from tests.builders import DAY, HOUR
from tests.builders_events import a_dataset, a_facet, a_run_event

DAYS = 30
PATHS = (
    ("/api/v1/lineage", {"nodeId": "dataset:lake:clean", "depth": "5"}),
    ("/api/v1/column-lineage", {"nodeId": "dataset:lake:clean"}),
    ("/api/v1/namespaces/emissions/jobs/check", None),
    ("/api/v1/namespaces/emissions/jobs/check/runs", None),
    ("/api/v1/namespaces/lake/datasets/clean", None),
    ("/api/v1/namespaces/lake/datasets/clean/versions", None),
)
BODY = "x" * 70_000


def an_event(**changes):
    """Make a run's end, with columns and a failed test."""
    output = a_dataset("clean", "lake", ["id"])
    tests = a_facet("DataQualityAssertionsDataset", assertions=[{"assertion": "unique", "success": False}])
    source = {"inputFields": [{"namespace": "lake", "name": "raw", "field": "id"}]}
    output["facets"]["columnLineage"] = a_facet("ColumnLineageDataset", "1-2-0", fields={"id": source})
    output["facets"]["dataQualityAssertions"] = tests
    return a_run_event(
        job="check",
        inputs=[a_dataset("raw", "lake", ["id"])],
        outputs=[output],
        **changes,
    )


@pytest.fixture
def kept(cloud, monkeypatch):
    """Two runs at the first day, the second with a large event and a failed test; the day is sealed."""
    monkeypatch.setenv(settings.KEPT_DAYS, json.dumps(dict.fromkeys(("events", "tests", "runs", "streams"), DAYS)))
    event = an_event(job_facets={"sql": a_facet("SQLJob", query=BODY)})
    assert cloud.load_events({**event, "eventType": "START"}, event) == []
    cloud.now_s += 24 * HOUR
    cloud.compact(DAY)
    return cloud


def expire(cloud):
    """Remove expired rows, as TTL does, and objects of the raw log, as the lifecycle rule does."""
    cloud.now_s += DAYS * 24 * HOUR
    gone = [
        item for item in cloud.items("Graph") if "expires_at" in item and int(item["expires_at"]["N"]) < cloud.now_s
    ]
    for item in gone:
        key = {name: item[name] for name in ("pk", "sk")}
        cloud._dynamodb.delete_item(TableName=cloud.outputs["GraphTableName"], Key=key)
    delete_versions(cloud.s3, cloud.outputs["ArchiveBucketName"], "events/")
    return sorted({(item["pk"]["S"].partition("#")[0], item["sk"]["S"].partition("#")[0]) for item in gone})


def test_expired_history_leaves_what_is_current(kept, api):
    before = [api.send("GET", *path).body for path in PATHS]
    assert api.send("GET", "/api/v1/events/lineage").json["totalCount"] == 2

    kinds = expire(kept)
    assert [kind for kind in kinds if kind[0] not in ("LATELY", "FEED")] == [("DATASET", "TEST"), ("EVENTS", "EVENT")]
    assert [api.send("GET", *path).body for path in PATHS] == before
    assert api.send("GET", "/api/v1/events/lineage").json == {
        "events": [],
        "totalCount": 0,
        "truncated": False,
    }


def test_a_superseded_run_expires_after_its_days_and_an_older_time_is_refused(kept, api):
    for number in (2, 3):
        kept.now_s += 24 * HOUR
        later = an_event(run=f"01941f2a-0000-7000-8000-00000000000{number}", eventTime=f"2025-11-2{number}T12:00:00Z")
        assert kept.load_events(later) == kept.load_events(later) == []
    then = {"nodeId": "dataset:lake:clean", "lineageAt": "2025-11-22T18:00:00Z"}
    assert api.send("GET", "/api/v1/lineage", then).status == 200
    current = [api.send("GET", *path).body for path in PATHS[:2]]

    kept.now_s += 24 * HOUR
    expire(kept)
    assert [api.send("GET", *path).body for path in PATHS[:2]] == current
    runs = api.send("GET", *PATHS[3]).json
    # The first run stays: before it, the dataset had its initial version.
    assert ([run["id"][-1] for run in runs["runs"]], runs["totalCount"]) == (["3", "c"], 3)
    refused = api.send("GET", "/api/v1/lineage", then)
    rule = "must be 2025-11-25T12:00:00.000000Z or later: older history has expired"
    message = f"lineageAt: {rule}, got '2025-11-22T18:00:00.000000Z'"
    assert (refused.status, refused.json["message"]) == (400, message)


def test_expired_events_are_no_fault_of_the_archive(kept):
    expire(kept)
    store = Bucket(kept.s3, kept.outputs["ArchiveBucketName"])
    state = ArchiveState(kept.dynamodb, kept.outputs["GraphTableName"])

    def faults(events_from):
        read = read_digests(store, DayRange(), TrustAnchors(state, events_from=events_from))
        outcomes = [outcome.finding for outcome in read.check(1).outcomes() if outcome.finding]
        return [finding.kind.value for finding in (*read.findings, *outcomes) if finding.fault]

    assert (faults("2025-11-21"), faults(DAY)) == ([], ["REMOVED"])
