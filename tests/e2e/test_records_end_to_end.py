"""Records through the whole stack: in over HTTP, two nights of compaction on Spark, and found by every condition."""

import gzip
import hashlib
import json
import urllib.request
from datetime import datetime, timezone
from urllib.parse import urlencode

import boto3
import pytest

from headwater.cli.main import main
from local_stack.stack import LocalStack

HOUR = 3600
RECORDS = "/api/v1/records"
ROOT = "it's a root; -- \x07\n/* ? ü */ \\"


class Account:
    """A stack of the test's own, whose time it may move."""

    def __init__(self, stack):
        self.stack = stack
        self.url = stack.api_url.rstrip("/")
        self._s3 = boto3.client("s3", **stack.client_settings)

    def http(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(f"{self.url}{path}", data), timeout=60) as response:
            return response.read()

    def post(self, root_id, *nodes, **changes):
        records = [{"node_id": node, "storage_location": f"s3://lake/{root_id[:3]}/{node}"} for node in nodes]
        form = {"root_id": root_id, "parent_id": root_id, "action_taken": "SPLIT", "records": records, **changes}
        self.http(RECORDS, form)
        self.stack.drain()

    def trace(self, root_id):
        return [json.loads(line) for line in self.http(f"{RECORDS}/roots/{root_id}/trace").splitlines()]

    def day(self):
        return datetime.fromtimestamp(self.stack.now, timezone.utc).date().isoformat()

    def pass_day(self):
        """Go on until TTL has removed all records of the table; count them."""
        self.stack.advance(26 * HOUR)
        removed = self.stack.sweep_ttl()
        self.stack.drain()
        return removed

    def search(self, **query):
        """Search all pages: (root, node) -> the day of its archive, None for a live record."""
        archived_on, cursor = {}, {}
        while cursor is not None:
            page = json.loads(self.http(f"{RECORDS}/search?{urlencode({**query, **cursor})}"))
            for record in page["records"]:
                key = record["root_id"], record["node_id"]
                assert key not in archived_on
                archived_on[key] = record["archivedOn"]
            cursor = {"cursor": page["cursor"]} if page["cursor"] else None
        return archived_on

    def object_at(self, address):
        bucket, _, key = address.removeprefix("s3://").partition("/")
        return self._s3.get_object(Bucket=bucket, Key=key)["Body"].read()


@pytest.fixture
def account(template, tmp_path):
    with LocalStack(template, window_cap_s=0.2, logs=tmp_path) as stack:
        yield Account(stack)


# Takes long: two compactions on Spark make the searched tables.
def test_records_are_served_today_archived_at_night_and_found_by_every_condition(account, capsys):
    first, started = account.day(), int(account.stack.now)
    account.post(ROOT, "a", "b", run_id="run-1")
    account.post("other", "a", action_taken="READ")
    rows = [f"row-{number}" for number in range(150)]
    account.post("flights", *rows)
    live = account.trace("flights")
    sealed = account.stack.run_state_machine({"day": first})
    # No trace of the first day has read this record; it expires before the second day is compacted.
    account.post("late", "z")
    assert account.pass_day() == 154

    assert len(live) == 150
    assert (sealed["roots"], sealed["objects"], sealed["lines"], sealed["missing"]) == (3, 3, 153, 0)
    assert account.trace("flights") == live
    assert_object_is_sealed(account, sealed["digest"])

    second = account.day()
    account.post(ROOT, "c")
    sealed = account.stack.run_state_machine({"day": second})
    account.post(ROOT, "d")

    assert sealed["missing"] == 0
    assert [step["node_id"] for line in account.trace("late") for step in line["lineage"]] == ["z"]
    archived = {(ROOT, "a"): first, (ROOT, "b"): first, (ROOT, "c"): second}
    assert account.search(root=ROOT) == {**archived, (ROOT, "d"): None}
    assert account.search(root=ROOT, limit=1) == {**archived, (ROOT, "d"): None}
    assert account.search(root="late") == {("late", "z"): second}
    assert account.search(node="a") == {(ROOT, "a"): first, ("other", "a"): first}
    assert account.search(action="READ") == {("other", "a"): first}
    assert account.search(location="s3://lake/it'/") == {**archived, (ROOT, "d"): None}
    assert account.search(start=started + 25 * HOUR) == {(ROOT, "c"): second, (ROOT, "d"): None}
    assert account.search(start=started - HOUR, end=started + HOUR, location="s3://lake/oth") == {("other", "a"): first}

    assert main(["search", "--root", ROOT, "--json", "--url", account.url]) == 0
    printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    runs = {record["node_id"]: record.get("run_id") for record in printed}
    assert runs == {"a": "run-1", "b": "run-1", "c": None, "d": None}


def assert_object_is_sealed(account, digest):
    """The proof of a record, the digest of its day and the object agree."""
    proof = json.loads(account.http(f"{RECORDS}/roots/flights/proof?node=row-7"))
    assert (proof["state"], proof["fault"]) == ("sealed", None)
    lines = [json.loads(line) for line in gzip.decompress(account.object_at(digest)).splitlines()]
    [entry] = [line for line in lines if line.get("sha256") == proof["object"]["sha256"]]
    body = account.object_at(f"s3://{account.stack.outputs['ArchiveBucketName']}/{entry['key']}")
    assert hashlib.sha256(body).hexdigest() == entry["sha256"]
    # The link is served as stored: no client unpacks the bytes.
    with urllib.request.urlopen(proof["object"]["location"], timeout=60) as response:
        assert (response.headers["Content-Encoding"], response.read()) == ("identity", body)
