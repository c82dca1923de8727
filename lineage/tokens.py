"""Bearer tokens: who may read or write which namespaces. Only a token's hash is kept.

    TOKENS    <id>    hash, scopes, namespaces, created, expires, revoked; swapped by version

A token is `hw_<id>_<secret>`: the id finds its row, the secret of 256 bits proves it. No one guesses such a secret, so
one round of SHA-256 is enough.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from base64 import urlsafe_b64encode
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from lineage.errors import Conflict, Invalid, NotFound
from lineage.runs.facts.table import Query, Row, Swap

if TYPE_CHECKING:
    from lineage.runs.facts.table import GraphTable

Scope = Literal["read", "write"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
EVERYWHERE = "*"

_PK = "TOKENS"
_FORM = re.compile(r"hw_([0-9a-f]{16})_([A-Za-z0-9_-]{43})", re.ASCII)
_ID_BYTES, _SECRET_BYTES = 8, 32
# How long a function may go on with what it knows of a token: a revocation takes as long.
_KNOWN_S = 60
_KNOWN_MAX = 10_000
_TRIES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """What is kept of a token; times are seconds since 1970. `namespaces` are names, or beginnings that end in `*`."""

    id: str
    hash: str
    scopes: tuple[Scope, ...]
    namespaces: tuple[str, ...]
    created: int
    expires: int | None = None
    revoked: int | None = None

    def is_good(self, now_s: int) -> bool:
        """Whether it is neither revoked nor expired."""
        return self.revoked is None and (self.expires is None or now_s < self.expires)

    def covers(self, namespace: str) -> bool:
        """Whether it is good for the namespace.

        >>> flights = Token(id="", hash="", scopes=("read",), namespaces=("flights", "s3://*"), created=0)
        >>> [flights.covers(one) for one in ("flights", "flights-2013", "s3://lake")]
        [True, False, True]
        """
        return any(_covers(pattern, namespace) for pattern in self.namespaces)

    @property
    def is_everywhere(self) -> bool:
        """Whether it is good for every namespace, and for what is in none."""
        return EVERYWHERE in self.namespaces


def _covers(pattern: str, namespace: str) -> bool:
    return namespace.startswith(pattern[:-1]) if pattern.endswith("*") else namespace == pattern


def new_token(
    *,
    scopes: Collection[str],
    namespaces: Collection[str],
    now_s: int,
    lifetime_s: int | None,
    random: Callable[[int], bytes],
) -> tuple[str, Token]:
    """A token's text, for its owner alone, and what is kept of it; no namespaces means all of them.

    Raises:
        Invalid: no scope or an unknown one, an empty namespace, or one with `*` elsewhere than at its end.
    """
    _check(scopes, namespaces)
    id_, secret = random(_ID_BYTES).hex(), urlsafe_b64encode(random(_SECRET_BYTES)).decode().rstrip("=")
    text = f"hw_{id_}_{secret}"
    token = Token(
        id=id_,
        hash=_hash(text),
        scopes=tuple(scope for scope in SCOPES if scope in scopes),
        namespaces=tuple(sorted(set(namespaces))) or (EVERYWHERE,),
        created=now_s,
        expires=None if lifetime_s is None else now_s + lifetime_s,
    )
    return text, token


def _check(scopes: Collection[str], namespaces: Collection[str]) -> None:
    if not scopes or not set(scopes) <= set(SCOPES):
        raise Invalid.because("scope", sorted(scopes), f"must be at least one of {', '.join(SCOPES)}")
    for namespace in namespaces:
        if not namespace or "*" in namespace[:-1]:
            raise Invalid.because("namespace", namespace, "must be a name, or the beginning of names and then `*`")


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Tokens:
    """The tokens in the graph table. What `find` has read is known for a minute without another request."""

    table: GraphTable
    _known: dict[str, tuple[Token, int]] = field(default_factory=dict, repr=False)

    def find(self, text: str, *, now_s: int) -> Token | None:
        """The token of this text if it is good at `now_s`; one request, or none."""
        form = _FORM.fullmatch(text)
        token = self._get(form[1], now_s) if form else None
        # Compared in constant time: how long it takes tells nothing of the kept hash.
        if token is None or not hmac.compare_digest(token.hash, _hash(text)) or not token.is_good(now_s):
            return None
        return token

    def _get(self, id_: str, now_s: int) -> Token | None:
        token, read_at = self._known.get(id_, (None, 0))
        if token is not None and 0 <= now_s - read_at < _KNOWN_S:
            return token
        row = self.table.get([(_PK, id_)]).get((_PK, id_))
        if row is None:
            return None
        if len(self._known) >= _KNOWN_MAX:
            self._known.clear()
        self._known[id_] = (_token(row), now_s)
        return self._known[id_][0]

    def put(self, token: Token) -> None:
        """Keep a new token."""
        if self.table.swap([Swap(_row(token))]) != [True]:
            raise Conflict(f"token {token.id}: there is one of this id")

    def all(self) -> list[Token]:
        """Every token, oldest first; of more than 10,000 those with the least ids."""
        [page] = self.table.query([Query(_PK)])
        return sorted(map(_token, page.rows), key=lambda token: (token.created, token.id))

    def revoke(self, id_: str, *, now_s: int) -> Token:
        """Mark the token as revoked; one that is so already stays as it is.

        Raises:
            NotFound: there is no such token.
        """
        for _ in range(_TRIES):
            row = self.table.get([(_PK, id_)]).get((_PK, id_))
            if row is None:
                raise NotFound(f"token: there is none with the id {id_!r}")
            token = _token(row)
            if token.revoked is not None:
                return token
            revoked = replace(token, revoked=now_s)
            if self.table.swap([Swap(_row(revoked, row.version))]) == [True]:
                return revoked
        raise Conflict(f"token {id_}: others keep changing it")


def _row(token: Token, version: int = 0) -> Row:
    data: dict[str, Any] = {
        "hash": token.hash,
        "scopes": list(token.scopes),
        "namespaces": list(token.namespaces),
        "created": token.created,
        "expires": token.expires,
        "revoked": token.revoked,
    }
    return Row(_PK, token.id, data, version)


def _token(row: Row) -> Token:
    given = dict(row.data)
    scopes, namespaces = tuple(given.pop("scopes")), tuple(given.pop("namespaces"))
    return Token(id=row.sk, scopes=scopes, namespaces=namespaces, **given)
