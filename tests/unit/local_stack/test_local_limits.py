"""Requests that DynamoDB refuses by their words alone: bounds the wrong way round."""

from __future__ import annotations

import pytest

from local_stack.aws.limits import refusal_of


def query(condition, **values):
    values = {f":{name}": value for name, value in values.items()}
    return {"KeyConditionExpression": condition, "ExpressionAttributeValues": values}


def refused(operation, request):
    return refusal_of(operation, {"TableName": "t", **request})


@pytest.mark.parametrize(
    ("low", "high"),
    [
        ({"S": "b"}, {"S": "a"}),
        ({"S": "\U0001f6eb"}, {"S": "\ufffd"}),  # by the bytes of UTF-8
        ({"N": "10"}, {"N": "9"}),
        ({"B": "Yg=="}, {"B": "YQ=="}),
    ],
)
def test_bounds_are_in_order(low, high):
    condition = "pk = :pk AND sk BETWEEN :low AND :high"
    [(kind, first)], [(_, last)] = low.items(), high.items()
    rule = "The BETWEEN operator requires upper bound to be greater than or equal to lower bound"
    operand = "bound operand: AttributeValue"
    shown = f"lower {operand}: {{{kind}:{first}}}, upper {operand}: {{{kind}:{last}}}"
    message = f"Invalid KeyConditionExpression: {rule}; {shown}"
    pk = {"S": "p"}
    assert refused("Query", query(condition, pk=pk, low=low, high=high)) == ("ValidationException", message)
    assert refused("Query", query(condition, pk=pk, low=high, high=low)) is None
    assert refused("Query", query(condition, pk=pk, low=low, high=low)) is None


@pytest.mark.parametrize("operation", ["PutItem", "UpdateItem", "DeleteItem", "Scan"])
def test_bounds_of_other_expressions_are_in_order_too(operation):
    name = "FilterExpression" if operation == "Scan" else "ConditionExpression"
    values = {":low": {"N": "2"}, ":high": {"N": "1"}}
    [code, message] = refused(operation, {name: "size BETWEEN :low AND :high", "ExpressionAttributeValues": values})
    assert (code, message.partition(":")[0]) == ("ValidationException", f"Invalid {name}")
