"""The context values of forwarding."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from headwater_model.errors import Fault
from infra.context_values import Reader, namespaces, text_or_none, within

NAMES = ("forward_url", "forward_domain", "forward_namespaces", "forward_secret")
# For `infra.check`.
EXAMPLES: tuple[dict[str, object], ...] = (
    {"forward_url": "https://example.org/api/v1/lineage", "forward_secret": "marquez/token"},
    {"forward_domain": "dzd_0123456789abcd"},
)
_URL = re.compile(r"https?://[!-~]+")
# A domain of the stack's account and region, or of others by its ARN; the id as in DataZone's API reference.
_DOMAIN = re.compile(r"(arn:aws[a-z-]*:datazone:[a-z0-9-]+:[0-9]{12}:domain/)?dzd[-_][a-zA-Z0-9_-]{1,36}")
# A name, or an ARN with six characters of Secrets Manager's own behind the name.
_SECRET = re.compile(r"[\w/+=.@-]{1,512}|arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:[\w/+=.@-]+-\w{6}")


@dataclass(frozen=True, slots=True)
class ForwardTo:
    """An endpoint, with the secret of its token if it needs a token, or a domain; the patterns of its namespaces."""

    url: str | None
    namespaces: tuple[str, ...] = ("*",)
    secret: str | None = None
    domain: str | None = None


def read(reader: Reader) -> ForwardTo | None:
    """Read the target of the context; a namespace without a target, or a secret without a URL, is a fault."""
    url = reader.read("forward_url", _forward_url, None)
    domain = reader.read("forward_domain", text_or_none(_DOMAIN, "the id or the ARN of a domain of DataZone"), None)
    nowhere: tuple[str, ...] = ()
    chosen = reader.read("forward_namespaces", namespaces, nowhere)
    by_name = text_or_none(_SECRET, "the name or the ARN of a secret in Secrets Manager")
    secret = reader.read("forward_secret", by_name, None)
    faulty = {fault.field for fault in reader.faults} & {"forward_url", "forward_domain"}
    if url and domain:
        reader.faults.append(Fault("forward_domain", domain, "must not be given with forward_url"))
    if chosen and not (url or domain or faulty):
        reader.faults.append(Fault("forward_namespaces", chosen, "must be given with forward_url or forward_domain"))
    if secret and not (url or faulty):
        reader.faults.append(Fault("forward_secret", secret, "must be given with forward_url"))
    return ForwardTo(url, chosen or ("*",), secret, domain) if url or domain else None


def _forward_url(value: object) -> str | None:
    """Check an https URL; http is for an endpoint on the same machine, as in the local stack."""
    if value in ("", "none"):
        return None
    parts = urlsplit(value) if isinstance(value, str) and _URL.fullmatch(value) else None
    if parts and _is_safe(parts):
        return within(str(value))
    raise ValueError("must be an https URL, without credentials in it, or none")


def _is_safe(parts: SplitResult) -> bool:
    """True if a request to the URL is encrypted, or stays on the machine, and the URL holds no credentials."""
    is_private = parts.scheme == "https" or parts.hostname in ("localhost", "127.0.0.1")
    return is_private and bool(parts.hostname) and not (parts.username or parts.password or parts.fragment)
