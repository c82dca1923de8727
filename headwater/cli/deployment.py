"""A running stack: in an AWS account, or on this machine under `headwater serve`."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, overload
from urllib.parse import urlsplit

from headwater.cli.program import CommandFailed, command
from headwater.cli.service import SET_CREDENTIALS

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_s3 import S3Client

    from headwater.events.naming import NamingRules
    from headwater.facts.table import GraphTable


class NotDeployed(CommandFailed):
    """A missing stack, or a stack beyond these credentials."""


@dataclass(frozen=True)
class Deployment:
    """The stack's outputs, the client settings beyond the environment's credentials, and its name."""

    outputs: Mapping[str, str]
    settings: Mapping[str, Any]
    name: str = "Local"

    @overload
    def client(self, service: Literal["dynamodb"]) -> DynamoDBClient: ...
    @overload
    def client(self, service: Literal["lambda"]) -> LambdaClient: ...
    @overload
    def client(self, service: Literal["s3"]) -> S3Client: ...
    @overload
    def client(self, service: str) -> Any: ...
    def client(self, service: str) -> Any:
        """Build a client of the service where the stack runs."""
        import boto3

        return boto3.client(service, **self.settings_with(retries={"mode": "standard", "max_attempts": 10}))  # type: ignore[call-overload]

    def settings_with(self, **options: Any) -> dict[str, Any]:
        """Merge the client settings with further options of botocore's `Config`."""
        from botocore.config import Config

        return {**self.settings, "config": Config(**options).merge(self.settings.get("config") or Config())}

    def graph_table(self, name: str | None = None, *, loads: bool = False) -> GraphTable:
        """Open the graph table, or a further table with its keys; `loads` gives rows the stack's days of history."""
        from headwater.facts.kept import parse_days
        from headwater.facts.table import GraphTable
        from headwater.settings import KEPT_DAYS

        return GraphTable(
            self.client("dynamodb"),
            name or self.outputs["GraphTableName"],
            self.client("s3"),
            self.outputs["ArchiveBucketName"],
            kept=parse_days(self._variables(), KEPT_DAYS) if loads else {},
        )

    def naming_rules(self) -> NamingRules:
        """Read the naming rules of the deployment in the variables of the events function."""
        from headwater.events.naming import parse_rules

        return parse_rules(self._variables())

    def _variables(self) -> Mapping[str, str]:
        """Read the variables of the events function."""
        configuration = self.client("lambda").get_function_configuration(
            FunctionName=self.outputs["EventsFunctionName"]
        )
        return configuration.get("Environment", {}).get("Variables", {})


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that select the stack: `--stage prod`, or `--local http://127.0.0.1:4566`."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--stage", default="prod", metavar="NAME", help="a deployed stack, by its stage (default: prod)")
    which.add_argument("--stack", metavar="NAME", help="a deployed stack, by its whole name: acme-Headwater-prod")
    which.add_argument(
        "--local", type=_url, metavar="URL", help="the stack of `serve`, by the URL of its AWS endpoints"
    )


def find_deployment(given: argparse.Namespace) -> Deployment:
    """Find the stack of the options: `Headwater-prod` for `--stage prod`, `Local` for `--local URL`.

    Raises:
        NotDeployed: with the reason from AWS.
    """
    import boto3
    from botocore.exceptions import BotoCoreError, ClientError
    from botocore.parsers import ResponseParserError

    settings: dict[str, Any] = dict(region_setting())
    if given.local:
        from local_stack.aws.endpoint import settings_at

        settings = settings_at(given.local)
    name = "Local" if given.local else given.stack or f"Headwater-{given.stage}"
    try:
        formation = boto3.client("cloudformation", **settings)
        stack = formation.describe_stacks(StackName=name)["Stacks"][0]
    except (BotoCoreError, ClientError, ResponseParserError) as error:
        raise NotDeployed(_why_local(given.local, error) if given.local else _why(name, error)) from error
    return Deployment(
        {output["OutputKey"]: output["OutputValue"] for output in stack.get("Outputs", [])}, settings, name
    )


def region_setting() -> dict[str, str]:
    """Read AWS_REGION, `{"region_name": "eu-west-1"}`: the AWS CLI and CDK prefer it, and boto3 does not read it."""
    region = os.environ.get("AWS_REGION")
    return {"region_name": region} if region else {}


def _why(name: str, error: Exception) -> str:
    """Explain a failure to read a deployed stack, and the next step."""
    from botocore.exceptions import ClientError, NoCredentialsError, NoRegionError

    here = "or name a stack on this machine by --local"
    if isinstance(error, NoRegionError):
        return f"no AWS region; set AWS_REGION, {here}"
    if isinstance(error, NoCredentialsError):
        return f"no AWS credentials; {SET_CREDENTIALS}, {here}"
    if isinstance(error, ClientError) and error.response["Error"]["Code"] == "ValidationError":
        return f"there is no stack {name} in this account and region; name another by --stage or --stack, {here}"
    return f"the stack {name} cannot be read: {error}"


def _why_local(url: str, error: Exception) -> str:
    """Explain a failure to read a stack on this machine: its URL is of its AWS endpoints, not of its API."""
    from botocore.exceptions import EndpointConnectionError

    if isinstance(error, EndpointConnectionError):
        return f"nothing answers at {url}; start {command('serve')} or give --local"
    return f"no AWS endpoints of a stack answer at {url}; give those that {command('serve')} prints as --local"


def _url(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise argparse.ArgumentTypeError(f"must be http://host[:port], got {text!r}")
    return text
