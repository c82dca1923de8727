"""The steps of a deployment: assets, change set, agreement, execution, outputs."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from botocore.exceptions import NoCredentialsError, NoRegionError

from headwater.cli.deployment import region_setting
from headwater.cli.program import CommandFailed
from headwater.cli.service import SET_CREDENTIALS
from headwater.features.release.bucket import find_bucket, put
from headwater.features.release.change_set import ChangeSet, find_stack, make_change_set
from headwater.features.release.release import Choice, Release, check_values, choose, stage_of

if TYPE_CHECKING:
    from mypy_boto3_cloudformation import CloudFormationClient
    from mypy_boto3_s3 import S3Client

_ASSETS_BUCKET = "AssetsBucket"
# The names of hosts of AWS end so; other partitions have a suffix of their own.
_DNS_SUFFIX, _DNS_SUFFIXES = "amazonaws.com", {"aws-cn": "amazonaws.com.cn"}


class DeploymentFailed(Exception):
    """A failure after the beginning: the resource and CloudFormation's reason."""


def print_plan(release: Release, context: Mapping[str, str], assets_bucket: str | None) -> None:
    """Print the effects of a first deployment; nothing is sent.

    Raises:
        Invalid: a context value is wrong.
    """
    check_values(release, context)
    choice = choose(release, context, deployed={})
    resources = Counter(resource["Type"] for resource in json.loads(choice.template)["Resources"].values())
    _print_choice(release, choice)
    bucket = assets_bucket or "headwater-assets-ACCOUNT-REGION, made if it is missing: private, encrypted, TLS alone"
    size_mb = sum(asset.size for asset in release.assets) / 1e6
    print(f"\nAssets: {len(release.assets)} files, {size_mb:.1f} MB, into {bucket}")
    for asset in release.assets:
        print(f"  {asset.key}  {asset.size} bytes")
    print(f"\nResources: {sum(resources.values())}")
    for kind, count in sorted(resources.items()):
        print(f"  {count:4} {kind}")
    print("\nThis was a dry run: nothing was sent to AWS. A deployed stack would keep its values without a -c.")


def deploy(
    release: Release,
    context: Mapping[str, str],
    assets_bucket: str | None,
    *,
    agree: Callable[[], bool],
    sleep: Callable[[float], None] = time.sleep,
) -> bool:
    """Deploy a release, and print the changes, the progress and the outputs; return False if `agree` did.

    Raises:
        Invalid: a context value is wrong.
        CommandFailed: there are no credentials, or the stack is in a state without change sets.
        DeploymentFailed: with the failed resource, and the reason.
    """
    import boto3

    check_values(release, context)
    try:
        session = boto3.Session(region_name=region_setting().get("region_name"))
        account = session.client("sts").get_caller_identity()["Account"]
        formation, s3 = session.client("cloudformation"), session.client("s3")
        choice, deployed = _choose(formation, release, context)
        _print_choice(release, choice)
        given = assets_bucket or deployed.get(_ASSETS_BUCKET)
        bucket = find_bucket(s3, account=account, region=s3.meta.region_name, given=given)
        key = _upload(s3, bucket, release, choice)
        kept = deployed.keys() & json.loads(choice.template)["Parameters"].keys()  # of an earlier deployment
        changes = make_change_set(
            formation,
            choice.stack,
            url=_url_of(s3, bucket, key),
            parameters={**dict.fromkeys(kept), **choice.parameters, _ASSETS_BUCKET: bucket},
            tags={"service": "headwater", "stage": choice.stage},
            sleep=sleep,
        )
        if changes is not None and not _execute(changes, agree):
            return False
        _protect(formation, choice)
        _print_outputs(formation, choice.stack)
    except NoRegionError as error:
        raise CommandFailed("no AWS region; set AWS_REGION") from error
    except NoCredentialsError as error:
        raise CommandFailed(f"no AWS credentials; {SET_CREDENTIALS}") from error
    return True


def _protect(formation: CloudFormationClient, choice: Choice) -> None:
    """Protect a stack that retains its data from deletion."""
    retain = choice.choices["retention"] == "retain"
    formation.update_termination_protection(StackName=choice.stack, EnableTerminationProtection=retain)


def _url_of(s3: S3Client, bucket: str, key: str) -> str:
    """Name an object for CloudFormation: `https://assets.s3.cn-north-1.amazonaws.com.cn/template.json`."""
    suffix = _DNS_SUFFIXES.get(s3.meta.partition, _DNS_SUFFIX)
    return f"https://{bucket}.s3.{s3.meta.region_name}.{suffix}/{key}"


def _upload(s3: S3Client, bucket: str, release: Release, choice: Choice) -> str:
    """Upload the assets and the template, unless the bucket has them; return the key of the template."""
    put_count = sum(put(s3, bucket, asset.key, release.read(asset), asset.sha256) for asset in release.assets)
    print(f"\nAssets: {put_count} of {len(release.assets)} uploaded to {bucket}, the rest is there")
    sha256 = hashlib.sha256(choice.template).hexdigest()
    key = f"templates/{sha256}.json"
    put(s3, bucket, key, choice.template, sha256)
    return key


def _choose(
    formation: CloudFormationClient, release: Release, context: Mapping[str, str]
) -> tuple[Choice, Mapping[str, str]]:
    """Choose for the context, over the deployed stack's choice; return the stack's parameters, too."""
    name = f"Headwater-{stage_of(release, context)}"
    stack = find_stack(formation, name)
    if stack is None:
        return choose(release, context, deployed={}), {}
    if stack["StackStatus"] in ("ROLLBACK_COMPLETE", "ROLLBACK_FAILED"):
        raise CommandFailed(
            f"the first deployment of {name} failed, and CloudFormation can only delete it: "
            'docs/deploy.md, "A first deployment that failed", says how'
        )
    parameters = {each["ParameterKey"]: each["ParameterValue"] for each in stack.get("Parameters", ())}
    if _ASSETS_BUCKET not in parameters:
        raise CommandFailed(f"{name} was deployed by the CDK: go on with `cdk deploy`, or give another stage")
    outputs = {each["OutputKey"]: each["OutputValue"] for each in stack.get("Outputs", ())}
    chosen = {each: outputs[each.capitalize()] for each in release.choices if each.capitalize() in outputs}
    return choose(release, context, deployed=chosen), parameters


def _execute(changes: ChangeSet, agree: Callable[[], bool]) -> bool:
    """Print the changes and execute them after an agreement; without it, leave nothing and return False."""
    changes.print_changes()
    if not agree():
        changes.delete()
        return False
    failure = changes.execute()
    if failure:
        raise DeploymentFailed(failure)
    return True


def _print_choice(release: Release, choice: Choice) -> None:
    print(f"{choice.stack}: release {release.version} of {release.path}")
    values = {**choice.choices, **choice.parameters}
    print(f"  {', '.join(f'{name}={value}' for name, value in values.items())}")


def _print_outputs(formation: CloudFormationClient, name: str) -> None:
    """Print the outputs and the ARN, as `cdk deploy` does."""
    stack = find_stack(formation, name) or {}
    print("\nOutputs:")
    for output in sorted(stack.get("Outputs", ()), key=lambda each: each["OutputKey"]):
        print(f"{name}.{output['OutputKey']} = {output['OutputValue']}")
    print(f"Stack ARN:\n{stack.get('StackId')}")
