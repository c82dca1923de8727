"""`headwater serve --sign-in-issuer`: sign-in at an issuer on this machine or elsewhere."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any


def add_option(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--sign-in-issuer", metavar="URL", help="let callers of this issuer into the token API (OIDC), with --token-api"
    )
    parser.add_argument(
        "--sign-in-audience",
        metavar="TEXT",
        default="headwater",
        help="the audience of its tokens (default: headwater)",
    )
    parser.add_argument("--sign-in-client", metavar="ID", help="the public client of the explorer")


def context_of(arguments: argparse.Namespace) -> Mapping[str, str]:
    """Turn the options into context values."""
    if not arguments.sign_in_issuer:
        return {}
    values = {"sign_in_issuer": arguments.sign_in_issuer, "sign_in_audience": arguments.sign_in_audience}
    return {
        "auth": "token",
        **values,
        **({"sign_in_client": arguments.sign_in_client} if arguments.sign_in_client else {}),
    }


def greet(_outputs: Mapping[str, str]) -> str:
    """Say nothing."""
    return ""


def show(_event: Mapping[str, Any]) -> str:
    """Show nothing: sign-in has no events."""
    return ""
