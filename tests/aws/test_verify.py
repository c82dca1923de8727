"""An archive that the functions made, verified where it lies: in its bucket, with the graph table."""

from contextlib import contextmanager

import pytest
from botocore.exceptions import IncompleteReadError
from botocore.response import StreamingBody

from headwater.cli.main import main
from headwater.records.archive_state import ArchiveState
from headwater.records.digest import key_of
from headwater.records.verify.archive import TrustAnchors, read_digests
from headwater.records.verify.chain import DayRange, Finding, Kind
from headwater.records.verify.stores import Bucket
from tests.aws.faults import before, refused
from tests.builders import DAY, HOUR, a_message, messages

NEXT_DAY = "2025-11-21"


@pytest.fixture
def sealed(cloud):
    """Two sealed days: on the second, one root has another record."""
    cloud.load(*messages({"file": "flights", "row": "file"}), a_message(root_id="trains", parent_id="trains"))
    cloud.compact(DAY)
    cloud.now_s += 24 * HOUR
    cloud.load(a_message(node_id="late", parent_id="file", recordedAt=cloud.now_s))
    cloud.compact(NEXT_DAY)
    return cloud


@pytest.fixture
def deployed(sealed, tmp_path, monkeypatch):
    """The same, found as a deployed stack; the command's files are in a folder of their own."""
    sealed.deploy()
    monkeypatch.chdir(tmp_path)
    return sealed


def findings(cloud):
    """Every finding of a verification with the graph table."""
    store = Bucket(cloud.s3, cloud.outputs["ArchiveBucketName"])
    known = TrustAnchors(ArchiveState(cloud.dynamodb, cloud.outputs["GraphTableName"]))
    read = read_digests(store, DayRange(), known)
    return [*read.findings, *(outcome.finding for outcome in read.check(2).outcomes() if outcome.finding)]


def keys_of(cloud, day):
    return sorted(cloud.objects(f"traces/year={day[:4]}/month={day[5:7]}/day={day[8:]}/"))


def put(cloud, key, body):
    cloud.s3.put_object(Bucket=cloud.outputs["ArchiveBucketName"], Key=key, Body=body)


def test_what_the_functions_sealed_is_verified(deployed, capsys):
    assert main(["verify"]) == 0

    _, sha256 = deployed_end(deployed)
    bucket = deployed.outputs["ArchiveBucketName"]
    size_bytes = sum(map(len, deployed.objects().values()))
    assert capsys.readouterr().out.splitlines() == [
        f"s3://{bucket}, {DAY} to {NEXT_DAY}: the last digest's sha256 is {sha256}",
        "2 of 2 digests are valid",
        f"3 objects ({size_bytes:,} bytes) were compared with them",
        "all of it is as it was sealed",
    ]


def deployed_end(cloud):
    last = ArchiveState(cloud.dynamodb, cloud.outputs["GraphTableName"]).last()
    return last.day, last.sha256


def test_a_graph_table_without_an_end_proves_no_digest(sealed):
    sealed.dynamodb.delete_item(
        TableName=sealed.outputs["GraphTableName"], Key={"pk": {"S": "COMPACTION"}, "sk": {"S": "CHAIN_HEAD"}}
    )

    returned = "the graph table names no digest as the last"
    assert findings(sealed) == [Finding(NEXT_DAY, key_of(NEXT_DAY), Kind.UNLINKED, returned)]


def test_listings_are_read_to_their_last_page(sealed):
    for number in range(1_001):
        put(sealed, f"traces/year=2025/month=11/day=22/{number}", b"x")

    returned = "objects that are not sealed yet: 1,001"
    prefix = "traces/year=2025/month=11/day=22/"
    assert findings(sealed) == [Finding("2025-11-22", prefix, Kind.NOTE, returned)]


def test_an_object_that_is_not_given_out_is_named(sealed):
    key = keys_of(sealed, NEXT_DAY)[0]

    with before(sealed.s3, "GetObject", refused("InvalidObjectState"), only=lambda call: key[-40:] in call["url_path"]):
        assert findings(sealed) == [Finding(NEXT_DAY, key, Kind.UNREADABLE, "S3 answers InvalidObjectState")]


class Breaking:
    """A body that ends with a broken connection, after half of its bytes."""

    def __init__(self, body):
        self._left = [body.read()]
        self._half = len(self._left[0]) // 2

    def read(self, amount=None):
        if not self._left:
            raise IncompleteReadError(actual_bytes=0, expected_bytes=1)
        return self._left.pop()[: self._half]

    def close(self):
        pass


@pytest.mark.parametrize("breaks", [1, 2])
def test_a_body_that_breaks_off_is_read_on_where_it_broke(sealed, breaks):
    with breaking(sealed.s3, breaks):
        assert findings(sealed) == []


def test_a_body_that_keeps_breaking_off_ends_the_verification(sealed):
    with breaking(sealed.s3, 3), pytest.raises(IncompleteReadError):
        findings(sealed)


@contextmanager
def breaking(s3, times):
    """The next bodies break off in their middle."""
    left = [times]

    def act(parsed, **_):
        if left[0]:
            left[0] -= 1
            parsed["Body"] = StreamingBody(Breaking(parsed["Body"]), None)

    s3.meta.events.register_first("after-call.s3.GetObject", act)
    try:
        yield
    finally:
        s3.meta.events.unregister("after-call.s3.GetObject", act)
