"""The locks around moto: what several threads do at once is as if they did it one after the other."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from io import BytesIO

import pytest

from local_stack.aws.disk import Disk
from local_stack.aws.endpoint import Endpoint
from local_stack.aws.moto_server import OneAtATime, Server
from local_stack.aws.queues import Queues
from local_stack.aws.tables.operations import Tables
from local_stack.errors import DataUnusable
from tests.waiting import LONG_S


class Busy:
    """A WSGI application that notices when it is entered twice at once; if so many are to meet, it waits for them."""

    def __init__(self, to_meet=1):
        self.meeting = threading.Barrier(to_meet, timeout=LONG_S)
        self.at_once = 0
        self.most = 0
        self.bodies = []

    def __call__(self, environ, start_response):
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        self.meeting.wait()
        threading.Event().wait(0.05)  # for another one to enter, which must not
        self.bodies.append(environ["wsgi.input"].read())
        self.at_once -= 1
        return []


def a_request(service, target="", body=b"{}"):
    return {
        "HTTP_AUTHORIZATION": f"AWS4-HMAC-SHA256 Credential=k/20260101/us-east-1/{service}/aws4_request, Signature=x",
        "HTTP_X_AMZ_TARGET": target,
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": BytesIO(body),
    }


def most_at_once(*requests, to_meet=1):
    busy = Busy(to_meet)
    locked = OneAtATime(busy, {})
    threads = [threading.Thread(target=locked, args=(request, None)) for request in requests]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(busy.bodies) == len(requests)
    return busy.most


def test_requests_to_one_service_run_one_at_a_time():
    for service in ("dynamodb", "s3", "sqs"):
        assert most_at_once(*(a_request(service) for _ in range(4))) == 1


def test_services_do_not_wait_for_each_other():
    assert most_at_once(a_request("dynamodb"), a_request("sqs"), to_meet=2) == 2


def test_invocations_may_overlap_since_they_call_back():
    assert most_at_once(a_request("lambda"), a_request("lambda"), to_meet=2) == 2


def test_a_folder_that_can_hold_no_state_says_why(tmp_path):
    (tmp_path / "file").write_text("no folder")
    for folder, reason in (("file", "File exists"), ("file/in", "Not a directory")):
        with pytest.raises(DataUnusable) as unusable:
            Endpoint(port=0, functions_url="", logs=tmp_path, state=tmp_path / folder / "state.sqlite")
        rule = f"--data {tmp_path / folder}: must be a folder that can be written to ({reason}); name another folder"
        assert str(unusable.value) == rule


def state_of_version(file, version):
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda file: file.write_bytes(b"no database" * 1_000), "file is not a database"),
        (lambda file: file.mkdir(), "unable to open database file"),
        (lambda file: state_of_version(file, 9), "is of version 9, and this program reads 2"),
        (lambda file: state_of_version(file, 1), "is of version 1, and this program reads 2"),
    ],
    ids=["no database", "a folder", "of a later version", "of an earlier version"],
)
def test_a_state_that_cannot_be_opened_says_why(tmp_path, make, reason):
    make(tmp_path / "state.sqlite")
    listen = {"port": 0, "functions_url": "", "scratch": "", "state": str(tmp_path / "state.sqlite")}
    assert Server().respond({"listen": listen}) == {"unusable": f"state.sqlite: {reason}"}


def test_a_state_whose_rows_are_damaged_says_so(tmp_path):
    server = Server()
    server._tables, server._queues = Tables(Disk()), Queues(Disk(tmp_path / "state.sqlite"))
    with closing(sqlite3.connect(tmp_path / "state.sqlite")) as connection, connection:
        connection.execute("INSERT INTO messages VALUES ('q', 'id', '{')")
    assert server.respond({"restore": True})["unusable"].startswith(
        "its state is damaged (OperationalError: malformed JSON"
    )
