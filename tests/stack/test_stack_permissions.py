"""No role may do something to everything, unless the reason is written down."""

import json

import pytest

from tests.stack.assemblies import GRANTS, TURNED, read_template

pytestmark = pytest.mark.large


@pytest.fixture(scope="module")
def grants(assemblies):
    """Return the grants of each stack's roles, by `infra.permissions`."""
    return json.loads((assemblies / GRANTS).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def resources(assemblies):
    return read_template(assemblies, TURNED)["Resources"].values()


def test_no_resource_of_a_statement_has_a_wildcard_without_a_written_reason(grants):
    granted = grants[TURNED]["grants"]
    unexplained = [(grant["principal"], set(grant["wildcards"]) - set(grant["reasons"])) for grant in granted]
    assert [each for each in unexplained if each[1]] == []


def test_no_action_of_a_statement_has_a_wildcard(grants):
    assert [grant for grant in grants[TURNED]["grants"] if "*" in "".join(grant["actions"])] == []


def test_no_reason_is_written_for_what_no_statement_has(grants):
    granted, written = grants[TURNED]["grants"], grants[TURNED]["written"]
    returned = {(grant["principal"], reason) for grant in granted for reason in grant["reasons"].values()}
    assert {(principal, reason) for principal, reason in written} == returned


def test_where_a_policy_is_the_resources_own_a_wildcard_is_within_that_resource(resources):
    """A key's `*` is the key; a bucket's policy names its own objects; what is denied may be denied to all."""
    for resource in resources:
        properties = resource.get("Properties", {})
        document = properties.get("KeyPolicy") or properties.get("PolicyDocument")
        if document is None or resource["Type"] in ("AWS::IAM::Policy", "AWS::IAM::ManagedPolicy"):
            continue
        for statement in document["Statement"]:
            if "*" not in json.dumps(statement["Resource"]) or statement["Effect"] == "Deny":
                continue
            if resource["Type"] == "AWS::KMS::Key":
                assert statement["Resource"] == "*"
            else:
                assert resource["Type"] == "AWS::S3::BucketPolicy"
                assert statement["Resource"]["Fn::Join"][1][0] == {
                    "Fn::GetAtt": [properties["Bucket"]["Ref"], "Arn"],
                }


def test_every_role_of_the_stack_is_listed(grants, resources):
    returned = {grant["principal"] for grant in grants[TURNED]["grants"]}
    roles = [each for each in resources if each["Type"] == "AWS::IAM::Role"]
    by_aws = [each for each in roles if "ManagedPolicyArns" in each["Properties"]]
    assert (len(roles) - len(by_aws), len(by_aws)) == (len(returned) - 1, 1), "and the policy for the roles of jobs"


def test_a_wildcard_without_a_reason_is_found(grants):
    everything = {"principal": "Some", "service": "lambda", "actions": ["s3:GetObject"], "resources": ["*"]}
    assert grants["bare"] == [{**everything, "wildcards": ["*"], "reasons": {}, "conditions": {}}]
