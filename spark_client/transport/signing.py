"""Signature Version 4 for API Gateway; no other module loads botocore for an HTTP destination."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import botocore.session
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest

from spark_client.errors import Misconfigured

if TYPE_CHECKING:
    from collections.abc import Callable

_SERVICE = "execute-api"


def sign_with_aws(host: str, method: str = "POST") -> Callable[[str, bytes, dict[str, str]], dict[str, str]]:
    """Make the signer of requests to a host: `sign(url, body, headers)` adds the signature to the headers.

    The region stands in the name of an API Gateway host (`<id>.execute-api.<region>.amazonaws.com`), else in the
    session.

    Raises:
        Misconfigured: no region, or no credentials.
    """
    session = botocore.session.get_session()
    named = host.partition(f".{_SERVICE}.")[2].partition(".")[0]
    region = named or session.get_config_variable("region")
    credentials = session.get_credentials()
    if not region or credentials is None:
        raise Misconfigured(f"cannot sign for {host}: no AWS {'credentials' if region else 'region'} found")
    lock = threading.Lock()  # credentials refresh themselves, one thread at a time

    def sign(url: str, body: bytes, headers: dict[str, str]) -> dict[str, str]:
        with lock:
            frozen = credentials.get_frozen_credentials()
        request = AWSRequest(method=method, url=url, data=body, headers=dict(headers))
        SigV4Auth(frozen, _SERVICE, region).add_auth(request)
        return dict(request.headers.items())

    return sign
