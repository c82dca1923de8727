"""The benchmark of emit_records fails some messages, and counts only what is taken in the end."""

from __future__ import annotations

import json

from benchmarks.instant_endpoint import respond_as_queue


def test_the_endpoint_fails_some_messages_as_sqs_does():
    respond = respond_as_queue(fails_every=3)
    body = json.dumps({"Entries": [{"Id": str(place), "MessageBody": "b"} for place in range(4)]}).encode()

    status, response = respond(b"", body)
    outcome = {kind: [entry["Id"] for entry in entries] for kind, entries in json.loads(response).items()}

    assert (status, outcome) == (200, {"Successful": ["0", "1", "3"], "Failed": ["2"]})
