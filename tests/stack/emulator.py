"""MiniStack, a second emulator of AWS: CloudFormation, IAM, and functions in processes."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sysconfig
import zipfile
from collections import defaultdict
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import BotoCoreError

from tests.policies import as_list
from tests.stack.assemblies import PROJECT, read_template
from tests.unit.spark_client.a_client import nobody_listens
from tests.waiting import until

PYTHON = PROJECT / ".venv-ministack" / "bin" / "python"
ACCOUNT, REGION = "123456789012", "eu-central-1"
ASSETS = f"cdk-hnb659fds-assets-{ACCOUNT}-{REGION}"
# Types unknown to MiniStack 1.5, as are alarms of several metrics.
LACKING = {
    "AWS::Athena::NamedQuery",
    "AWS::Budgets::Budget",
    "AWS::Events::ApiDestination",
    "AWS::Events::Connection",
    "AWS::WAFv2::WebACLAssociation",
}


class Emulator:
    """A running emulator, with the decisions of its IAM."""

    def __init__(self, url, decisions, region):
        self.url, self._decisions, self._region = url, decisions, region

    def client(self, service, *, key="test", secret="test"):
        config = Config(retries={"total_max_attempts": 1}, s3={"addressing_style": "path"})
        secrets = {"aws_access_key_id": key, "aws_secret_access_key": secret}
        return boto3.client(service, endpoint_url=self.url, config=config, region_name=self._region, **secrets)

    def create(self, assemblies, name, replaced=("none", "none")):
        """Create a stack of the assemblies: its state, the failures, and the names made and expected."""
        template = _runnable(read_template(assemblies, name), port=self.url.rpartition(":")[2])
        self._bootstrap(assemblies / name)
        self.client("s3").put_object(Bucket=ASSETS, Key="template.json", Body=json.dumps(template).replace(*replaced))
        formation = self.client("cloudformation")
        url = f"{self.url}/{ASSETS}/template.json"
        formation.create_stack(StackName=name, TemplateURL=url, Capabilities=["CAPABILITY_IAM"])

        def status():
            return str(formation.describe_stacks(StackName=name)["Stacks"][0]["StackStatus"])

        until(lambda: not status().endswith("IN_PROGRESS"))
        events = formation.describe_stack_events(StackName=name)["StackEvents"]
        failed = [each.get("ResourceStatusReason") for each in events if each["ResourceStatus"].endswith("FAILED")]
        pages = formation.get_paginator("list_stack_resources").paginate(StackName=name)
        created = {each["LogicalResourceId"] for page in pages for each in page["StackResourceSummaries"]}
        return (
            status(),
            failed,
            created,
            {name for name, each in template["Resources"].items() if "Condition" not in each},
        )

    def outputs(self, name):
        [stack] = self.client("cloudformation").describe_stacks(StackName=name)["Stacks"]
        return {output["OutputKey"]: output["OutputValue"] for output in stack["Outputs"]}

    def denied(self):
        """List the refused requests of functions: role, action, resource."""
        return [
            (line["principal"].split("/")[1], line["action"], line["resource"])
            for line in self._lines()
            if line["denied"] and ":assumed-role/" in line["principal"]
        ]

    def unused_rights(self):
        """List unused rights: (name of the role in its stack, action)."""
        used = defaultdict(set)
        for line in self._lines():
            if ":assumed-role/" in line["principal"] and not line["denied"]:
                used[line["principal"].split("/")[1]].add((line["action"], line["resource"]))
        return {
            (role, action)
            for role, physical, statement in self._statements()
            for action in as_list(statement["Action"])
            if not any(_allows(statement, action, *request) for request in used[physical])
        }

    def _lines(self):
        return [json.loads(line) for line in self._decisions.read_text(encoding="utf-8").splitlines()]

    def _statements(self):
        iam = self.client("iam")
        for role in (role["RoleName"] for role in iam.list_roles()["Roles"]):
            for policy in iam.list_role_policies(RoleName=role)["PolicyNames"]:
                document = iam.get_role_policy(RoleName=role, PolicyName=policy)["PolicyDocument"]
                yield from ((policy, role, each) for each in document["Statement"] if each["Effect"] == "Allow")

    def _bootstrap(self, assembly):
        """Make the bootstrap's bucket and parameter, and upload the assets."""
        self.client("ssm").put_parameter(Name="/cdk-bootstrap/hnb659fds/version", Value="30", Type="String")
        s3 = self.client("s3")
        s3.create_bucket(Bucket=ASSETS, CreateBucketConfiguration={"LocationConstraint": REGION})
        [manifest] = assembly.glob("*.assets.json")
        for asset in json.loads(manifest.read_text(encoding="utf-8"))["files"].values():
            [destination] = asset["destinations"].values()
            s3.put_object(
                Bucket=ASSETS, Key=destination["objectKey"], Body=_content(assembly / asset["source"]["path"])
            )


@contextmanager
def an_emulator(folder, account=ACCOUNT, region=REGION):
    """Start an emulator with IAM on and with its files in the folder; skip the test without an installed emulator."""
    if not PYTHON.is_file():
        pytest.skip(f"{PYTHON} is not installed: `make test-all` does it")
    url = nobody_listens()
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "PYTHON"))},
        "AUTH": "true",
        "BIND_HOST": "127.0.0.1",
        "DECISIONS": str(folder / "decisions"),
        "GATEWAY_PORT": url.rpartition(":")[2],
        "MINISTACK_ACCOUNT_ID": account,
        "MINISTACK_REGION": region,
        "TMPDIR": str(folder),
    }
    command = [PYTHON, Path(__file__).with_name("recorded_decisions.py")]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=folder)
        try:
            emulator = Emulator(url, folder / "decisions", region)
            until(lambda: process.poll() is not None or _identity_of(emulator))
            assert process.poll() is None, (folder / "log").read_text(encoding="utf-8")
            yield emulator
        finally:
            process.kill()  # it holds nothing, and would wait for open connections
            process.wait()


def _identity_of(emulator):
    try:
        return emulator.client("sts").get_caller_identity()
    except BotoCoreError:
        return None


def _runnable(template, *, port):
    """Leave out types unknown to MiniStack; functions import from our environment, not from Lambda's layer."""
    for output in template["Outputs"].values():
        parts = output["Value"].get("Fn::Join", ["", []])[1] if isinstance(output["Value"], dict) else []
        if ".execute-api." in parts:
            rest = parts[parts.index("/") + 1 :]
            output["Value"]["Fn::Join"][1] = ["http://", parts[1], f".execute-api.localhost:{port}/", *rest]
    resources = {
        name: resource
        for name, resource in template["Resources"].items()
        if resource["Type"] not in LACKING and "Metrics" not in resource.get("Properties", {})
    }
    for resource in resources.values():
        if resource["Type"] == "AWS::Lambda::Function":
            resource["Properties"]["Environment"]["Variables"]["PYTHONPATH"] = sysconfig.get_path("purelib")
    # The jobs end at once there, and this form of their start is known.
    text = json.dumps(resources).replace(":states:::glue:startJobRun.sync", ":states:::aws-sdk:glue:startJobRun")
    return {**template, "Resources": json.loads(text)}


def _content(source):
    if source.is_file():
        return source.read_bytes()
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for file in source.rglob("*"):
            if file.is_file():
                archive.write(file, file.relative_to(source))
    return content.getvalue()


def _allows(statement, right, action, resource):
    return fnmatchcase(action.lower(), right.lower()) and any(
        fnmatchcase(resource, pattern) for pattern in as_list(statement["Resource"])
    )
