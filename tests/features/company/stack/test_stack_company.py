"""The rules of a company's account: every resource follows them, and without a rule nothing changes."""

import json
from pathlib import Path

import pytest

import headwater.features.company
from tests.features.company.stacks import BOUNDARY, KEY
from tests.templates import readable

pytestmark = pytest.mark.large
SPOKE = Path(headwater.features.company.__file__).with_name("spoke.template.json")
USES = ["kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:GenerateDataKey", "kms:ReEncryptFrom", "kms:ReEncryptTo"]


@pytest.fixture
def company(named):
    return named["company"]


def properties(stack, *types):
    """List the properties of all resources of the types."""
    resources = [each for kind in types for each in stack.of_type(f"AWS::{kind}").items()]
    assert resources
    return resources


def test_every_role_has_the_boundary_and_the_path(company):
    roles = [role for _, role in properties(company, "IAM::Role")]
    assert {(role["PermissionsBoundary"], role["Path"]) for role in roles} == {(BOUNDARY, "/data/")}
    assert {policy["Path"] for _, policy in properties(company, "IAM::ManagedPolicy")} == {"/data/"}


def test_every_store_is_encrypted_by_the_key(company):
    by_key = {"SSEEnabled": True, "SSEType": "KMS", "KMSMasterKeyId": KEY}
    assert [table["SSESpecification"] for _, table in properties(company, "DynamoDB::Table")] == [by_key] * 2
    for kind, field in (
        ("SQS::Queue", "KmsMasterKeyId"),
        ("SNS::Topic", "KmsMasterKeyId"),
        ("Logs::LogGroup", "KmsKeyId"),
    ):
        assert {each.get(field) for _, each in properties(company, kind)} == {KEY}
    assert not [name for name, queue in properties(company, "SQS::Queue") if "SqsManagedSseEnabled" in queue]
    algorithms = {
        name: bucket["BucketEncryption"]["ServerSideEncryptionConfiguration"][0]["ServerSideEncryptionByDefault"]
        for name, bucket in properties(company, "S3::Bucket")
    }
    of_key = {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": KEY}
    # S3 delivers access logs into no bucket with a key of KMS.
    assert algorithms == {
        "ArchiveBucket": of_key,
        "IntakeBucket": of_key,
        "AccessLogsBucket": {"SSEAlgorithm": "AES256"},
    }
    [workgroup] = company.of_type("AWS::Athena::WorkGroup").values()
    results = workgroup["WorkGroupConfiguration"]["ResultConfiguration"]["EncryptionConfiguration"]
    assert results == {"EncryptionOption": "SSE_KMS", "KmsKey": KEY}


def test_every_role_with_rights_may_use_the_key_and_producers_too(company):
    for name, policy in properties(company, "IAM::Policy", "IAM::ManagedPolicy"):
        uses = [each for each in policy["PolicyDocument"]["Statement"] if each["Resource"] == KEY]
        assert [(each["Effect"], each["Action"]) for each in uses] == [("Allow", USES)], name


def test_every_log_is_kept_as_long_as_the_rule_says(company):
    assert {log["RetentionInDays"] for _, log in properties(company, "Logs::LogGroup")} == {30}


def test_the_stack_has_the_tags_and_its_names_the_prefix(company, assemblies):
    manifest = json.loads((assemblies / "company" / "manifest.json").read_text(encoding="utf-8"))
    [stack] = [each for each in manifest["artifacts"].values() if "tags" in each.get("properties", {})]
    given = {"team": "data", "cost-center": "42"}
    assert stack["properties"]["tags"] == {"service": "headwater", "stage": "prod", **given}
    assert stack["displayName"] == "acme-Headwater-prod"
    names = {api["Name"] for _, api in properties(company, "ApiGateway::RestApi")}
    assert names == {"acme-headwater-prod", "acme-headwater-prod-tokens"}
    assert company.of_type("AWS::Athena::WorkGroup")["Workgroup"]["Name"] == "acme-headwater-prod"
    assert company.of_type("AWS::Glue::Database")["Database"]["DatabaseInput"]["Name"] == "acme_headwater_prod"


OWN = {"aws:PrincipalAccount": "AWS::AccountId"}
VPCE = {"aws:SourceVpce": ["vpce-0123456789abcdef0"]}


@pytest.mark.parametrize(
    ("name", "endpoints", "signed", "of_tokens"),
    [
        (
            "company",
            {"VpcEndpointIds": VPCE["aws:SourceVpce"]},
            {"StringEquals": {**VPCE, **OWN}},
            {"StringEquals": VPCE},
        ),
        ("hidden", {}, {"StringEquals": OWN}, None),
    ],
)
def test_a_private_api_takes_signatures_of_its_account_alone(named, name, endpoints, signed, of_tokens):
    apis = named[name].of_type("AWS::ApiGateway::RestApi")
    assert [api["EndpointConfiguration"] for api in apis.values()] == [{"Types": ["PRIVATE"], **endpoints}] * 2
    first = {api: policy["Policy"]["Statement"][0] for api, policy in apis.items()}
    assert {(each["Effect"], json.dumps(each["Principal"])) for each in first.values()} == {("Allow", '{"AWS": "*"}')}
    assert (first["RestApi"].get("Condition"), first["TokenApi"].get("Condition")) == (signed, of_tokens)


ACCOUNT = {"AWS": "arn:AWS::Partition:iam::111122223333:root"}
ORGANIZATION = {"StringEquals": {"aws:PrincipalOrgID": "o-a1b2c3d4e5"}}


def test_producers_of_other_accounts_may_send_invoke_and_call_and_nothing_else(company):
    opened = {}
    for name, policy in company.of_type("AWS::SQS::QueuePolicy").items():
        for each in policy["PolicyDocument"]["Statement"]:
            if each["Effect"] == "Allow":
                opened.setdefault(name, []).append((each["Action"], each["Principal"], each.get("Condition")))
    alerts = opened.pop("AlertsAlertTargetsDeadLettersPolicy")
    assert [action for action, _, _ in alerts] == ["sqs:SendMessage"]  # EventBridge's
    expected = [("sqs:SendMessage", ACCOUNT, None), ("sqs:SendMessage", {"AWS": "*"}, ORGANIZATION)]
    assert opened == {"EventsQueuePolicy": expected, "PackedQueuePolicy": expected}
    resources = [each for each in company.content["Resources"].values() if each["Type"] == "AWS::Lambda::Permission"]
    permissions = [
        (each["Action"], readable(each["FunctionName"]), each["Principal"], each.get("PrincipalOrgID"))
        for each in (resource["Properties"] for resource in resources)
        if not each["Principal"].endswith("amazonaws.com")
    ]
    assert sorted(permissions, key=str) == [
        ("lambda:InvokeFunction", "InputFunction.Arn", "*", "o-a1b2c3d4e5"),
        ("lambda:InvokeFunction", "InputFunction.Arn", "111122223333", None),
    ]
    [_, *others] = company.of_type("AWS::ApiGateway::RestApi")["RestApi"]["Policy"]["Statement"]
    assert [(each["Principal"], each.get("Condition")) for each in others] == [
        (ACCOUNT, None),
        ({"AWS": "*"}, ORGANIZATION),
    ]


def test_the_spokes_template_takes_the_outputs_of_the_stack_as_parameters(company):
    spoke = json.loads(SPOKE.read_text(encoding="utf-8"))
    assert spoke["Parameters"].keys() - {"KmsKeyArn"} <= company.content["Outputs"].keys()
    [policy] = company.of_type("AWS::IAM::ManagedPolicy").values()
    at_home = [each["Action"] for each in policy["PolicyDocument"]["Statement"] if each["Resource"] != KEY]
    statements = spoke["Resources"]["Producers"]["Properties"]["PolicyDocument"]["Statement"]
    assert [each["Action"] for each in statements if "Action" in each] == [*at_home, "execute-api:Invoke"]


@pytest.mark.slow
def test_cfn_lint_finds_nothing_in_the_spokes_template():
    from infra.check import lint

    assert list(lint(SPOKE)) == []


def test_a_budget_mails_before_it_is_spent(company):
    [budget] = company.of_type("AWS::Budgets::Budget").values()
    assert budget["Budget"]["BudgetLimit"] == {"Amount": 100, "Unit": "USD"}
    notified = [
        (each["Notification"]["NotificationType"], each["Notification"]["Threshold"], each["Subscribers"])
        for each in budget["NotificationsWithSubscribers"]
    ]
    mail = [{"SubscriptionType": "EMAIL", "Address": "ops@example.org"}]
    assert notified == [("ACTUAL", 80, mail), ("FORECASTED", 100, mail)]
