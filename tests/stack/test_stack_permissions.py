"""No role may do something to everything, unless the reason is written down."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from aws_cdk import Stack
from aws_cdk import aws_iam as iam

from infra.nag import accept
from infra.permissions import Grant, grants_of
from infra.synth import make_app, make_stack

# Each needs a synthesis of its own.
pytestmark = pytest.mark.large

TURNED = {
    "alarm_email": "ops@example.org",
    "auth": "token",
    "sign_digests": True,
    "forward_url": "https://example.org/api/v1/lineage",
    "forward_secret": "marquez/token",
}


@pytest.fixture(scope="module")
def stack(tmp_path_factory):
    app = make_app(tmp_path_factory.mktemp("permissions"), TURNED)
    built = make_stack(app)
    app.synth()
    return built


def a_stack(app, *, reason: str | None = None) -> Stack:
    stack = Stack(app, "Bare")
    role = iam.Role(stack, "SomeRole", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
    role.add_to_policy(iam.PolicyStatement(actions=["s3:GetObject"], resources=["*"]))
    if reason:
        accept(role, "IAM5[Resource::*]", reason)
    app.synth()
    return stack


def test_no_resource_of_a_statement_has_a_wildcard_without_a_written_reason(stack):
    unexplained = [(grant.principal, set(grant.wildcards) - set(grant.reasons)) for grant in grants_of(stack)]
    assert [each for each in unexplained if each[1]] == []


def test_no_action_of_a_statement_has_a_wildcard(stack):
    assert [grant for grant in grants_of(stack) if "*" in "".join(grant.actions)] == []


def test_no_reason_is_written_for_what_no_statement_has(stack):
    returned = {(grant.principal, reason) for grant in grants_of(stack) for reason in grant.reasons.values()}
    written = {
        (role.node.path.partition("/")[2].removesuffix("/Role").removesuffix("Role"), reason)
        for role in stack.node.find_all()
        if isinstance(role, iam.Role)
        for entry in role.node.metadata
        if entry.type == "aws:cdk:acknowledged-rules"
        for rule, reason in entry.data.items()
        if "IAM5[Resource::" in rule
    }
    assert written == returned


def test_where_a_policy_is_the_resources_own_a_wildcard_is_within_that_resource(stack):
    """A key's `*` is the key; a bucket's policy names its own objects; what is denied may be denied to all."""
    template = json.loads((Path(stack.node.root.outdir) / stack.template_file).read_text(encoding="utf-8"))
    for resource in template["Resources"].values():
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


def test_every_role_of_the_stack_is_listed(stack):
    returned = {grant.principal for grant in grants_of(stack)}
    template = json.loads((Path(stack.node.root.outdir) / stack.template_file).read_text(encoding="utf-8"))
    roles = [each for each in template["Resources"].values() if each["Type"] == "AWS::IAM::Role"]
    by_aws = [each for each in roles if "ManagedPolicyArns" in each["Properties"]]
    assert (len(roles) - len(by_aws), len(by_aws)) == (len(returned) - 1, 1), "and the policy for the roles of jobs"


def test_a_wildcard_without_a_reason_is_found(app):
    assert grants_of(a_stack(app)) == [Grant("Some", "lambda", ["s3:GetObject"], ["*"], ["*"], {}, {})]


def test_a_reason_is_listed_with_its_statement(app):
    [grant] = grants_of(a_stack(app, reason="Buckets come and go."))
    assert grant.reasons == {"*": "Buckets come and go."}
