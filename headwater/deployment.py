"""A stack that runs somewhere: in an AWS account, or on this machine under `headwater serve`."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, overload

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_s3 import S3Client

    from lineage.graph.table import GraphTable


class NotDeployed(Exception):
    """A missing stack, or one that these credentials may not read."""


@dataclass(frozen=True)
class Deployment:
    """The stack's outputs, and the client settings that the environment's credentials do not cover."""

    outputs: Mapping[str, str]
    settings: Mapping[str, Any]

    @overload
    def client(self, service: Literal["dynamodb"]) -> DynamoDBClient: ...
    @overload
    def client(self, service: Literal["lambda"]) -> LambdaClient: ...
    @overload
    def client(self, service: Literal["s3"]) -> S3Client: ...
    def client(self, service: Literal["dynamodb", "lambda", "s3"]) -> Any:
        """Return a client of the service where the stack runs."""
        import boto3

        return boto3.client(service, **self.settings_with(retries={"mode": "standard", "max_attempts": 10}))

    def settings_with(self, **options: Any) -> dict[str, Any]:
        """Return the client settings with further options of botocore's `Config`."""
        from botocore.config import Config

        return {**self.settings, "config": Config(**options).merge(self.settings.get("config") or Config())}

    def graph_table(self, name: str | None = None) -> GraphTable:
        """Return the graph table, or another table with its keys."""
        from lineage.graph.table import GraphTable

        return GraphTable(
            self.client("dynamodb"),
            name or self.outputs["GraphTableName"],
            self.client("s3"),
            self.outputs["ArchiveBucketName"],
        )


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that select the stack."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--stage", default="prod", metavar="NAME", help="a deployed stack, by its stage (default: prod)")
    which.add_argument("--local", metavar="URL", help="the stack of `headwater serve`, by the URL of its AWS endpoints")


def find_deployment(given: argparse.Namespace) -> Deployment:
    """Return the stack that the options name.

    Raises:
        NotDeployed: with the reason from AWS.
    """
    import boto3
    from botocore.exceptions import BotoCoreError, ClientError, EndpointConnectionError

    settings: dict[str, Any] = {}
    if given.local:
        from local.endpoint import settings_at

        settings = settings_at(given.local)
    name = "Local" if given.local else f"Headwater-{given.stage}"
    try:
        formation = boto3.client("cloudformation", **settings)
        found = formation.describe_stacks(StackName=name)["Stacks"][0]
    except (BotoCoreError, ClientError) as error:
        if given.local and isinstance(error, EndpointConnectionError):
            raise NotDeployed(f"nothing answers at {given.local}; start `headwater serve` or give --local") from error
        raise NotDeployed(f"the stack {name} was not found: {error}") from error
    return Deployment({one["OutputKey"]: one["OutputValue"] for one in found.get("Outputs", [])}, settings)
