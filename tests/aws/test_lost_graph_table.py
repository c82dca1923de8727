"""A lost graph table, created again: the archive's rows come back from the bucket, and its chain goes on."""

from __future__ import annotations

import io
import zipfile
from itertools import takewhile

import boto3
import pytest
import time_machine

from headwater import settings
from headwater.cli.main import main
from headwater.records.archive_state import ArchiveState, ChainLost
from headwater.records.digest import Digests, key_of
from headwater.records.publications import Publications
from tests.aws.faults import Killed, after, killed_at
from tests.builders import DAY, HOUR, a_message, messages
from tests.builders_events import RUN, a_run_event

NEXT_DAY, THIRD_DAY = "2025-11-21", "2025-11-22"
TREE = {"flights": {"file", "row", "late", "last"}, "trains": {"train", "carriage"}}


@pytest.fixture
def deployed(cloud, catalog, tmp_path, monkeypatch):
    """The cloud as `headwater` finds a deployed stack; the command's files are in a folder of their own."""
    cloud.deploy(EventsFunctionName="events")
    trust = {"RoleName": "events", "AssumeRolePolicyDocument": "{}"}
    role = boto3.client("iam").create_role(**trust)["Role"]["Arn"]
    code = io.BytesIO()
    with zipfile.ZipFile(code, "w") as file:
        file.writestr("x.py", "")
    boto3.client("lambda").create_function(
        FunctionName="events", Runtime="python3.13", Role=role, Handler="x.y", Code={"ZipFile": code.getvalue()}
    )
    monkeypatch.chdir(tmp_path)
    return cloud


def lose(cloud):
    """Delete the graph table, and create it again as the template does: empty."""
    client, name = boto3.client("dynamodb"), cloud.outputs["GraphTableName"]
    keys = client.describe_table(TableName=name)["Table"]
    client.update_table(TableName=name, DeletionProtectionEnabled=False)
    client.delete_table(TableName=name)
    create_table(name, keys)
    assert cloud.items("Graph") == []


def rows(cloud):
    """List the archive's rows without `read_from` and `read_to`, known to the lost table alone."""
    unknown = {"read_from", "read_to"}
    return sorted(
        (
            item["pk"]["S"],
            item["sk"]["S"],
            sorted((name, str(value)) for name, value in item.items() if name not in unknown),
        )
        for item in cloud.items("Graph")
        if item["pk"]["S"].partition("#")[0] in ("ROOT", "ROOT_IDS", "OBJECT", "DAY") or item["sk"]["S"] == "CHAIN_HEAD"
    )


def sealed_by_night(cloud):
    """Two sealed days: roots flights and trains on the first, a late record of flights on the second."""
    cloud.load(*messages({"file": "flights", "row": "file"}), *messages({"train": "trains"}, "trains"))
    cloud.load_events(a_run_event())
    cloud.compact(DAY)
    cloud.now_s += 24 * HOUR
    cloud.load(a_message(node_id="late", parent_id="file", recordedAt=cloud.now_s))
    cloud.compact(NEXT_DAY)
    cloud.now_s += 24 * HOUR


def replay(cloud, *options):
    """Run the command at the cloud's time; return its exit code."""
    with time_machine.travel(cloud.now_s, tick=False):
        return main(["replay", *options])


def create_like_the_graph(cloud, name):
    """Create an empty table with the keys of the graph table."""
    create_table(name, boto3.client("dynamodb").describe_table(TableName=cloud.outputs["GraphTableName"])["Table"])


def create_table(name, like):
    keys = {field: like[field] for field in ("KeySchema", "AttributeDefinitions")}
    boto3.client("dynamodb").create_table(TableName=name, **keys, BillingMode="PAY_PER_REQUEST")


def verified(capsys):
    """The exit code and the last line of a verification from the first day on."""
    capsys.readouterr()
    return main(["verify"]), capsys.readouterr().out.splitlines()[-1]


GOOD = (0, "all of it is as it was sealed")


def test_a_compaction_starts_no_second_chain(deployed):
    sealed_by_night(deployed)
    lose(deployed)
    before = deployed.objects("")
    night = {"day": THIRD_DAY, "execution": "nightly", "started_at": deployed.now_s}

    for act in (lambda: deployed.plan(THIRD_DAY), lambda: deployed.seal(night)):
        with pytest.raises(ChainLost, match=f"a digest of {DAY}, the end of the chain in the graph table is none"):
            act()
    assert (deployed.objects(""), deployed.items("Graph")) == (before, [])


def test_an_end_of_the_chain_that_is_older_than_the_bucket_starts_none_either(deployed):
    sealed_by_night(deployed)
    state = ArchiveState(deployed.dynamodb, deployed.outputs["GraphTableName"])
    end = next(item for item in deployed.items("Graph") if item["sk"]["S"] == "CHAIN_HEAD")
    older = {**end, "day": {"S": DAY}, "key": {"S": key_of(DAY)}}
    client, table = boto3.client("dynamodb"), deployed.outputs["GraphTableName"]
    client.put_item(TableName=table, Item=older)
    client.delete_item(TableName=table, Key={"pk": {"S": f"DAY#{NEXT_DAY}"}, "sk": {"S": "SEAL"}})

    with pytest.raises(ChainLost, match=f"a digest of {NEXT_DAY}, the end of the chain in the graph table is {DAY}"):
        deployed.plan(THIRD_DAY)
    assert replay(deployed) == 0
    assert state.last().day == NEXT_DAY
    deployed.plan(THIRD_DAY)


def test_a_replay_makes_the_rows_of_the_archive_again_and_the_chain_goes_on_from_the_first_day(deployed, capsys):
    sealed_by_night(deployed)
    before = rows(deployed)
    lose(deployed)
    assert replay(deployed) == 0
    assert (
        "archive: rows of 3 objects of 2 sealed days made, 0 records of unsealed days staged" in capsys.readouterr().out
    )
    assert rows(deployed) == before

    deployed.load(a_message(node_id="last", parent_id="row", recordedAt=deployed.now_s))
    deployed.compact(THIRD_DAY)
    assert deployed.archived_nodes() == TREE["flights"]
    assert verified(capsys) == GOOD


def test_days_whose_tables_were_published_are_so_again_up_to_the_first_that_was_not(deployed):
    sealed_by_night(deployed)
    digest = Digests(deployed.s3, deployed.outputs["ArchiveBucketName"])
    for day in (DAY, NEXT_DAY):
        deployed.attempt(day, "a-1", digest.get(day).link.sha256)
    deployed.publish(DAY, "a-1")
    known = Publications(deployed.dynamodb, deployed.outputs["GraphTableName"])
    before = known.of([DAY, NEXT_DAY])
    lose(deployed)

    assert replay(deployed) == 0
    published = known.of([DAY, NEXT_DAY])
    assert {day: (publication.attempt, publication.digest_sha256) for day, publication in published.items()} == {
        day: (publication.attempt, publication.digest_sha256) for day, publication in before.items()
    }
    assert (known.last(), [due["day"] for due in deployed.unpublished(NEXT_DAY)]) == (DAY, [NEXT_DAY])


NIGHTS = (
    lambda cloud: cloud.load(*messages({"file": "flights", "row": "file"}), *messages({"train": "trains"}, "trains")),
    lambda cloud: cloud.trace(day=DAY, execution="by hand", started_at=cloud.now_s),
    lambda cloud: cloud.load(a_message(node_id="late", parent_id="file")),
    lambda cloud: cloud.compact(DAY),
    lambda cloud: setattr(cloud, "now_s", cloud.now_s + 24 * HOUR),
    lambda cloud: cloud.load(
        a_message(node_id="last", parent_id="row", recordedAt=cloud.now_s),
        a_message(root_id="trains", node_id="carriage", parent_id="train", recordedAt=cloud.now_s),
    ),
    lambda cloud: cloud.trace(day=NEXT_DAY, execution="by hand", started_at=cloud.now_s),
    lambda cloud: cloud.trace("trains", day=NEXT_DAY, execution="by hand", started_at=cloud.now_s),
    lambda cloud: cloud.compact(NEXT_DAY),
    lambda cloud: setattr(cloud, "now_s", cloud.now_s + 25 * HOUR),
)


# `make test` runs the times at which records are in an object alone, possibly of an unsealed day.
LOST = [
    *(
        pytest.param(number, False, marks=() if number == 8 else pytest.mark.slow)
        for number in range(1, len(NIGHTS) + 1)
    ),
    *(pytest.param(number, True, marks=() if number == 3 else pytest.mark.slow) for number in (2, 3)),
]


@pytest.mark.parametrize(("lost_before", "expired"), LOST)
def test_whenever_the_table_is_lost_every_record_is_archived_in_one_chain(deployed, capsys, lost_before, expired):
    """A record that expired after its trace is in an object alone; the object's day may be unsealed."""
    for number, step in enumerate(NIGHTS, 1):
        step(deployed)
        if number == lost_before:
            if expired:
                deployed.now_s += 11 * HOUR
            lose(deployed)
            assert replay(deployed) == 0
    deployed.stream(deployed.expire())
    deployed.now_s += 24 * HOUR
    deployed.compact("2025-11-23")

    assert {root: deployed.archived_nodes(root) for root in TREE} == TREE
    assert deployed.dirty() == set()
    assert verified(capsys) == GOOD


@pytest.mark.parametrize("operation", ["BatchWriteItem", "PutItem", "TransactWriteItems"])
def test_a_replay_that_died_anywhere_is_refused_by_the_compaction_or_whole_and_completes(
    deployed, operation, monkeypatch
):
    sealed_by_night(deployed)
    before = rows(deployed)
    lose(deployed)
    client = boto3.client("dynamodb")
    monkeypatch.setattr(
        "headwater.cli.deployment.Deployment.client",
        lambda _, service: client if service == "dynamodb" else boto3.client(service),
    )
    with pytest.raises(Killed), after(client, operation, Killed()):
        replay(deployed)
    if operation != "TransactWriteItems":
        with pytest.raises(ChainLost):
            deployed.plan(THIRD_DAY)

    assert replay(deployed) == 0
    assert rows(deployed) == before


def test_digests_that_are_no_chain_are_refused(deployed, capsys):
    sealed_by_night(deployed)
    bucket = deployed.outputs["ArchiveBucketName"]
    deployed.s3.delete_object(Bucket=bucket, Key=key_of(DAY))
    lose(deployed)

    assert replay(deployed) == 1
    assert f"{key_of(NEXT_DAY)} does not name the digest before it" in capsys.readouterr().err
    assert rows(deployed) == []


def test_an_unsealed_object_that_no_trace_writes_is_named_and_the_rest_is_made(deployed, capsys):
    sealed_by_night(deployed)
    bucket, key = (
        deployed.outputs["ArchiveBucketName"],
        f"traces/year=2025/month=11/day=22/{'0' * 64}.{'1' * 64}.jsonl.gz",
    )
    deployed.s3.put_object(Bucket=bucket, Key=key, Body=b"half")
    before = rows(deployed)
    lose(deployed)

    assert replay(deployed) == 1
    assert f"{key}: object: must be named by its SHA-256" in capsys.readouterr().err
    assert rows(deployed) == before
    assert settings.STAGED not in "".join(item["pk"]["S"] for item in deployed.items("Graph"))


def test_a_replay_without_events_needs_an_empty_table_of_its_own(deployed, capsys):
    deployed.load_events(a_run_event())
    own = deployed.outputs["GraphTableName"]
    create_like_the_graph(deployed, "without")
    arguments = ["replay", "--except-run", RUN]
    for refused, reason in ((arguments, "needs --into"), ([*arguments, "--into", own], "must be an empty table")):
        with pytest.raises(SystemExit):
            main(refused)
        assert reason in capsys.readouterr().err
    assert main([*arguments, "--into", "without"]) == 0
    assert "0 events of 1 days loaded, 0 failed, 1 left out" in capsys.readouterr().out


def test_a_replay_without_events_that_dies_again_and_again_ends_with_the_same_table(deployed, monkeypatch, capsys):
    other = "01941f29-7c00-7ea7-b5a3-00000000000b"
    deployed.load_events(a_run_event(run=other, job="report", inputs=["checked"], outputs=["report"]))
    sealed_by_night(deployed)
    create_like_the_graph(deployed, "whole"), create_like_the_graph(deployed, "broken")
    client = boto3.client("dynamodb")
    monkeypatch.setattr(
        "headwater.cli.deployment.Deployment.client",
        lambda _, service: client if service == "dynamodb" else boto3.client(service),
    )
    without = ["--except-run", other]
    assert replay(deployed, "--into", "whole", *without) == 0
    assert "1 events of 1 days loaded, 0 failed, 1 left out" in capsys.readouterr().out

    def dies_at(call):
        try:
            with killed_at([client], call, effective=True):
                return replay(deployed, "--into", "broken", *without) != 0
        except Killed:
            return True

    deaths = list(takewhile(dies_at, range(5, 500, 5)))
    assert len(deaths) > 2
    # The version of a row, and its note, are of its swaps.
    whole, broken = (
        sorted(repr({**item, "version": 0, "noted": 0}) for item in client.scan(TableName=name)["Items"])
        for name in ("whole", "broken")
    )
    assert whole == broken
