"""The zip of a release, and `headwater deploy --template`: its refusals, uploads and prints."""

import hashlib
import json
import re
import shutil
import subprocess
import zipfile
from datetime import datetime, timezone

import boto3
import hcl2
import pytest
from botocore.stub import Stubber
from moto import mock_aws
from moto.cloudformation import models as moto_formation
from moto.cloudformation.responses import CloudFormationResponse
from moto.core.responses import ActionResult
from moto.iam.access_control import PermissionResult
from moto.s3.models import FakeBucket

from headwater.cli.main import main
from headwater.features.release.change_set import ChangeSet
from infra.context import NAMES
from tests.features.release import releases
from tests.stack.assemblies import PROJECT

pytestmark = pytest.mark.large
NOW = datetime(2026, 11, 27, tzinfo=timezone.utc)
OWN_BUCKET = "headwater-assets-123456789012-eu-central-1"


@pytest.fixture(scope="session")
def released(release):
    """The release's template."""
    with zipfile.ZipFile(release) as archive:
        return json.loads(archive.read("token-retain.template.json"))


@pytest.fixture(scope="session")
def described(release):
    """The release's description, `release.json`."""
    with zipfile.ZipFile(release) as archive:
        return json.loads(archive.read("release.json"))


@pytest.fixture
def aws(monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    # moto evaluates no conditions: a refusal of requests without TLS would refuse all requests.
    monkeypatch.setattr(FakeBucket, "get_permission", lambda *_: PermissionResult.NEUTRAL)
    # moto lacks the call; `protected` keeps its settings for the tests.
    monkeypatch.setattr(CloudFormationResponse, "protected", {}, raising=False)
    monkeypatch.setattr(CloudFormationResponse, "update_termination_protection", keep_protection, raising=False)
    monkeypatch.setattr(moto_formation.ChangeSet, "apply", apply_all)
    with mock_aws():
        yield lambda service: boto3.client(service, region_name="eu-central-1")


_apply_to_resources = moto_formation.ChangeSet.apply


def apply_all(changes):
    """Apply a change set to the stack's outputs and parameters, too: moto's changes its resources alone."""
    _apply_to_resources(changes)
    stack = changes.stack
    stack.template_dict, stack.parameters = changes.template_dict, changes.parameters
    stack.output_map = stack._create_output_map()


def keep_protection(response):
    name, enabled = (response._get_param(each) for each in ("StackName", "EnableTerminationProtection"))
    response.protected[name] = enabled
    return ActionResult({"StackId": name})


@pytest.fixture
def in_moto(release, tmp_path):
    """A release without the resources unknown to moto's CloudFormation."""
    return releases.reduce_to_moto(release, tmp_path / "reduced.zip")


def deploy(*arguments):
    return main(["deploy", *map(str, arguments)])


@pytest.mark.slow
def test_cdk_nag_and_cfn_lint_find_nothing_in_a_released_template(release_folder, tmp_path):
    """Nor do they in the stack with everything on: `make check` says so."""
    from headwater.features.release.construct import Variant, make_release_app
    from infra.check import lint, nag

    variants = [Variant(releases.AUTH, releases.RETENTION)]
    app = make_release_app(tmp_path, version=releases.VERSION, variants=variants, layer=None, libraries=None)
    assert list(nag(app)) == []
    assert list(lint(release_folder / releases.ASSEMBLY / "token-retain.template.json")) == []


def test_a_released_template_knows_no_bootstrap_and_reads_assets_from_its_parameter(released):
    text = json.dumps(released)
    assert "Rules" not in released
    assert "BootstrapVersion" not in text
    assert "cdk-hnb659fds" not in text
    functions = [each for each in released["Resources"].values() if each["Type"] == "AWS::Lambda::Function"]
    assert {json.dumps(each["Properties"]["Code"]["S3Bucket"]) for each in functions} == {
        '{"Fn::Sub": "${AssetsBucket}"}'
    }


def test_every_key_that_the_template_names_is_an_asset_and_every_asset_is_named(release, released, described):
    assets = described["assets"]
    with zipfile.ZipFile(release) as archive:
        stored = {key: hashlib.sha256(archive.read(f"assets/{key}")).hexdigest() for key in assets}
    named = set(re.findall(r"[0-9a-f]{64}\.\w+|[\w.-]+\.whl", json.dumps(released)))
    assert named == assets.keys()
    assert stored == {key: asset["sha256"] for key, asset in assets.items()}


def test_a_parameter_takes_the_place_of_each_use_of_its_context_value(released):
    resources = released["Resources"].values()
    of_type = lambda kind: [each for each in resources if each["Type"] == kind]  # noqa: E731 - read four times below
    variables = [each["Properties"]["Environment"]["Variables"] for each in of_type("AWS::Lambda::Function")]
    assert {each["Properties"]["StageName"]["Ref"] for each in of_type("AWS::ApiGateway::Stage")} == {"Stage"}
    assert {json.dumps(each["POWERTOOLS_METRICS_NAMESPACE"]) for each in variables} == {
        '{"Fn::Join": ["", ["Headwater/", {"Ref": "Stage"}]]}'
    }
    assert [each["STRICT_NAMESPACES"] for each in variables if "STRICT_NAMESPACES" in each] == [
        {"Ref": "StrictNamespaces"}
    ]
    assert [each["PARTITION_TRIMMING"] for each in variables if "PARTITION_TRIMMING" in each] == [
        {"Ref": "PartitionTrimming"}
    ] * 2
    [rule] = of_type("AWS::Events::Rule")
    assert rule["Properties"]["ScheduleExpression"] == {
        "Fn::Join": ["", ["cron(30 ", {"Ref": "CompactionHourUtc"}, " * * ? *)"]]
    }
    conditional = {each["Type"]: each["Condition"] for each in resources if "Condition" in each}
    assert conditional == {"AWS::SNS::Subscription": "HasAlarmEmail", "AWS::WAFv2::WebACLAssociation": "HasWebAclArn"}
    assert released["Outputs"]["Auth"] == {"Value": "token"}
    assert "-prod" not in json.dumps(released["Resources"])


def test_each_context_value_is_a_parameter_a_choice_or_one_for_the_cdk(described):
    assert sorted([*described["parameters"], *described["choices"], *described["needs_cdk"]]) == sorted(NAMES)


def test_a_dry_run_says_what_it_would_do_and_needs_no_credentials(release, capsys):
    given = ("-c", "auth=token", "-c", "stage=test", "-c", "alarm_email=ops@example.org")
    assert deploy("--template", release, "--dry-run", *given) == 0
    printed = capsys.readouterr().out
    assert f"Headwater-test: release 1.2.3 of {release}" in printed
    assert "auth=token, retention=retain, Stage=test, AlarmEmail=ops@example.org" in printed
    assert "into headwater-assets-ACCOUNT-REGION" in printed
    assert "   7 AWS::Lambda::Function" in printed
    assert "nothing was sent to AWS" in printed


@pytest.mark.parametrize(
    ("given", "printed"),
    [
        ("object_lock=governance:1", "object_lock: changes more than a parameter of the template can: run "),
        ("stge=dev", "did you mean stage?"),
        ("auth=none", "auth: must be iam or token, got 'none'"),
        ("stage=a-b", "stage: must be a lower-case letter, then at most 19 letters and digits, got 'a-b'"),
        ("compaction_hour_utc=24", "compaction_hour_utc: must be a whole number from 0 to 23, got '24'"),
        ("strict_namespaces=yes", "strict_namespaces: must be true or false, got 'yes'"),
        ("retention=destroy", "has no template token-destroy"),
    ],
)
def test_a_value_that_the_template_cannot_have_is_refused_before_anything_is_sent(release, capsys, given, printed):
    assert deploy("--template", release, "--dry-run", "-c", "auth=token", "-c", given) == 2
    assert printed in capsys.readouterr().err


def test_a_deployment_uploads_every_asset_to_where_the_template_says(in_moto, aws, capsys):
    assert deploy("--template", in_moto, "-c", "auth=token", "--yes") == 0
    printed = capsys.readouterr().out
    stack = aws("cloudformation").describe_stacks(StackName="Headwater-prod")["Stacks"][0]
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    assert {each["Key"]: each["Value"] for each in stack["Tags"]} == {"service": "headwater", "stage": "prod"}
    assert CloudFormationResponse.protected == {"Headwater-prod": True}
    outputs = {each["OutputKey"]: each["OutputValue"] for each in stack["Outputs"]}
    assert f"Headwater-prod.GraphTableName = {outputs['GraphTableName']}" in printed
    assert printed.endswith(f"Stack ARN:\n{stack['StackId']}\n")
    parameters = {each["ParameterKey"]: each["ParameterValue"] for each in stack["Parameters"]}
    assert parameters["AssetsBucket"] == OWN_BUCKET
    with zipfile.ZipFile(in_moto) as archive:
        for key in json.loads(archive.read("release.json"))["assets"]:
            stored = aws("s3").get_object(Bucket=OWN_BUCKET, Key=key)["Body"].read()
            assert stored == archive.read(f"assets/{key}")


def test_the_bucket_that_it_makes_is_private_encrypted_versioned_and_refuses_requests_without_tls(in_moto, aws):
    deploy("--template", in_moto, "-c", "auth=token", "--yes")
    s3, bucket = aws("s3"), {"Bucket": OWN_BUCKET}
    assert set(s3.get_public_access_block(**bucket)["PublicAccessBlockConfiguration"].values()) == {True}
    [rule] = s3.get_bucket_encryption(**bucket)["ServerSideEncryptionConfiguration"]["Rules"]
    assert rule["ApplyServerSideEncryptionByDefault"] == {"SSEAlgorithm": "AES256"}
    assert s3.get_bucket_versioning(**bucket)["Status"] == "Enabled"
    assert s3.get_bucket_location(**bucket)["LocationConstraint"] == "eu-central-1"
    [statement] = json.loads(s3.get_bucket_policy(**bucket)["Policy"])["Statement"]
    assert (statement["Effect"], statement["Action"]) == ("Deny", "s3:*")
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_a_later_deployment_keeps_the_values_that_it_is_not_given_and_uploads_what_is_new(
    release, in_moto, tmp_path, aws, capsys
):
    aws("s3").create_bucket(Bucket="mine", CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
    first = ("-c", "auth=token", "-c", "alarm_email=ops@example.org", "--assets-bucket", "mine")
    assert deploy("--template", in_moto, *first, "--yes") == 0
    topic = {"Type": "AWS::SNS::Topic"}
    newer = releases.reduce_to_moto(release, tmp_path / "newer.zip", "1.3.0", Topic=topic)
    capsys.readouterr()

    assert deploy("--template", newer, "--yes") == 0

    printed = capsys.readouterr().out
    stack = aws("cloudformation").describe_stacks(StackName="Headwater-prod")["Stacks"][0]
    parameters = {each["ParameterKey"]: each["ParameterValue"] for each in stack["Parameters"]}
    assert (parameters["AlarmEmail"], parameters["AssetsBucket"]) == ("ops@example.org", "mine")
    assert {"Auth": "token", "Version": "1.3.0"}.items() <= {
        each["OutputKey"]: each["OutputValue"] for each in stack["Outputs"]
    }.items()
    assert "Assets: 0 of" in printed
    assert re.search(r"^Add\s+AWS::SNS::Topic\s+Topic$", printed, re.MULTILINE)


def test_a_deployment_that_fails_names_the_resource_and_the_reason():
    formation = boto3.client("cloudformation", "eu-central-1", aws_access_key_id="x", aws_secret_access_key="x")
    failed = (("Queue", "CREATE_FAILED", "Resource creation cancelled"), ("Topic", "CREATE_FAILED", "Quota exceeded"))
    before = an_event("Role", "CREATE_FAILED", "of another deployment")
    status = {"StackName": "S", "CreationTime": NOW, "StackStatus": "ROLLBACK_COMPLETE"}
    with Stubber(formation) as aws:
        aws.add_response("describe_stack_events", {"StackEvents": [before]})
        aws.add_response("execute_change_set", {}, {"ChangeSetName": "arn"})
        aws.add_response("describe_stacks", {"Stacks": [{**status, "StackStatus": "ROLLBACK_IN_PROGRESS"}]})
        aws.add_response("describe_stack_events", {"StackEvents": [before]})
        aws.add_response("describe_stacks", {"Stacks": [status]})
        aws.add_response("describe_stack_events", {"StackEvents": [*(an_event(*each) for each in failed), before]})
        waits = []
        why = ChangeSet(formation, "S", "arn", is_first=True, sleep=waits.append).execute()
        aws.assert_no_pending_responses()
    assert why == "S is ROLLBACK_COMPLETE: Topic (AWS::X::Topic) failed: Quota exceeded"
    assert len(waits) == 1


def an_event(name, status, reason):
    event = {"StackId": "s", "EventId": name, "StackName": "S", "Timestamp": NOW, "LogicalResourceId": name}
    return {**event, "ResourceType": f"AWS::X::{name}", "ResourceStatus": status, "ResourceStatusReason": reason}


def test_a_stack_of_the_cdk_is_left_alone(in_moto, aws, capsys):
    body = json.dumps({"Resources": {"Topic": {"Type": "AWS::SNS::Topic"}}})
    aws("cloudformation").create_stack(StackName="Headwater-prod", TemplateBody=body)
    assert deploy("--template", in_moto, "-c", "auth=token", "--yes") == 2
    assert "Headwater-prod was deployed by the CDK: go on with `cdk deploy`" in capsys.readouterr().err


MODULE = PROJECT / "terraform" / "headwater" / "main.tf"


@pytest.fixture(scope="module")
def module():
    """The Terraform module, as python-hcl2 reads it: names and texts keep their quotes."""
    with MODULE.open(encoding="utf-8") as file:
        return hcl2.load(file)


def of_kind(module, block, *labels):
    """Find the first block of these labels."""
    for each in module[block]:
        for label in labels:
            each = each.get(json.dumps(label), {})
        if each:
            return each
    raise KeyError(labels)


def test_the_module_gives_the_template_each_of_its_parameters(module, released, described):
    parameters = of_kind(module, "resource", "aws_cloudformation_stack", "headwater")["parameters"]
    assert parameters.keys() == released["Parameters"].keys()
    for value, name in described["parameters"].items():
        assert f"var.{value}" in parameters[name]


def test_the_variables_of_the_module_have_the_defaults_of_the_template(module, released, described):
    variables = {json.loads(name): each for block in module["variable"] for name, each in block.items()}
    given, choices = described["parameters"], described["choices"]
    assert variables.keys() == {*given, *choices, "release", "assets_bucket"}
    defaults = {value: str(variables[value]["default"]).strip('"').lower() for value in given}
    assert defaults == {value: str(released["Parameters"][name]["Default"]) for value, name in given.items()}
    for name, values in choices.items():
        assert variables[name]["default"] == json.dumps(values[0])
        assert json.dumps(list(values)) in variables[name]["validation"][0]["condition"]


def test_terraform_finds_the_module_in_its_format_and_valid(tmp_path):
    terraform = shutil.which("terraform") or shutil.which("tofu")
    if terraform is None:
        pytest.skip("neither terraform nor tofu is installed")
    subprocess.run([terraform, "fmt", "-check", MODULE.parent], check=True, capture_output=True)
    shutil.copy(MODULE, tmp_path)
    ready = subprocess.run([terraform, "init", "-backend=false"], cwd=tmp_path, capture_output=True, text=True)
    if ready.returncode != 0:
        pytest.skip(f"{terraform} is installed, but its provider for AWS cannot be fetched here")
    subprocess.run([terraform, "validate"], cwd=tmp_path, check=True, capture_output=True)
