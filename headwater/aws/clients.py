"""Clients of AWS, made once a process, at their first use: a cold start pays only for its own use."""

from __future__ import annotations

import logging
import re
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, cast, overload

from headwater import settings

if TYPE_CHECKING:
    from botocore.regions import EndpointResolver
    from botocore.session import Session
    from mypy_boto3_athena import AthenaClient
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_events import EventBridgeClient
    from mypy_boto3_glue import GlueClient
    from mypy_boto3_kms import KMSClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

# Connections, and so threads, of a function to a service. DynamoDB takes about 5 ms for a write, and half a core (1 GB)
# 1 ms for the call: more threads would only wait for each other (measured: 8 cost 40 % more CPU, 16 twice as much).
CONCURRENCY = 4
# The same for a function of reads, and so of waits: a graph is thousands of small requests.
READ_CONCURRENCY = 16
# Time-outs short enough for a function's own time-out.
_CONNECT_TIMEOUT_S = 3
_READ_TIMEOUT_S = 20
_RETRIES_MAX = 5
# A region whose endpoints have the usual name: botocore's list of endpoints takes 19 ms of a cold start.
_USUAL_REGION = re.compile(r"(us|eu|ap|sa|ca|me|af|il|mx)-\w+-\d+", re.ASCII)
_log = logging.getLogger(__name__)


class _AnyName(frozenset[str]):
    def __contains__(self, name: object) -> bool:
        return True


@overload
def client(service: Literal["athena"]) -> AthenaClient: ...
@overload
def client(service: Literal["dynamodb"]) -> DynamoDBClient: ...
@overload
def client(service: Literal["events"]) -> EventBridgeClient: ...
@overload
def client(service: Literal["glue"]) -> GlueClient: ...
@overload
def client(service: Literal["kms"]) -> KMSClient: ...
@overload
def client(service: Literal["s3"]) -> S3Client: ...
@overload
def client(service: Literal["sqs"]) -> SQSClient: ...
@overload
def client(service: Literal["secretsmanager"]) -> Any: ...
@cache
def client(service: Literal["athena", "dynamodb", "events", "glue", "kms", "s3", "secretsmanager", "sqs"]) -> Any:
    """Build a client of the service, `client("s3")`, with time-outs below a function's own.

    Parameter validation is off: requests are built here, and DynamoDB checks them again (measured: a fifth of a put's
    CPU). The user agent is given: botocore would build its own twice for each request (an eighth).
    """
    import os

    from botocore.config import Config

    config = Config(
        connect_timeout=_CONNECT_TIMEOUT_S,
        read_timeout=_READ_TIMEOUT_S,
        max_pool_connections=READ_CONCURRENCY,
        parameter_validation=False,
        retries={"mode": "standard", "max_attempts": _RETRIES_MAX},
        user_agent="headwater",
        # By default, links are signed in the old version, and KMS refuses them.
        signature_version="s3v4" if service == "s3" else None,
        # At a local endpoint, bucket names are no host names.
        s3={"addressing_style": "path"} if "AWS_ENDPOINT_URL" in os.environ else {},
    )
    return session().create_client(service, config=config)


@cache
def session() -> Session:
    """Load the process's settings and credentials, as for `session().create_client("datazone")`.

    The clients are botocore's: boto3 without its transfers of files, unused by functions. To import boto3 costs a cold
    start as much as a client.
    """
    from botocore.session import get_session

    opened = get_session()
    # Before botocore reads the folder of a service, it would list the folders of all 400 services, twice (15 ms).
    opened.get_component("data_loader").list_available_services = lambda _type: _AnyName()
    return opened


@cache
def dynamodb() -> DynamoDBClient:
    """Build the functions' client of DynamoDB, `headwater.aws.dynamodb`, typed as boto3's.

    It has only the methods in use. boto3's own client takes its place by the environment variable `DYNAMODB_CLIENT`
    with the value `boto3`, or where botocore lacks a private module. Raises botocore's `NoRegionError`.
    """
    import os

    if os.environ.get(settings.DYNAMODB_CLIENT) == "boto3":
        return client("dynamodb")
    try:
        from headwater.aws import botocore_internals
    except ImportError as error:
        _log.warning("boto3's client of DynamoDB takes the place of the functions' own: %s", error)
        return client("dynamodb")
    from botocore.exceptions import NoRegionError

    from headwater.aws.connections import Connections
    from headwater.aws.dynamodb import DynamoDB
    from headwater.aws.signing import Signer
    from headwater.aws.standard_retries import StandardRetries

    # Settings, endpoint and certificates come from botocore, requests and signatures from our own code.
    region = session().get_config_variable("region")
    if not region:
        raise NoRegionError
    url = _dynamodb_url(session(), region, botocore_internals.EndpointResolver)
    connections = Connections(
        url,
        ca_file=session().get_config_variable("ca_bundle") or certificates(),
        connect_timeout_s=_CONNECT_TIMEOUT_S,
        read_timeout_s=_READ_TIMEOUT_S,
        keep=READ_CONCURRENCY,
    )
    signer = Signer(session().get_credentials(), url=url, region=region)
    return cast("DynamoDBClient", DynamoDB(connections, signer, StandardRetries(1 + _RETRIES_MAX)))


def certificates() -> str | None:
    """Find botocore's file of certificates, `cacert.pem`; None for the machine's own."""
    try:
        from headwater.aws.botocore_internals import get_cert_path
    except ImportError:
        return None
    return str(get_cert_path(True))


def _dynamodb_url(session: Session, region: str, resolver: type[EndpointResolver]) -> str:
    """Find the endpoint in the environment, or else the region's."""
    import os

    if not session.get_config_variable("ignore_configured_endpoint_urls"):
        for variable in ("AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"):
            if url := os.environ.get(variable):
                return url
    variants = {
        f"use_{kind}_endpoint": session.get_config_variable(f"use_{kind}_endpoint") for kind in ("fips", "dualstack")
    }
    known = None
    if any(variants.values()) or not _USUAL_REGION.fullmatch(region):
        known = resolver(session.get_data("endpoints")).construct_endpoint("dynamodb", region, **variants)
    # None, too, for a region newer than the runtime's botocore.
    return f"https://{known['hostname'] if known else f'dynamodb.{region}.amazonaws.com'}"
