"""Sealed days become tables: which are still to be made, and what makes an attempt the one that counts."""

import boto3
import pytest

from headwater.aws import clients
from headwater.records.publications import Publications
from headwater_model.archive_tables import parse_manifest
from headwater_model.errors import Conflict, NotFound
from tests.aws.faults import Killed, after, before
from tests.builders import DAY, HOUR, a_message

pytestmark = pytest.mark.usefixtures("catalog")

DAY_AFTER = "2025-11-21"
THIRD = "2025-11-22"


def sealed(cloud, day, *, root="r"):
    if root:
        cloud.load(a_message(root_id=root, node_id=f"{root}-{day}", parent_id=root, recordedAt=cloud.now_s))
    cloud.compact(day)
    cloud.now_s += 24 * HOUR


def last_published(cloud):
    return Publications(cloud.dynamodb, cloud.outputs["GraphTableName"]).last()


def location(cloud, table, day, attempt):
    return f"s3://{cloud.outputs['ArchiveBucketName']}/tables/{table}/day={day}/attempt={attempt}/"


def test_a_whole_attempt_is_published_by_its_partitions_and_a_copy_of_its_manifest(cloud):
    sealed(cloud, DAY)
    cloud.attempt(DAY, "night-1")
    assert cloud.unpublished(DAY) == [{"day": DAY, "objects": True}]

    assert cloud.publish(DAY, "night-1") == {"day": DAY}

    assert cloud.partitions("records") == {DAY: location(cloud, "records", DAY, "night-1")}
    assert cloud.partitions("traces") == {DAY: location(cloud, "traces", DAY, "night-1")}
    assert parse_manifest(cloud.objects("tables/published/")[f"tables/published/{DAY}.json"]).attempt == "night-1"
    assert (cloud.unpublished(DAY), last_published(cloud)) == ([], DAY)


def test_partitions_have_the_columns_that_their_table_has_now(cloud):
    sealed(cloud, DAY)
    cloud.attempt(DAY, "a")
    cloud.publish(DAY, "a")

    glue = boto3.client("glue")
    partition = glue.get_partition(DatabaseName="headwater_test", TableName="records", PartitionValues=[DAY])[
        "Partition"
    ]
    table = glue.get_table(DatabaseName="headwater_test", Name="records")["Table"]
    assert partition["StorageDescriptor"]["Columns"] == table["StorageDescriptor"]["Columns"]
    assert partition["Parameters"]["headwater.version"] == "1"


def test_an_attempt_without_manifest_is_not_whole(cloud):
    sealed(cloud, DAY)
    with pytest.raises(NotFound, match="attempt night-1 to compact 2025-11-20 has no manifest"):
        cloud.publish(DAY, "night-1")
    assert (cloud.partitions(), last_published(cloud)) == ({}, None)


def test_an_attempt_that_read_another_digest_is_refused(cloud):
    sealed(cloud, DAY)
    cloud.attempt(DAY, "night-1", digest_sha256="0" * 64)
    with pytest.raises(Conflict, match="read another digest of 2025-11-20 than the sealed one"):
        cloud.publish(DAY, "night-1")
    assert cloud.partitions() == {}


def test_a_day_with_objects_is_not_published_without_tables(cloud):
    sealed(cloud, DAY)
    with pytest.raises(Conflict, match="day 2025-11-20 has 1 objects, but nothing was made of them"):
        cloud.publish(DAY, None)


def test_days_that_were_missed_are_picked_up_oldest_first(cloud):
    sealed(cloud, DAY)
    cloud.attempt(DAY, "a")
    cloud.publish(DAY, "a")
    sealed(cloud, DAY_AFTER, root="s")
    sealed(cloud, THIRD, root="t")

    assert [due["day"] for due in cloud.unpublished(THIRD)] == [DAY_AFTER, THIRD]


def test_another_attempt_replaces_the_day_and_all_but_the_attempt_before_are_removed(cloud):
    sealed(cloud, DAY)
    for attempt in ("a", "b", "c"):
        assert cloud.unpublished(DAY, again=True) == [{"day": DAY, "objects": True}]
        cloud.attempt(DAY, attempt)
        cloud.publish(DAY, attempt)
        cloud.publish(DAY, attempt)

    assert cloud.partitions() == {DAY: location(cloud, "records", DAY, "c")}
    assert sorted(cloud.objects(f"tables/records/day={DAY}/")) == [
        f"tables/records/day={DAY}/attempt={attempt}/part-0.parquet" for attempt in ("b", "c")
    ]


@pytest.mark.parametrize("fault", [before, after])
@pytest.mark.parametrize(
    ("service", "operation"),
    [("glue", "CreatePartition"), ("s3", "PutObject"), ("dynamodb", "PutItem"), ("s3", "ListObjectsV2")],
)
def test_a_publication_that_died_anywhere_is_finished_by_the_next(cloud, service, operation, fault):
    sealed(cloud, DAY)
    cloud.attempt(DAY, "a")
    client = cloud.dynamodb if service == "dynamodb" else clients.client(service)
    with pytest.raises(Killed), fault(client, operation, Killed()):
        cloud.publish(DAY, "a")
    cloud.publish(DAY, "a")

    assert cloud.partitions("traces") == {DAY: location(cloud, "traces", DAY, "a")}
    assert (cloud.unpublished(DAY), last_published(cloud)) == ([], DAY)


def leave(cloud, number):
    """So many roots that were too large for the trace function; the compaction's plan."""
    for root in range(number):
        cloud.load(*(a_message(root_id=f"big-{root}", node_id=node, parent_id=f"big-{root}") for node in "ab"))
    plan = cloud.plan(DAY)
    cloud.enqueue(plan)
    cloud.traces()
    return plan


@pytest.mark.parametrize(("before_deadline_s", "expected"), [(6 * HOUR, 20), (2700, 10), (2699, 5), (-60, 5)])
def test_spark_is_given_no_more_roots_than_it_can_trace_within_the_lease(
    cloud, monkeypatch, before_deadline_s, expected
):
    monkeypatch.setenv("TRACE_RECORDS_MAX", "1")
    deadline = leave(cloud, 23)["deadline"]
    cloud.now_s = deadline - before_deadline_s
    assert len(cloud.step("left", day=DAY, deadline=deadline)["roots"]) == expected
