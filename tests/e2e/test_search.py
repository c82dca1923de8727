"""A search through the whole stack: two nights of compaction on Spark, the tables queried by Athena's protocol."""

from __future__ import annotations

import json
import urllib.request
from datetime import datetime, timezone
from urllib.parse import urlencode

import pytest

from headwater.cli.main import main
from local_stack.stack import LocalStack

HOUR = 3600
ROOT = "it's a root; -- \x07\n/* ? ü */ \\"


class Account:
    """A stack of the test's own, whose time it may move."""

    def __init__(self, stack):
        self.stack = stack

    def post(self, root_id, *nodes, **changes):
        records = [{"node_id": node, "storage_location": f"s3://lake/{root_id[:3]}/{node}"} for node in nodes]
        form = {"root_id": root_id, "parent_id": root_id, "action_taken": "SPLIT", "records": records, **changes}
        request = urllib.request.Request(f"{self.url}/api/v1/records", data=json.dumps(form).encode(), method="POST")
        with urllib.request.urlopen(request, timeout=60):
            self.stack.drain()

    @property
    def url(self):
        return self.stack.api_url.rstrip("/")

    def day(self):
        return datetime.fromtimestamp(self.stack.now, timezone.utc).date().isoformat()

    def search(self, **query):
        """Every record found, by (root, node): the day that it is archived under."""
        archived_on, cursor = {}, {}
        while True:
            address = f"{self.url}/api/v1/records/search?{urlencode({**query, **cursor})}"
            with urllib.request.urlopen(address, timeout=60) as response:
                page = json.load(response)
            for record in page["records"]:
                key = record["root_id"], record["node_id"]
                assert key not in archived_on
                archived_on[key] = record["archivedOn"]
            if page["cursor"] is None:
                return archived_on
            cursor = {"cursor": page["cursor"]}


@pytest.fixture(scope="module")
def account(template, tmp_path_factory):
    with LocalStack(template, window_cap_s=0.2, logs=tmp_path_factory.mktemp("logs")) as stack:
        yield Account(stack)


# Takes long: a compaction on Spark makes the tables that are searched.
def test_records_of_the_archive_and_of_the_table_are_found_by_every_condition(account, capsys):
    first = account.day()
    started = int(account.stack.now)
    account.post(ROOT, "a", "b", run_id="run-1")
    account.post("other", "a", action_taken="READ")
    account.stack.run_state_machine({"day": first})
    account.stack.advance(26 * HOUR)
    account.stack.sweep_ttl()
    second = account.day()
    account.post(ROOT, "c")
    account.stack.run_state_machine({"day": second})
    account.post(ROOT, "d")

    archived = {(ROOT, "a"): first, (ROOT, "b"): first, (ROOT, "c"): second}
    assert account.search(root=ROOT) == {**archived, (ROOT, "d"): None}
    assert account.search(root=ROOT, limit=1) == {**archived, (ROOT, "d"): None}
    assert account.search(node="a") == {(ROOT, "a"): first, ("other", "a"): first}
    assert account.search(action="READ") == {("other", "a"): first}
    assert account.search(location="s3://lake/it'/") == {**archived, (ROOT, "d"): None}
    assert account.search(start=started + 25 * HOUR) == {(ROOT, "c"): second, (ROOT, "d"): None}
    assert account.search(start=started - HOUR, end=started + HOUR, location="s3://lake/oth") == {("other", "a"): first}

    assert main(["search", "--root", ROOT, "--json", "--url", account.url]) == 0
    printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    runs = {record["node_id"]: record.get("run_id") for record in printed}
    assert runs == {"a": "run-1", "b": "run-1", "c": None, "d": None}
