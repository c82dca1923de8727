"""The benchmark of emit_records fails some messages, and counts only what is taken in the end."""

from __future__ import annotations

import json

from benchmarks.instant_endpoint import queue_answer


def test_the_endpoint_fails_some_messages_as_sqs_does():
    answer = queue_answer(fails_every=3)
    body = json.dumps({"Entries": [{"Id": str(place), "MessageBody": "b"} for place in range(4)]}).encode()

    status, told = answer(b"", body)
    outcome = {kind: [entry["Id"] for entry in entries] for kind, entries in json.loads(told).items()}

    assert (status, outcome) == (200, {"Successful": ["0", "1", "3"], "Failed": ["2"]})
