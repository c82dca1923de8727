"""The context values of forwarding."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from headwater_model.errors import Fault
from infra.context_values import namespaces, text_or_none, within

if TYPE_CHECKING:
    from infra.context_values import Reader

NAMES = ("forward_url", "forward_namespaces", "forward_secret")
# For `infra.check`.
EXAMPLES = ({"forward_url": "https://example.org/api/v1/lineage", "forward_secret": "marquez/token"},)
_URL = re.compile(r"https?://[!-~]+")
# A name, or an ARN with six characters of Secrets Manager's own behind the name.
_SECRET = re.compile(r"[\w/+=.@-]{1,512}|arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:[\w/+=.@-]+-\w{6}")


@dataclass(frozen=True, slots=True)
class ForwardTo:
    """The endpoint, the patterns of its namespaces, and the secret of its token, if the endpoint needs a token."""

    url: str
    namespaces: tuple[str, ...] = ("*",)
    secret: str | None = None


def read(reader: Reader) -> ForwardTo | None:
    """Read the endpoint of the context; a namespace or a secret without a URL is a fault."""
    url = reader.read("forward_url", _forward_url, None)
    nowhere: tuple[str, ...] = ()
    chosen = reader.read("forward_namespaces", namespaces, nowhere)
    by_name = text_or_none(_SECRET, "the name or the ARN of a secret in Secrets Manager")
    secret = reader.read("forward_secret", by_name, None)
    if url is not None:
        return ForwardTo(url, chosen or ("*",), secret)
    for name, value in (("forward_namespaces", chosen), ("forward_secret", secret)):
        if value and not any(fault.field == "forward_url" for fault in reader.faults):
            reader.faults.append(Fault(name, value, "must be given with forward_url"))
    return None


def _forward_url(value: object) -> str | None:
    """Check an https URL; http is for an endpoint on the same machine, as in the local stack."""
    if value in (None, "", "none"):
        return None
    parts = urlsplit(value) if isinstance(value, str) and _URL.fullmatch(value) else None
    if parts and _is_safe(parts):
        return within(str(value))
    raise ValueError("must be an https URL, without credentials in it, or none")


def _is_safe(parts: SplitResult) -> bool:
    """True if a request to the URL is encrypted, or stays on the machine, and the URL holds no credentials."""
    is_private = parts.scheme == "https" or parts.hostname in ("localhost", "127.0.0.1")
    return is_private and bool(parts.hostname) and not (parts.username or parts.password or parts.fragment)
