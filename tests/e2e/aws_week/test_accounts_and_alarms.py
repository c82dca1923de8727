"""Thursday: a producer of another account, behind a proxy. Friday: the first night on call."""

from __future__ import annotations

import base64
import json
import re
from contextlib import contextmanager
from datetime import datetime, timezone
from http.server import ThreadingHTTPServer
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request

import pytest

from headwater.cli.main import main
from spark_client import LineageClient, Refused
from tests.builders_events import a_run_event
from tests.e2e.aws_week.conftest import DIRECT
from tests.servers import Handler, serving
from tests.waiting import until

HOST = "lineage.invalid"


@contextmanager
def a_proxy(to):
    """Serve a proxy that leads every host to a URL: its own URL, and the users of its requests."""
    users: list[str] = []

    class Proxy(Handler):
        def post(self):
            users.append(base64.b64decode(self.headers["Proxy-Authorization"].split()[1]).decode())
            path = urlsplit(self.path).path
            headers = {name: self.headers[name] for name in ("Authorization", "Content-Type")}
            try:
                response = DIRECT.open(Request(f"{to}{path}", self.sent(), headers))
            except HTTPError as refusal:
                response = refusal
            with response:
                self.respond(response.read(), response.status)

    with serving(ThreadingHTTPServer(("127.0.0.1", 0), Proxy)) as url:
        yield url.removeprefix("http://"), users


def test_a_producer_of_another_account_sends_with_its_token_through_its_proxy(week, monkeypatch, capsys):
    """The client is the product's own. Ours: the proxy. The account's rights: test_running_functions.py of company."""
    scopes = ("--scope", "write", "--namespace", "spoke*")
    assert main(["token", "create", "--local", week.stack.endpoint_url, *scopes]) == 0
    monkeypatch.setenv("HEADWATER_TOKEN", re.search(r"hw_\S+", capsys.readouterr().out)[0])
    spoke = {"namespace": "spoke", "job": "nightly"}
    datasets = {side: [{"namespace": "spoke", "name": name}] for side, name in (("inputs", "a"), ("outputs", "b"))}

    with a_proxy(week.stack.token_api_url) as (address, users):
        monkeypatch.setenv("http_proxy", f"http://ann:p%40ss@{address}")
        with LineageClient(url=f"http://{HOST}", strict=True) as lineage:
            lineage.emit(a_run_event(**spoke, **datasets))
            with pytest.raises(Refused, match="403"):
                lineage.emit(a_run_event(namespace="sales", **datasets))

    assert week.drawn("job:spoke:nightly") == ["spoke a -> spoke nightly -> spoke b"]
    assert set(users) == {"ann:p@ss"}


def test_a_night_on_call_from_the_broken_job_to_an_empty_queue(week):
    """Ours: the forwarding's target, which refuses the job's event until the morning. Alarms: tests/stack."""
    week.received.act = lambda event: 422 if event["job"]["name"] == "load_orders" else 201
    job = {"namespace": "oncall", "job": "load_orders"}
    now = datetime.fromtimestamp(week.stack.now, timezone.utc).isoformat()
    broken = a_run_event(
        **job, eventType="FAIL", eventTime=now, inputs=[{"namespace": "oncall", "name": "orders"}], outputs=[]
    )
    report = {
        "inputs": [{"namespace": "oncall", "name": "orders"}],
        "outputs": [{"namespace": "oncall", "name": "top"}],
    }
    week.send([broken, a_run_event(namespace="oncall", job="report", **report)])

    assert week.drawn("job:oncall:load_orders") == [
        "oncall orders -> oncall load_orders",
        "oncall orders -> oncall report -> oncall top",
    ]
    until(lambda: [alert for alert in week.alerts if "load_orders" in alert["Detail"]])
    [alert] = [alert for alert in week.alerts if "load_orders" in alert["Detail"]]
    assert (alert["DetailType"], json.loads(alert["Detail"])["node"]) == ("RunFailed", "job:oncall:load_orders")

    sqs, queue, letters = (
        week.client("sqs"),
        week.stack.outputs["ForwardQueueUrl"],
        week.stack.outputs["ForwardDeadLettersUrl"],
    )
    until(lambda: waiting(sqs, letters))
    week.received.act = lambda event: 201
    redrive(sqs, letters, queue)
    until(lambda: "load_orders" in {event["job"]["name"] for event in week.received.events})
    assert waiting(sqs, letters) == 0


def waiting(sqs, url):
    attribute = "ApproximateNumberOfMessages"
    return int(sqs.get_queue_attributes(QueueUrl=url, AttributeNames=[attribute])["Attributes"][attribute])


def redrive(sqs, letters, queue):
    """Move a message back as StartMessageMoveTask does, which moto lacks."""
    [letter] = sqs.receive_message(QueueUrl=letters, AttributeNames=["All"])["Messages"]
    group = letter["Attributes"]["MessageGroupId"]
    sqs.send_message(
        QueueUrl=queue, MessageBody=letter["Body"], MessageGroupId=group, MessageDeduplicationId="redriven"
    )
    sqs.delete_message(QueueUrl=letters, ReceiptHandle=letter["ReceiptHandle"])
