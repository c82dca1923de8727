"""The context values of sign-in."""

from __future__ import annotations

import re
from dataclasses import dataclass

from headwater_model.errors import Fault
from infra.context_values import Reader, listed, text_or_none

NAMES = ("sign_in_issuer", "sign_in_audience", "sign_in_client", "sign_in_scope", "sign_in_origins", "sign_in_names")
# For `infra.check`.
EXAMPLES = (
    {
        "auth": "token",
        "sign_in_issuer": "https://id.example.org/realms/data",
        "sign_in_audience": "headwater",
        "sign_in_client": "headwater-page",
    },
)
_SCOPE = "openid profile email"
_HOST = r"https://[\w.-]+(:\d{1,5})?|http://(localhost|127\.0\.0\.1)(:\d{1,5})?"
_ISSUER = re.compile(rf"({_HOST})(/[\w./~-]*)?")
_ORIGIN = re.compile(_HOST)
_WORD = re.compile(r"[!#-\[\]-~]{1,200}")
_NAMES = re.compile(r"sub|email")
_WORDS = re.compile(r"[!#-\[\]-~]+( [!#-\[\]-~]+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInValues:
    """The issuer of callers' tokens, their audiences, and the public client of the explorer.

    `origins` are origins of the issuer's endpoints beside its own origin: Cognito has a domain for them. `names` is the
    claim with the names of people in logs: `sub` or `email`.
    """

    issuer: str
    audiences: tuple[str, ...]
    client: str | None = None
    scope: str = _SCOPE
    origins: tuple[str, ...] = ()
    names: str = "sub"


def read(reader: Reader) -> SignInValues | None:
    """Read the values; None without an issuer."""
    nothing: tuple[str, ...] = ()
    rule = "an https:// URL, as the issuer spells itself in its tokens"
    issuer = reader.read("sign_in_issuer", text_or_none(_ISSUER, rule), None)
    audiences = reader.read("sign_in_audience", lambda value: _texts(value, _WORD, "audiences"), nothing)
    client = reader.read("sign_in_client", text_or_none(_WORD, "the id of a public client"), None)
    scope = reader.read("sign_in_scope", text_or_none(_WORDS, "scopes with blanks between them"), None) or _SCOPE
    origins = reader.read("sign_in_origins", lambda value: _texts(value, _ORIGIN, "https:// origins"), nothing)
    names = reader.read("sign_in_names", text_or_none(_NAMES, "sub or email"), None) or "sub"
    if issuer is None:
        given = {"sign_in_audience": audiences, "sign_in_client": client}
        given["sign_in_origins"] = origins
        reader.faults += [
            Fault(name, value, "must not be given without sign_in_issuer") for name, value in given.items() if value
        ]
        return None
    if not audiences:
        reader.faults.append(Fault("sign_in_audience", None, "must be given with sign_in_issuer", missing=True))
    if not reader.read("auth", lambda value: value == "token", False):
        reader.faults.append(Fault("sign_in_issuer", issuer, "must be given with auth=token"))
    return SignInValues(issuer=issuer, audiences=audiences, client=client, scope=scope, origins=origins, names=names)


def _texts(value: object, form: re.Pattern[str], things: str) -> tuple[str, ...]:
    texts = listed(value, things)
    if not all(isinstance(text, str) and form.fullmatch(text) for text in texts):
        raise ValueError(f"must be {things}, as text with commas between them or as a list")
    return tuple(texts)
