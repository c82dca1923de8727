"""MiniStack, an emulator with a CloudFormation of its own, creates the stacks with its IAM on; no function runs.

`make test-all` installs it into an environment beside ours, since it pins its own botocore.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import zipfile
from pathlib import Path

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import BotoCoreError

from tests.stack.assemblies import PROJECT, TURNED, read_template
from tests.unit.spark_client.a_client import nobody_listens
from tests.waiting import until

pytestmark = pytest.mark.slow
MINISTACK = PROJECT / ".venv-ministack" / "bin" / "ministack"
ACCOUNT, REGION = "123456789012", "eu-central-1"
ASSETS = f"cdk-hnb659fds-assets-{ACCOUNT}-{REGION}"
# MiniStack 1.5 knows neither these types, nor alarms of several metrics.
LACKING = {
    "AWS::Athena::NamedQuery",
    "AWS::Budgets::Budget",
    "AWS::Events::ApiDestination",
    "AWS::Events::Connection",
    "AWS::WAFv2::WebACLAssociation",
}


@pytest.fixture
def aws(tmp_path):
    """Clients of an emulator of the test's own."""
    if not MINISTACK.is_file():
        pytest.skip(f"{MINISTACK} is not installed: `make test-all` does it")
    url = nobody_listens()
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "PYTHON"))},
        "AUTH": "true",
        "BIND_HOST": "127.0.0.1",
        "GATEWAY_PORT": url.rpartition(":")[2],
        "MINISTACK_ACCOUNT_ID": ACCOUNT,
        "MINISTACK_REGION": REGION,
        "TMPDIR": str(tmp_path),
    }
    credentials = {"aws_access_key_id": "test", "aws_secret_access_key": "test", "region_name": REGION}
    config = Config(retries={"total_max_attempts": 1}, s3={"addressing_style": "path"})
    with (tmp_path / "log").open("wb") as log:
        emulator = subprocess.Popen([MINISTACK], env=environment, stdout=log, stderr=log, cwd=tmp_path)
        try:
            yield lambda service: boto3.client(service, endpoint_url=url, config=config, **credentials)
        finally:
            emulator.kill()  # it holds nothing, and would wait for open connections
            emulator.wait()


def identity(aws):
    try:
        return aws("sts").get_caller_identity()
    except BotoCoreError:
        return None


def bootstrap(aws, assembly: Path):
    """Make what the CDK's bootstrap makes, with a small zip for each asset."""
    aws("ssm").put_parameter(Name="/cdk-bootstrap/hnb659fds/version", Value="30", Type="String")
    aws("s3").create_bucket(Bucket=ASSETS, CreateBucketConfiguration={"LocationConstraint": REGION})
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("lambdas/__init__.py", "")
    [manifest] = assembly.glob("*.assets.json")
    for asset in json.loads(manifest.read_text(encoding="utf-8"))["files"].values():
        [destination] = asset["destinations"].values()
        aws("s3").put_object(Bucket=ASSETS, Key=destination["objectKey"], Body=content.getvalue())


@pytest.mark.parametrize("name", ["company", "hidden", "protected", "topic", "webhook", TURNED])
def test_the_whole_stack_is_created(assemblies, aws, name):
    template = read_template(assemblies, name)
    resources = template["Resources"]
    lacking = {
        each
        for each, resource in resources.items()
        if resource["Type"] in LACKING or "Metrics" in resource.get("Properties", {})
    }
    template["Resources"] = {each: resource for each, resource in resources.items() if each not in lacking}
    until(lambda: identity(aws))
    bootstrap(aws, assemblies / name)
    aws("s3").put_object(Bucket=ASSETS, Key="template.json", Body=json.dumps(template))
    formation = aws("cloudformation")
    url = f"{formation.meta.endpoint_url}/{ASSETS}/template.json"
    formation.create_stack(StackName=name, TemplateURL=url, Capabilities=["CAPABILITY_IAM"])

    def status():
        return formation.describe_stacks(StackName=name)["Stacks"][0]["StackStatus"]

    until(lambda: not status().endswith("IN_PROGRESS"))
    events = formation.describe_stack_events(StackName=name)["StackEvents"]
    failed = [each.get("ResourceStatusReason") for each in events if each["ResourceStatus"].endswith("FAILED")]
    assert (status(), failed) == ("CREATE_COMPLETE", [])
    pages = formation.get_paginator("list_stack_resources").paginate(StackName=name)
    created = {each["LogicalResourceId"] for page in pages for each in page["StackResourceSummaries"]}
    assert created >= {each for each, resource in template["Resources"].items() if "Condition" not in resource}
