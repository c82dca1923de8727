"""Grants: the rights of signed-in callers by their claims, stored beside the tokens.

TOKENS    grant:<claim>=<value>    the rights of a token, without a hash, for callers with this claim
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from headwater.api.tokens import PATTERNS_MAX, SCOPES, Scope, Token, TokenList, Tokens
from headwater.facts.table import QUERY_ROWS_MAX, RowQuery
from headwater.settings import TOKENS
from headwater_model.errors import Conflict, Forbidden

_GRANT = "grant:"


@dataclass(frozen=True)
class Grants:
    """The grants among the tokens of a table."""

    tokens: Tokens

    def check_room(self, to: str) -> None:
        """Raise `Conflict` for a new claim where there are as many grants, revoked or not, as are read."""
        listed = self.list()
        known = {grant.id for grant in listed.good} | listed.broken.keys()
        if to not in known and len(known) >= QUERY_ROWS_MAX:
            raise Conflict(f"grant {to}: there must be at most {QUERY_ROWS_MAX:,} grants, revoked grants among them")

    def put(self, token: Token, to: str) -> None:
        """Store the rights of callers with a claim, `groups=analysts`, in place of earlier rights.

        Raises:
            Conflict: the row changed at each try.
        """
        self.tokens.change(f"{_GRANT}{to}", lambda _: replace(token, hash=""))

    def list(self) -> TokenList:
        """List the grants by their claims, `groups=analysts`; of more than 10,000 the first."""
        listed = self.tokens.list(RowQuery(TOKENS, prefix=_GRANT))
        good = [replace(token, id=token.id.removeprefix(_GRANT)) for token in listed.good]
        return TokenList(good, {id_.removeprefix(_GRANT): fault for id_, fault in listed.broken.items()}, listed.more)

    def revoke(self, to: str, *, now_s: int) -> Token:
        """Mark a grant as revoked, as a token."""
        return self.tokens.revoke(f"{_GRANT}{to}", now_s=now_s)


class SignedIn(Token):
    """A signed-in caller, by name; `parts` are the grants."""

    __slots__ = ()

    def for_scope(self, scope: Scope | None) -> Token:
        """Narrow the rights to the parts with this scope: a right to read widens no right to write.

        Raises:
            Forbidden: the parts together name more namespaces than travel with an event.
        """
        parts = [part for part in self.parts if scope in part.scopes]
        if not parts:
            return self
        narrowed = unite(self.id, parts, created=self.created, expires=self.expires)
        if scope == "write" and len(narrowed.namespaces) + len(narrowed.references) > 2 * PATTERNS_MAX:
            rule = f"at most {2 * PATTERNS_MAX} namespaces and references"
            raise Forbidden(f"{self.id}: its grants to write must name {rule} together; shorten them by `*`")
        return narrowed


def unite(caller: str, parts: Sequence[Token], *, created: int, expires: int | None) -> SignedIn:
    """Make the token of a caller with several grants; `for_scope` narrows the rights to a route's scope."""

    def all_of(name: str) -> tuple[str, ...]:
        return tuple(sorted({pattern for part in parts for pattern in getattr(part, name)}))

    budgets = [part.events_per_minute for part in parts if "write" in part.scopes]
    return SignedIn(
        id=caller,
        hash="",
        scopes=tuple(scope for scope in SCOPES if any(scope in part.scopes for part in parts)),
        namespaces=all_of("namespaces"),
        references=all_of("references"),
        roots=all_of("roots"),
        created=created,
        expires=expires,
        events_per_minute=None if None in budgets else max(filter(None, budgets), default=None),
        parts=tuple(parts),
    )
