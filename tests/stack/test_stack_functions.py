"""The functions: what an account can give them, and what context values set."""

import json

import pytest

from tests.stack.assemblies import LARGEST
from tests.templates import readable

# Function -> variables that context values of `turned` set.
_SET = {
    "LoadFunction": {"POWERTOOLS_METRICS_NAMESPACE": "Headwater/dev", "RECORDS_TTL_S": "172800"},
    "InputFunction": {"DROP_RUNNING_EVENTS": '["flink*"]'},
    "EventsFunction": {"PARTITION_TRIMMING": "false", "TEMPORARY_PATTERNS": '["/scratch/"]'},
    "ApiFunction": {"DROP_RUNNING_EVENTS": '["flink*"]', "PARTITION_TRIMMING": "false", "STRICT_NAMESPACES": "true"},
    "CompactFunction": {"SIGNING_KEY": "SigningKey.Arn"},
}


@pytest.mark.parametrize("name", _SET)
def test_a_function_gets_what_context_values_set(turned, name):
    variables = turned.of_type("AWS::Lambda::Function")[name]["Environment"]["Variables"]
    expected = {**_SET[name], "DYNAMODB_CLIENT": "boto3"}
    assert {variable: variables.get(variable) for variable in expected} == expected


def test_no_function_has_more_memory_than_a_new_account_may_give_it(template, turned):
    """New accounts are held to 3,008 MB a function until AWS raises it: a larger one fails the first deployment."""
    for stack in (template, turned):
        functions = stack.of_type("AWS::Lambda::Function")
        assert {name: each["MemorySize"] for name, each in functions.items() if each["MemorySize"] > 3008} == {}


def test_no_function_reserves_concurrency_that_a_new_account_does_not_have(template):
    """A reserve must leave 100 executions unreserved; a new account may have 10 altogether."""
    functions = template.of_type("AWS::Lambda::Function")
    assert [name for name, each in functions.items() if "ReservedConcurrentExecutions" in each] == []


def test_the_api_alone_reserves_the_concurrency_of_the_context(turned):
    functions = turned.of_type("AWS::Lambda::Function")
    reserved = {name: each.get("ReservedConcurrentExecutions") for name, each in functions.items()}
    assert {name: number for name, number in reserved.items() if number is not None} == {"ApiFunction": 50}


def test_all_functions_share_one_asset(template):
    functions = template.of_type("AWS::Lambda::Function").values()
    assert len({function["Code"]["S3Key"] for function in functions}) == 1


def test_every_function_uses_the_one_layer_made_for_its_platform(turned):
    [(name, layer)] = turned.of_type("AWS::Lambda::LayerVersion").items()
    assert layer["CompatibleArchitectures"] == ["arm64"]
    assert layer["CompatibleRuntimes"] == ["python3.13"]
    assert {tuple(each["Layers"]) for each in turned.of_type("AWS::Lambda::Function").values()} == {(name,)}


def test_digests_are_signed_by_one_function_with_one_key_where_the_context_value_says_so(template, turned):
    assert [key for key in template.of_type("AWS::KMS::Key") if key == "SigningKey"] == []
    key = turned.of_type("AWS::KMS::Key")["SigningKey"]
    assert (key["KeySpec"], key["KeyUsage"]) == ("ECC_NIST_P256", "SIGN_VERIFY")
    assert turned.allowed("CompactFunction")["SigningKey.Arn"] == {"kms:Sign"}
    assert readable(turned.content["Outputs"]["SigningKeyArn"]["Value"]) == "SigningKey.Arn"


# The longest value of a resource in a variable: the URL of a queue, with the 80 characters of SQS's names.
_REFERENCE = "x" * 140


@pytest.mark.large
def test_no_function_has_more_than_4_kb_of_variables_by_the_largest_context_values(named):
    """Lambda measures them as JSON."""
    resources = named[LARGEST].content["Resources"].items()
    taken = {
        name: len(json.dumps({each: _longest(value) for each, value in _variables(resource).items()}))
        for name, resource in resources
        if resource["Type"] == "AWS::Lambda::Function"
    }
    assert {name: size for name, size in taken.items() if size > 4096} == {}


def _variables(function):
    return function["Properties"]["Environment"]["Variables"]


def _longest(value):
    """Return a variable's longest value in a deployment: literal text, and references."""
    if isinstance(value, str):
        return value
    parts = value["Fn::Join"][1] if "Fn::Join" in value else [value]
    return "".join(part if isinstance(part, str) else _REFERENCE for part in parts)
