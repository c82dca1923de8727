"""The authorizer of the token API: verifies tokens of the issuer; a token of ours passes, the API checks it."""

from __future__ import annotations

import json
import os
from functools import cache
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from headwater.api.route import VERIFIED
from headwater.features.sign_in.claims import name_caller
from headwater.features.sign_in.issuer_keys import IssuerKeys
from headwater.features.sign_in.settings import SIGN_IN_AUDIENCE, SIGN_IN_ISSUER, SIGN_IN_NAMES
from headwater.features.sign_in.verification import Refused, verify
from headwater_model.ids import sha256_hex
from lambdas import wiring
from lambdas.telemetry import count, logger, metrics

_OURS = "hw_"


@metrics.log_metrics
def handler(event: dict[str, Any], _context: LambdaContext) -> dict[str, Any]:
    """Respond with a policy of the whole stage: API Gateway keeps it for a minute for each token."""
    kind, _, text = event["authorizationToken"].strip().partition(" ")
    text = text.strip()
    if kind.lower() == "bearer" and text.startswith(_OURS):
        return _policy(event, "token", "Allow")
    try:
        claims = verify(
            text if kind.lower() == "bearer" else "",
            _keys(),
            issuer=os.environ[SIGN_IN_ISSUER],
            audiences=json.loads(os.environ[SIGN_IN_AUDIENCE]),
        )
    except Refused as refused:
        count("RequestsUnauthorized", 1)
        logger.info("refused", extra={"reason": str(refused)})
        return _policy(event, "nobody", "Deny", reason=f"Authorization: {refused}")
    who = name_caller(claims, by_mail=os.environ.get(SIGN_IN_NAMES) == "email")
    return _policy(event, who, "Allow", **{VERIFIED: sha256_hex(text)})


@cache
def _keys() -> IssuerKeys:
    return IssuerKeys(os.environ[SIGN_IN_ISSUER], wiring.graph_table(), wiring.now_s)


def _policy(event: dict[str, Any], principal: str, effect: str, **context: str) -> dict[str, Any]:
    """Render the policy of a caller, with values for the API."""
    api, stage = event["methodArn"].split("/")[:2]
    statement = {"Action": "execute-api:Invoke", "Effect": effect, "Resource": f"{api}/{stage}/*"}
    return {
        "principalId": principal,
        "policyDocument": {"Version": "2012-10-17", "Statement": [statement]},
        "context": context,
    }
