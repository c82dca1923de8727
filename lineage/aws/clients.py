"""boto3 clients, made once a process, at their first use: a cold start pays for what it uses."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Literal, overload

if TYPE_CHECKING:
    from mypy_boto3_athena import AthenaClient
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_glue import GlueClient
    from mypy_boto3_kms import KMSClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

# Connections, and so threads, that one function uses against one service. DynamoDB takes about 5 ms for a write, and
# half a core (1 GB) 1 ms for the call: more threads would only wait for each other (measured: 8 cost 40 % more CPU, 16
# twice as much).
CONCURRENCY = 4
# The same of a function that only reads, and so waits: a graph is thousands of small requests.
READ_CONCURRENCY = 16


@overload
def client(service: Literal["athena"]) -> AthenaClient: ...
@overload
def client(service: Literal["dynamodb"]) -> DynamoDBClient: ...
@overload
def client(service: Literal["glue"]) -> GlueClient: ...
@overload
def client(service: Literal["kms"]) -> KMSClient: ...
@overload
def client(service: Literal["s3"]) -> S3Client: ...
@overload
def client(service: Literal["sqs"]) -> SQSClient: ...
@cache
def client(service: Literal["athena", "dynamodb", "glue", "kms", "s3", "sqs"]) -> Any:
    """Return the process's client of the service, with time-outs that leave a function time to answer.

    Parameter validation is off: what we send is built here, and DynamoDB checks it again (measured: a fifth of a
    put's CPU). The user agent is given: botocore would put its own together twice for each request (an eighth).
    """
    import boto3
    from botocore.config import Config

    config = Config(
        connect_timeout=3,
        read_timeout=20,
        max_pool_connections=READ_CONCURRENCY,
        parameter_validation=False,
        retries={"mode": "standard", "max_attempts": 5},
        user_agent="headwater",
        # Without it, links are signed by the old version, which KMS refuses.
        signature_version="s3v4" if service == "s3" else None,
        s3={"addressing_style": "path"} if _local() else {},
    )
    return boto3.client(service, config=config)


def _local() -> bool:
    """True if the AWS endpoint is replaced by a local one, where bucket names are no host names."""
    import os

    return "AWS_ENDPOINT_URL" in os.environ
