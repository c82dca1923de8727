"""A client of DynamoDB with boto3's beside it, against a service that does what the test says."""

from types import SimpleNamespace

import boto3
import pytest
from botocore.config import Config
from botocore.credentials import Credentials

from headwater.aws.connections import Connections
from headwater.aws.dynamodb import DynamoDB
from headwater.aws.signing import Signer
from headwater.aws.standard_retries import StandardRetries
from tests.unit.aws.service import serving
from tests.waiting import LONG_S

REGION = "eu-central-1"
SECRETS = ("AKIDEXAMPLE", "wJalrXUtnFEMI", "FwoGZXIvYXdzEXAMPLETOKEN")


@pytest.fixture
def service():
    with serving() as service_process:
        yield service_process


@pytest.fixture
def make(service):
    """Return a function that makes a client; what it slept is in its `slept`."""
    pools = []

    def make(credentials=None, ca_file="", url=service.url, read_timeout_s=LONG_S, **signing):
        connections = Connections(
            url, ca_file=ca_file, connect_timeout_s=LONG_S, read_timeout_s=read_timeout_s, keep=16
        )
        pools.append(connections)
        signer = Signer(credentials or Credentials(*SECRETS), url=url, region=REGION, **signing)
        slept = []
        dynamodb = DynamoDB(connections, signer, StandardRetries(6), sleep=slept.append)
        return SimpleNamespace(dynamodb=dynamodb, slept=slept)

    yield make
    for pool in pools:
        pool.close()


@pytest.fixture
def client(make):
    return make()


@pytest.fixture(scope="session")
def boto3_session():
    return boto3.Session(*SECRETS, region_name=REGION)


@pytest.fixture
def beside(service, boto3_session, monkeypatch):
    """boto3's client of the same service, as `headwater.aws.clients` makes it; it does not sleep."""
    monkeypatch.setattr("time.sleep", lambda _: None)
    config = Config(retries={"mode": "standard", "max_attempts": 5}, read_timeout=LONG_S, parameter_validation=False)
    return boto3_session.client("dynamodb", endpoint_url=service.url, config=config)
