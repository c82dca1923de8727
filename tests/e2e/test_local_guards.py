"""Requests that AWS refuses and moto does not: refused here; a request right at the limit is accepted."""

import pytest
from botocore.exceptions import ClientError


@pytest.fixture
def send(probe):
    """Sends a request and answers its error's code, or None."""
    clients = {"s3": probe.s3, "sqs": probe.sqs, "dynamodb": probe.dynamodb}
    names = {"QueueUrl": "WorkUrl", "Bucket": "BucketName", "TableName": "TableName"}

    def sent(service, operation, **request):
        given = {key: probe.stack.outputs[names[key]] for key in request if key in names}
        try:
            getattr(clients[service], operation)(**request | given)
        except ClientError as error:
            return error.response["Error"]["Code"]
        return None

    return sent


def an_item(n=0, **more):
    return {"root": {"S": "r"}, "node": {"S": f"n{n}"}, **more}


def puts(probe, count, **more):
    return {probe.stack.outputs["TableName"]: [{"PutRequest": {"Item": an_item(n, **more)}} for n in range(count)]}


def test_a_batch_has_at_most_25_writes(probe, send):
    assert send("dynamodb", "batch_write_item", RequestItems=puts(probe, 25)) is None
    assert send("dynamodb", "batch_write_item", RequestItems=puts(probe, 26)) == "ValidationException"


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ({"S": "x" * 1024}, None),
        ({"S": "é" * 512}, None),
        ({"S": "x" * 1025}, "ValidationException"),
        ({"S": "é" * 513}, "ValidationException"),
        ({"N": "1"}, "ValidationException"),
    ],
    ids=["longest", "longest in bytes", "too long", "too long in bytes", "wrong type"],
)
def test_the_key_of_a_local_index_has_a_type_and_a_length(probe, send, value, code):
    table = probe.stack.outputs["TableName"]
    item = an_item(action=value)
    assert send("dynamodb", "put_item", TableName="", Item=item) == code
    assert send("dynamodb", "batch_write_item", RequestItems=puts(probe, 1, action=value)) == code
    assert send("dynamodb", "transact_write_items", TransactItems=[{"Put": {"TableName": table, "Item": item}}]) == code
    names, values = {"#a": "action"}, {":a": value}
    changes = {
        "UpdateExpression": "SET #a = :a",
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": values,
    }
    assert send("dynamodb", "update_item", TableName="", Key=an_item(), **changes) == code


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("", "MissingParameter"),
        ("a\x00b", "InvalidMessageContents"),
        ("\ufffe", "InvalidMessageContents"),
        ('{"n": 1, "is": "\t\n\r é \U0001f6eb"}', None),
    ],
)
def test_a_message_has_a_body_of_characters_that_xml_knows(send, body, code):
    assert send("sqs", "send_message", QueueUrl="", MessageBody=body) == code
    entry = {"Id": "1", "MessageBody": body}
    assert send("sqs", "send_message_batch", QueueUrl="", Entries=[entry]) == code
