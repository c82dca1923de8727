"""Requests with a token, as API Gateway hands them to the function."""

import json

from headwater.api.tokens import Tokens, new_token
from lambdas import api as api_function
from lambdas import events as events_function
from lambdas import wiring
from tests.aws.batches import batch_of, take
from tests.builders_events import NAMESPACE
from tests.gateway import proxy_event

DAY_S = 24 * 3600
BYTES = iter(range(1, 1000))
NODE = f"job:{NAMESPACE}:emissions.read_flights"


def a_token(cloud, *scopes, namespaces=("*",), references=(), roots=(), lifetime_s=None, events_per_minute=None):
    """Return the text of a new token of the stack; without scopes it may read and write."""
    number = next(BYTES)
    text, token = new_token(
        scopes=scopes or ("read", "write"),
        namespaces=() if scopes == ("records",) else namespaces,
        references=references,
        roots=roots,
        now_s=cloud.now_s,
        lifetime_s=lifetime_s,
        events_per_minute=events_per_minute,
        random=lambda size: number.to_bytes(size, "big"),
    )
    Tokens(wiring.graph_table()).put(token)
    return text


def an_event(token, method="GET", path="/api/v1/namespaces", *, body=None, door="token", headers=None, **query):
    """Return the event of API Gateway for a request with the token; `headers` replace the token's."""
    named = headers if headers is not None else {"Authorization": f"Bearer {token}"}
    text = None if body is None else json.dumps(body)
    return proxy_event(method, path, query, headers=named, body=text, door=door)


def send(cloud, token, *args, **kwargs):
    """Return the status, the message of a refusal, and the headers."""
    return send_whole(cloud, token, *args, **kwargs)[:3]


def send_whole(cloud, token, *args, **kwargs):
    """Return what `send` does, and the body of the response."""
    response = api_function.handler(an_event(token, *args, **kwargs), cloud.context(29))
    returned = json.loads(response["body"]) if response["body"] else {}
    if response["statusCode"] >= 400:
        assert returned == {"code": response["statusCode"], "message": returned["message"]}
    headers = response.get("multiValueHeaders") or response.get("headers")
    return response["statusCode"], returned.get("message") if isinstance(returned, dict) else None, headers, returned


def status(*args, **kwargs):
    return send(*args, **kwargs)[0]


def graph(cloud, token, **query):
    """The nodes of the graph around one."""
    code, _, _, returned = send_whole(cloud, token, path="/api/v1/lineage", **query)
    assert code == 200
    return returned["graph"]


def deliver(cloud, queue="EventsQueue"):
    """Run the events function on what a queue holds, as the event source delivers it; return the messages."""
    url = cloud.url(queue)
    messages = take(cloud._sqs, url)
    event = batch_of(messages, url, SentTimestamp=str(cloud.now_s * 1000))
    if messages:
        assert events_function.handler(event, cloud.context()) == {"batchItemFailures": []}
    for message in messages:
        cloud._sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    return event["Records"]
