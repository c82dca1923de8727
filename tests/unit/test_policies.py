"""The evaluator of policies that the stack's tests use, held to what IAM's user guide says of each operator."""

import pytest

from tests.policies import decide

KEYS = "dynamodb:LeadingKeys"
# Operator, key, wanted; what the request has of the key; whether the condition holds.
CONDITIONS = [
    ("StringEquals", "s3:x", ["a", "b"], "b", True),
    ("StringEquals", "s3:x", "a", "A", False),
    ("StringEquals", "s3:x", "a", None, False),
    ("StringNotEquals", "s3:x", ["a", "b"], "b", False),
    ("StringNotEquals", "s3:x", "a", None, True),
    ("StringLike", "s3:x", "RUN#*", "RUN#1", True),
    ("StringLike", "s3:x", "RUN", "RUN#1", False),
    ("ArnNotEquals", "aws:PrincipalArn", "arn:a", "arn:b", True),
    ("Bool", "aws:SecureTransport", "false", "false", True),
    ("Bool", "s3:ObjectCreationOperation", "true", None, False),
    ("NumericLessThan", "s3:TlsVersion", "1.2", "1.1", True),
    ("NumericLessThan", "s3:TlsVersion", "1.2", None, False),
    ("Null", "s3:if-none-match", "true", None, True),
    ("Null", "s3:if-none-match", "true", "*", False),
    ("Null", "s3:if-none-match", "false", "*", True),
    ("ForAllValues:StringLike", KEYS, ["RUN#*", "JOB#*"], ["RUN#1", "JOB#2"], True),
    ("ForAllValues:StringLike", KEYS, ["RUN#*"], ["RUN#1", "TOKENS"], False),
    ("ForAllValues:StringLike", KEYS, ["RUN#*"], None, True),
    ("ForAnyValue:StringEquals", KEYS, ["TOKENS"], ["RUN#1", "TOKENS"], True),
    ("ForAnyValue:StringEquals", KEYS, ["TOKENS"], ["RUN#1"], False),
    ("ForAnyValue:StringEquals", KEYS, ["TOKENS"], None, False),
]


@pytest.mark.parametrize(("operator", "key", "pattern", "value", "holds"), CONDITIONS)
def test_a_condition_holds_as_the_guide_says(operator, key, pattern, value, holds):
    statement = {"Effect": "Allow", "Action": "s3:*", "Resource": "*", "Condition": {operator: {key: pattern}}}
    context = {} if value is None else {key: value}
    assert decide([statement], "s3:PutObject", "arn", **context) == ("allowed" if holds else "neither")


def test_a_denial_outweighs_what_is_allowed_and_what_nothing_allows_is_neither():
    allow = {"Effect": "Allow", "Action": ["s3:Get*"], "Resource": ["b/traces/*"]}
    deny = {"Effect": "Deny", "Action": "s3:GetObject", "Resource": "b/traces/secret"}
    requested = [("b/traces/x", "allowed"), ("b/traces/secret", "denied"), ("b/other", "neither")]
    assert [(key, decide([deny, allow], "s3:GetObject", key)) for key, _ in requested] == requested


def test_an_operator_that_is_not_known_is_refused():
    statement = {"Effect": "Allow", "Action": "*", "Resource": "*", "Condition": {"IpAddress": {"aws:SourceIp": "::1"}}}
    with pytest.raises(KeyError):
        decide([statement], "s3:GetObject", "b", **{"aws:SourceIp": "::1"})
