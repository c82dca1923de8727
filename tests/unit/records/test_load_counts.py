"""Counts of a batch whose nodes several threads write."""

import json
from threading import Barrier
from types import SimpleNamespace

import pytest
from botocore.exceptions import ClientError

from headwater.aws.clients import CONCURRENCY
from headwater.aws.queues import QueuedMessage
from headwater.records.load import LoadStores, load
from tests.builders import NOON, a_message
from tests.waiting import LONG_S

NODES = CONCURRENCY


class _Letters:
    """A dead-letter queue that takes each letter when as many threads send as there are nodes."""

    def __init__(self):
        self._all_send = Barrier(NODES, timeout=LONG_S)

    def put(self, letters):
        self._all_send.wait()
        return len(list(letters))

    put_displaced = put_refused = put


class _DisplacingTable:
    def put(self, record, *, save, **_):
        save([record])


class _RefusingTable:
    def put(self, record, **_):
        raise ClientError({"Error": {"Code": "ValidationException", "Message": record.node_id}}, "PutItem")


@pytest.mark.parametrize(("table", "counts"), [(_DisplacingTable(), (NODES, 0)), (_RefusingTable(), (0, NODES))])
def test_no_count_is_lost_between_threads(table, counts):
    marks = SimpleNamespace(mark=lambda root_id, day: None)
    stores = LoadStores(table, marks, _Letters(), s3=None, bucket="intake", ttl_s=1)
    messages = [QueuedMessage(f"m{number}", json.dumps(a_message(node_id=f"n-{number}"))) for number in range(NODES)]

    loaded = load(messages, stores, now_s=NOON, day="2025-11-20")

    assert (loaded.displaced, loaded.refused) == counts
    assert (loaded.loaded, loaded.failed) == (NODES, {})
