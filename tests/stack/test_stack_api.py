"""The HTTP API: every path to one function, every call signed, slowed and logged without what it carried."""

import json

import pytest

from tests.policies import as_list
from tests.stack.assemblies import WEB_ACL


def test_every_route_leads_to_the_api_function_and_needs_a_signature(template):
    methods = template.of_type("AWS::ApiGateway::Method")
    assert {method["ResourceId"] for method in methods.values()} == {"RestApi.RootResourceId", "RestApiproxy"}
    assert template.of_type("AWS::ApiGateway::Resource")["RestApiproxy"]["PathPart"] == "{proxy+}"
    for method in methods.values():
        assert (method["HttpMethod"], method["AuthorizationType"]) == ("ANY", "AWS_IAM")
        assert method["Integration"]["Type"] == "AWS_PROXY"
        assert ":lambda:path/2015-03-31/functions/ApiFunction.Arn/invocations" in method["Integration"]["Uri"]


def test_only_this_api_may_call_the_function(template):
    permissions = template.of_type("AWS::Lambda::Permission").values()
    assert [(each["Principal"], each["FunctionName"], each["Action"]) for each in permissions] == [
        ("apigateway.amazonaws.com", "ApiFunction.Arn", "lambda:InvokeFunction")
    ] * 2
    assert all(":RestApi/" in each["SourceArn"] for each in permissions)


@pytest.mark.parametrize("fixture", ["template", "turned"])
def test_no_stage_is_made_before_the_accounts_role_for_its_logs(fixture, request):
    resources = request.getfixturevalue(fixture).content["Resources"]
    [account] = [name for name, resource in resources.items() if resource["Type"] == "AWS::ApiGateway::Account"]
    stages = [resource for resource in resources.values() if resource["Type"] == "AWS::ApiGateway::Stage"]
    assert [account in stage.get("DependsOn", ()) for stage in stages] == [True] * len(stages)


def test_the_api_hands_bodies_on_byte_by_byte(template):
    """As text, bytes that are no UTF-8 would be replaced, and a damaged event taken for a good one."""
    apis = template.of_type("AWS::ApiGateway::RestApi").values()
    assert [api["BinaryMediaTypes"] for api in apis] == [["*/*"]] * len(apis)


def test_the_token_api_is_a_second_one_whose_callers_the_function_checks(template, turned):
    assert set(template.of_type("AWS::ApiGateway::RestApi")) == {"RestApi"}
    assert set(turned.of_type("AWS::ApiGateway::RestApi")) == {"RestApi", "TokenApi"}
    stages = {stage["RestApiId"]: stage.get("Variables") for stage in turned.of_type("AWS::ApiGateway::Stage").values()}
    assert stages == {"RestApi": {"auth": "iam"}, "TokenApi": {"auth": "token"}}
    methods = turned.of_type("AWS::ApiGateway::Method").values()
    assert sorted((method["RestApiId"], method["AuthorizationType"]) for method in methods) == [
        ("RestApi", "AWS_IAM"),
        ("RestApi", "AWS_IAM"),
        ("TokenApi", "NONE"),
        ("TokenApi", "NONE"),
    ]
    assert "TokenApiUrl" in turned.content["Outputs"]


def test_a_snapshot_is_of_a_version_that_both_apis_call_by_its_alias(template, turned):
    assert template.of_type("AWS::Lambda::Alias") == {}
    [(alias, live)] = turned.of_type("AWS::Lambda::Alias").items()
    assert live["FunctionName"] == "ApiFunction"
    assert live["FunctionVersion"].removesuffix(".Version") in turned.of_type("AWS::Lambda::Version")
    snapshots = [function.get("SnapStart") for function in turned.of_type("AWS::Lambda::Function").values()]
    assert [snapshot for snapshot in snapshots if snapshot] == [{"ApplyOn": "PublishedVersions"}]
    methods = turned.of_type("AWS::ApiGateway::Method").values()
    assert all(f"functions/{alias}/invocations" in method["Integration"]["Uri"] for method in methods)


@pytest.mark.large
def test_a_web_acl_judges_the_requests_to_every_stage(template, named):
    protected = named["protected"]

    assert template.of_type("AWS::WAFv2::WebACLAssociation") == {}
    associations = protected.of_type("AWS::WAFv2::WebACLAssociation").values()
    stages = protected.of_type("AWS::ApiGateway::Stage").items()
    api = "arn:AWS::Partition:apigateway:AWS::Region::/restapis"
    assert {(each["ResourceArn"], each["WebACLArn"]) for each in associations} == {
        (f"{api}/{stage['RestApiId']}/stages/{name}", WEB_ACL) for name, stage in stages
    }
    assert len(associations) == 2


def test_the_access_logs_have_the_path_and_not_the_query(turned):
    stages = turned.of_type("AWS::ApiGateway::Stage").values()
    formats = [json.loads(stage["AccessLogSetting"]["Format"]) for stage in stages]
    assert [format_["path"] for format_ in formats] == ["$context.path"] * 2
    assert [format_["status"] for format_ in formats] == ["$context.status"] * 2
    assert "uery" not in json.dumps(formats)


def test_the_function_may_change_nothing_of_the_graph_table_but_the_uses_of_tokens(template, turned):
    """Without the API for tokens not even that."""
    assert _graph_writes(template) == []
    assert _graph_writes(turned) == [
        {
            "Effect": "Allow",
            "Action": "dynamodb:UpdateItem",
            "Resource": "GraphTable.Arn",
            "Condition": {
                "ForAllValues:StringEquals": {
                    "dynamodb:LeadingKeys": ["TOKEN_USES", "TOKEN_BUDGETS"],
                    "dynamodb:Attributes": ["pk", "sk", "last_used", "events_sent", "expires_at"],
                },
                "Null": {"dynamodb:LeadingKeys": "false", "dynamodb:Attributes": "false"},
            },
        }
    ]


def _graph_writes(template):
    """Return what the function may do to the graph table beside reading it."""
    policy = template.of_type("AWS::IAM::Policy")["ApiFunctionRoleDefaultPolicy"]["PolicyDocument"]
    reads = {"dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"}
    return [
        statement
        for statement in policy["Statement"]
        if statement["Effect"] == "Allow"
        and "GraphTable.Arn" in as_list(statement["Resource"])
        and not set(as_list(statement["Action"])) <= reads
    ]


def test_no_access_log_holds_a_token(turned):
    for stage in turned.of_type("AWS::ApiGateway::Stage").values():
        assert "uthorization" not in stage["AccessLogSetting"]["Format"]
        assert stage["MethodSettings"][0]["DataTraceEnabled"] is False


def test_no_api_takes_tls_older_than_1_2_at_its_default_endpoint(template, turned):
    apis = [
        *template.of_type("AWS::ApiGateway::RestApi").values(),
        *turned.of_type("AWS::ApiGateway::RestApi").values(),
    ]
    policies = [(api["SecurityPolicy"], api["EndpointAccessMode"]) for api in apis]
    assert policies == [("SecurityPolicy_TLS13_1_2_2021_06", "BASIC")] * 3


def test_an_address_with_too_many_requests_is_refused_where_a_context_value_says_so(template, turned):
    assert template.of_type("AWS::WAFv2::WebACL") == {}
    [(name, acl)] = turned.of_type("AWS::WAFv2::WebACL").items()
    assert (acl["Scope"], acl["DefaultAction"]) == ("REGIONAL", {"Allow": {}})
    [rule] = acl["Rules"]
    assert rule["Action"] == {"Block": {}}
    rate = {"AggregateKeyType": "IP", "EvaluationWindowSec": 300, "Limit": 2000}
    assert rule["Statement"] == {"RateBasedStatement": rate}
    protected = turned.of_type("AWS::WAFv2::WebACLAssociation").values()
    assert {association["WebACLArn"] for association in protected} == {f"{name}.Arn"}
    assert sorted(
        association["ResourceArn"].rpartition("/restapis/")[2].partition("/")[0] for association in protected
    ) == [
        "RestApi",
        "TokenApi",
    ]
