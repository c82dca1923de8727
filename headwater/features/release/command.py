"""`headwater deploy`: a release into an account by CloudFormation alone."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

from headwater.cli.options import add_command

_ROOT = Path(__file__).resolve().parents[3]
_ABOUT = """\
Deploy the stack into the account and region of your AWS credentials.

CloudFormation alone deploys a release, without Node: the assets are uploaded to a bucket, a change set is made and
shown, and executed after you agree. The command cdk deploys a checkout by the AWS CDK.
The template has parameters for the context values stage, alarm_email, strict_namespaces, partition_trimming,
compaction_hour_utc, glue_version and web_acl_arn, and a variant for each auth and retention. A stack that is deployed
keeps what -c does not name. The other context values of docs/operations.md need the CDK.
The credentials need the rights to make the stack's resources and roles, and s3:* on the bucket of the assets.
Exit code: 0 when the stack is as the template says, 1 when the deployment failed or was declined, 2 when nothing could
be tried.
"""
_EXAMPLES = """\
examples:
  %(prog)s --template --dry-run                       what would be done; nothing is sent to AWS
  %(prog)s --template -c alarm_email=ops@example.org  the first time, or after an upgrade of the wheel
  %(prog)s --template headwater-0.1.0-template.zip -c stage=test -c retention=destroy --yes
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = add_command(
        subparsers,
        "deploy",
        "the stack into your AWS account",
        _ABOUT,
        _EXAMPLES,
        run=run_deploy,
        failed=2,
        interrupted="interrupted; CloudFormation goes on with the executed changes",
    )
    parser.add_argument(
        "--template",
        nargs="?",
        const=True,
        type=Path,
        metavar="FILE",
        help="the template of a release (default: this installation's, or the template in dist/)",
    )
    parser.add_argument(
        "-c", dest="context", action="append", default=[], metavar="NAME=VALUE", help="set a context value"
    )
    parser.add_argument(
        "--assets-bucket",
        metavar="NAME",
        help="a bucket of the same region for the assets (default: the deployed stack's, else "
        "headwater-assets-ACCOUNT-REGION, created if missing)",
    )
    parser.add_argument("--yes", action="store_true", help="execute the change set without asking")
    parser.add_argument("--dry-run", action="store_true", help="print the steps, and send nothing to AWS")


def run_deploy(given: argparse.Namespace) -> int:
    """Deploy, and return the exit status."""
    from headwater.features.release.release import Release, find_release
    from headwater.features.release.steps import DeploymentFailed, deploy, print_plan

    context = dict(value.partition("=")[::2] for value in given.context)
    with Release(given.template if isinstance(given.template, Path) else find_release(_ROOT)) as release:
        if given.dry_run:
            print_plan(release, context, given.assets_bucket)
            return 0
        try:
            return 0 if deploy(release, context, given.assets_bucket, agree=partial(_agree, agreed=given.yes)) else 1
        except DeploymentFailed as error:
            print(f"headwater deploy: {error}", file=sys.stderr)
            return 1


def _agree(*, agreed: bool) -> bool:
    """Get the agreement to the printed changes, by the option or at the terminal."""
    if agreed:
        return True
    if not sys.stdin.isatty():
        print("headwater deploy: not executed: give --yes where no terminal can agree", file=sys.stderr)
        return False
    return input("Execute these changes? [y/N] ").strip().lower() in ("y", "yes")
