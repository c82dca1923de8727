"""The stack with sign-in: the authorizer is before the token API alone, and writes the keys of the issuer alone."""

import json

import pytest

from tests.features.sign_in.stacks import SIGN_IN

pytestmark = pytest.mark.large


@pytest.fixture
def stack(named):
    return named["sign_in"]


def test_the_authorizer_is_before_all_but_the_page_of_the_token_api(stack):
    paths = {name: part["PathPart"] for name, part in stack.of_type("AWS::ApiGateway::Resource").items()}
    methods = [
        (method["RestApiId"], paths.get(method["ResourceId"], "/"), method["AuthorizationType"])
        for method in stack.of_type("AWS::ApiGateway::Method").values()
    ]
    assert sorted(methods) == [
        ("RestApi", "/", "AWS_IAM"),
        ("RestApi", "{proxy+}", "AWS_IAM"),
        ("TokenApi", "/", "CUSTOM"),
        ("TokenApi", "explore", "NONE"),
        ("TokenApi", "{proxy+}", "CUSTOM"),
        ("TokenApi", "{proxy+}", "NONE"),
    ]
    [authorizer] = stack.of_type("AWS::ApiGateway::Authorizer").values()
    assert (authorizer["Type"], authorizer["AuthorizerResultTtlInSeconds"]) == ("TOKEN", 60)


def test_refusals_are_401_with_the_reason(stack):
    responses = stack.of_type("AWS::ApiGateway::GatewayResponse").values()
    texts = {each["ResponseType"]: json.loads(each["ResponseTemplates"]["application/json"]) for each in responses}
    assert texts == {
        "UNAUTHORIZED": {"code": 401, "message": "Authorization: must be `Bearer` and a token"},
        "ACCESS_DENIED": {"code": 401, "message": "$context.authorizer.reason"},
    }
    assert {each["StatusCode"] for each in responses} == {"401"}


def test_the_authorizer_reads_and_writes_the_keys_of_the_issuer_alone(stack):
    policy = stack.of_type("AWS::IAM::Policy")["SignInFunctionRoleDefaultPolicy"]["PolicyDocument"]
    allowed = [each for each in policy["Statement"] if each["Effect"] == "Allow" and "logs:" not in str(each["Action"])]
    assert [(each["Action"], each["Condition"]) for each in allowed] == [
        (
            ["dynamodb:BatchGetItem", "dynamodb:BatchWriteItem"],
            {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["SIGN_IN_KEYS"]}},
        )
    ]


def test_the_functions_know_the_issuer(stack):
    functions = stack.of_type("AWS::Lambda::Function")
    variables = {name: each["Environment"]["Variables"] for name, each in functions.items()}
    knowing = {name for name, given in variables.items() if "SIGN_IN_ISSUER" in given}
    assert knowing == {"ApiFunction", "SignInFunction"}
    assert variables["SignInFunction"]["SIGN_IN_AUDIENCE"] == '["headwater"]'
    assert variables["ApiFunction"]["SIGN_IN_CLIENT"] == SIGN_IN["sign_in_client"]


def test_without_an_issuer_there_is_nothing_of_it(turned):
    assert turned.of_type("AWS::ApiGateway::Authorizer") == {}
    assert "SignInFunction" not in turned.of_type("AWS::Lambda::Function")
