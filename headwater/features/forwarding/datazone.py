"""A domain of Amazon DataZone, the SageMaker Catalog, as the target of forwarded events.

    domain = open_domain("dzd_0123456789abcd")
    status = domain.post(b"{...}")

`PostLineageEvent` takes RunEvents alone, of at most 300,000 bytes (its API reference). The token of a request is the
hash of its event: DataZone takes a repeated event once.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import orjson
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from headwater.aws.clients import session
from headwater.features.forwarding.endpoint import TIMEOUT_S, Unreachable, Unsendable

EVENT_BYTES_MAX = 300_000
# Refusals of the role, the domain or a quota, and not of the event.
_OF_DOMAIN = frozenset({401, 402, 403, 404, 408, 429})
_CONNECT_S = 3


def open_domain(domain: str) -> Domain:
    """Open a domain of the function's region by its id, or of any region by its ARN."""
    config = Config(
        connect_timeout=_CONNECT_S,
        read_timeout=TIMEOUT_S - _CONNECT_S,
        # A lane tries again by itself.
        retries={"mode": "standard", "total_max_attempts": 1},
        user_agent="headwater",
    )
    region = domain.split(":")[3] if ":" in domain else None
    client = session().create_client("datazone", region_name=region, config=config)
    return Domain(client, domain.rpartition("/")[2])


@dataclass(frozen=True, slots=True)
class Domain:
    """A domain, by its id, and botocore's client of DataZone."""

    client: Any
    id: str

    def post(self, body: bytes) -> int:
        """Send an event, as `Target`; a refusal for the role, the domain or a quota makes its lane wait."""
        if len(body) > EVENT_BYTES_MAX:
            raise Unsendable(f"must have at most {EVENT_BYTES_MAX:,} bytes for DataZone, and has {len(body):,}")
        if orjson.loads(body).get("run") is None:
            raise Unsendable("must be a RunEvent for DataZone")
        try:
            response = self.client.post_lineage_event(
                domainIdentifier=self.id, event=body, clientToken=hashlib.sha256(body).hexdigest()
            )
            return int(response["ResponseMetadata"]["HTTPStatusCode"])
        except ClientError as error:
            status = error.response["ResponseMetadata"]["HTTPStatusCode"]
            if status // 100 != 4 or status in _OF_DOMAIN:
                raise Unreachable(str(error)) from error
            return status
        except BotoCoreError as error:
            raise Unreachable(f"DataZone did not respond ({type(error).__name__})") from error
