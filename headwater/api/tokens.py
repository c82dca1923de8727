"""Bearer tokens: their scopes, namespaces and roots. Only a token's hash is stored.

    TOKENS        <id>    hash, scopes, namespaces, references, roots, created, expires, revoked; swapped by version
    TOKEN_USES    <id>    the day of the last use; only grows
    TOKEN_BUDGETS <id>#<minute>    the number of events sent in this minute with a token with a budget; expires

The API's function may write `TOKEN_USES` and `TOKEN_BUDGETS` alone.

A token is `hw_<id>_<secret>`: the id finds its row, the secret of 256 bits proves it. Nobody guesses such a secret, so
a single round of SHA-256 is enough.
"""

from __future__ import annotations

import hmac
import re
from base64 import urlsafe_b64encode
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

from botocore.exceptions import BotoCoreError, ClientError

from headwater.attempts import attempts
from headwater.facts.table import Row, RowQuery, Swap
from headwater.namespaces import EVERYWHERE, Rights, covers
from headwater.settings import EVENTS_SENT, LAST_USED, TOKEN_BUDGETS, TOKEN_USES, TOKENS
from headwater_model.errors import Conflict, Fault, Invalid, NotFound, OverBudget, TooLarge
from headwater_model.ids import sha256_hex

if TYPE_CHECKING:
    from headwater.facts.table import GraphTable

T = TypeVar("T")
Scope = Literal["records", "read", "write", "delete"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
# The scopes limited by namespaces; `records` is limited by roots, since records are in no namespace.
IN_NAMESPACES: tuple[Scope, ...] = ("read", "write", "delete")
_PK = TOKENS
_FORM = re.compile(r"hw_([0-9a-f]{16})_([A-Za-z0-9_-]{43})", re.ASCII)
_ID_BYTES, _SECRET_BYTES = 8, 32
# Seconds for which a function trusts a token that it has read: a revocation takes as long.
_KNOWN_S = 60
# Bounds the memory of a function. Made-up ids push out made-up ids alone: known tokens have a memory of their own.
_KNOWN_MAX = 10_000
_DAY_S = 24 * 3600
LIFETIME_DAYS_MAX = 3650
_MINUTE_S = 60
_TRIES = 5
# Of each kind: the patterns of namespaces travel with an event, in a message of 1 MiB.
PATTERNS_MAX = 100
# The longest root has 2,048 bytes, the longest namespace 1,024 characters; and the `*`.
_PATTERN_CHARS_MAX = 2049


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token as it is stored; times are seconds since 1970.

    `namespaces`, `references` and `roots` are patterns: names, or beginnings and then `*`. It may read, write and
    delete in its `namespaces`. Its events may also name datasets in its `references`. It may use the records of its
    `roots`. `events_per_minute` bounds its events; None: as many as API Gateway lets through. The grants of a signed-in
    caller are `parts`.
    """

    id: str
    hash: str
    scopes: tuple[Scope, ...]
    namespaces: tuple[str, ...]
    references: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    created: int
    expires: int | None = None
    revoked: int | None = None
    events_per_minute: int | None = None
    parts: tuple[Token, ...] = ()

    @property
    def caller(self) -> str:
        """Its name in logs: `token:0123456789abcdef`; the id of a signed-in caller begins with its kind, `user:ann`."""
        return self.id if ":" in self.id else f"token:{self.id}"

    def for_scope(self, _scope: Scope | None) -> Token:
        """Narrow the rights to those with this scope: a token has a single set."""
        return self

    def is_good(self, now_s: int) -> bool:
        """True if it is neither revoked nor expired."""
        return self.revoked is None and (self.expires is None or now_s < self.expires)

    def covers(self, namespace: str) -> bool:
        """True if a pattern of its namespaces fits."""
        return covers(self.namespaces, namespace)

    @property
    def rights(self) -> Rights:
        """Its rights over the namespaces of events."""
        return Rights(self.namespaces, self.references)

    def covers_root(self, root_id: str) -> bool:
        """True if it may use the records of the root."""
        return covers(self.roots, root_id)

    @property
    def is_everywhere(self) -> bool:
        """True if it is good for all namespaces, and for lists over them."""
        return EVERYWHERE in self.namespaces

    def covers_roots_from(self, prefix: str) -> bool:
        """True if it may use the records of all roots with this prefix."""
        return any(pattern.endswith("*") and prefix.startswith(pattern[:-1]) for pattern in self.roots)

    @property
    def is_of_every_root(self) -> bool:
        """True if it may use the records of all roots."""
        return EVERYWHERE in self.roots


def new_token(
    *,
    scopes: Collection[str],
    namespaces: Collection[str] = (),
    references: Collection[str] = (),
    roots: Collection[str] = (),
    now_s: int,
    lifetime_s: int | None,
    random: Callable[[int], bytes],
    events_per_minute: int | None = None,
) -> tuple[str, Token]:
    """Make a token: its text, for its owner alone, and the token as it is stored.

    No `references` with the scope `write` means all; likewise `roots` with `records`.

    Raises:
        Invalid: scopes are missing or unknown; a scope without its namespaces; namespaces, references or roots without
            their scope, or too many; an empty pattern, or `*` elsewhere than at its end; a budget of events without the
            scope `write`, or below 1; a lifetime above 3,650 days.
    """
    _check(scopes, namespaces, references, roots)
    _check_budget(scopes, events_per_minute)
    if lifetime_s is not None and lifetime_s > LIFETIME_DAYS_MAX * _DAY_S:
        raise Invalid.because("expires_days", lifetime_s // _DAY_S, f"must be at most {LIFETIME_DAYS_MAX}")
    id_, secret = random(_ID_BYTES).hex(), urlsafe_b64encode(random(_SECRET_BYTES)).decode().rstrip("=")
    text = f"hw_{id_}_{secret}"
    token = Token(
        id=id_,
        hash=sha256_hex(text),
        scopes=tuple(scope for scope in SCOPES if scope in scopes),
        namespaces=tuple(sorted(set(namespaces))),
        references=tuple(sorted(set(references))) or ((EVERYWHERE,) if "write" in scopes else ()),
        roots=tuple(sorted(set(roots))) or ((EVERYWHERE,) if "records" in scopes else ()),
        created=now_s,
        expires=None if lifetime_s is None else now_s + lifetime_s,
        events_per_minute=events_per_minute,
    )
    return text, token


def _check(
    scopes: Collection[str], namespaces: Collection[str], references: Collection[str], roots: Collection[str]
) -> None:
    if not scopes or not set(scopes) <= set(SCOPES):
        raise Invalid.because("scope", sorted(scopes), f"must be at least one of {', '.join(SCOPES)}")
    needs_namespaces = not set(scopes).isdisjoint(IN_NAMESPACES)
    if needs_namespaces and not namespaces:
        rule = f"must be given with the scopes {', '.join(IN_NAMESPACES)} (`*` for all namespaces)"
        raise Invalid([Fault("namespace", None, rule, missing=True)])
    if namespaces and not needs_namespaces:
        rule = "must not be given with the scope records alone, which roots limit"
        raise Invalid.because("namespace", sorted(namespaces), rule)
    if roots and "records" not in scopes:
        raise Invalid.because("root", sorted(roots), "must not be given without the scope records")
    if references and "write" not in scopes:
        raise Invalid.because("reference", sorted(references), "must not be given without the scope write")
    for field_name, patterns in (("namespace", namespaces), ("reference", references), ("root", roots)):
        _check_patterns(field_name, patterns)


def _check_budget(scopes: Collection[str], events_per_minute: int | None) -> None:
    if events_per_minute is None:
        return
    if "write" not in scopes:
        raise Invalid.because("events_per_minute", events_per_minute, "must not be given without the scope write")
    if events_per_minute < 1:
        raise Invalid.because("events_per_minute", events_per_minute, "must be at least 1")


def _check_patterns(field_name: str, patterns: Collection[str]) -> None:
    if len(patterns) > PATTERNS_MAX:
        raise Invalid.because(field_name, len(patterns), f"must be given at most {PATTERNS_MAX} times")
    for pattern in patterns:
        if not pattern or "*" in pattern[:-1]:
            raise Invalid.because(field_name, pattern, "must be a name, or the beginning of names and then `*`")
        if len(pattern) > _PATTERN_CHARS_MAX:
            raise Invalid.because(field_name, pattern, f"must have at most {_PATTERN_CHARS_MAX} characters")


@dataclass(frozen=True, slots=True)
class TokenList:
    """The tokens of a table, and the faults of damaged rows by id: a damaged token is refused; `more`: cut."""

    good: list[Token] = field(default_factory=list)
    broken: dict[str, str] = field(default_factory=dict)
    more: bool = False


@dataclass(frozen=True)
class Tokens:
    """The tokens in the graph table. `find` remembers a token, and an unknown id, for a minute."""

    table: GraphTable
    _known: dict[str, tuple[Token, int]] = field(default_factory=dict, repr=False)
    _unknown: dict[str, int] = field(default_factory=dict, repr=False)
    _used: dict[str, int] = field(default_factory=dict, repr=False)

    def find(self, text: str, *, now_s: int) -> Token | None:
        """Find the token of this text, if it is good at `now_s`; a request at most, none for a malformed text."""
        form = _FORM.fullmatch(text)
        token = self._get(form[1], now_s) if form else None
        # Compared in constant time: the duration reveals nothing of the stored hash.
        if token is None or not hmac.compare_digest(token.hash, sha256_hex(text)) or not token.is_good(now_s):
            return None
        return token

    def _get(self, id_: str, now_s: int) -> Token | None:
        token, read_at = self._known.get(id_, (None, self._unknown.get(id_)))
        if read_at is not None and 0 <= now_s - read_at < _KNOWN_S:
            return token
        row = self.table.get([(_PK, id_)]).get((_PK, id_))
        if row is None:
            _remember(self._unknown, id_, now_s)
            return None
        try:
            token = _token(row)
        except Invalid:
            # A damaged token is no token.
            _remember(self._unknown, id_, now_s)
            return None
        _remember(self._known, id_, (token, now_s))
        return token

    def record_use(self, token: Token, *, now_s: int) -> None:
        """Store the day of the token's use: a conditional write a token, day and process; never raises for AWS."""
        day_s = now_s - now_s % _DAY_S
        if self._used.get(token.id) == day_s:
            return
        # Before the write: a table that refuses is not tried again at each request.
        _remember(self._used, token.id, day_s)
        with suppress(BotoCoreError, ClientError):
            self.table.advance((TOKEN_USES, token.id), LAST_USED, day_s)

    def spend(self, token: Token, events: int, *, now_s: int) -> None:
        """Take this many events from the token's budget of this minute; a conditional write, none without a budget.

        A repeated event is taken again. Where the table refuses for now, nothing is taken and the events pass: a budget
        limits cost, and its own failure refuses nobody.

        Raises:
            TooLarge: more events than a whole minute's budget.
            OverBudget: more events than the rest of this minute's budget.
        """
        budget = token.events_per_minute
        if budget is None or not events:
            return
        if events > budget:
            raise TooLarge(f"events: must be at most {budget} at once, the token's budget of a minute, got {events}")
        minute_s = now_s - now_s % _MINUTE_S
        key = (TOKEN_BUDGETS, f"{token.id}#{minute_s}")
        with suppress(BotoCoreError, ClientError):
            if not self.table.spend(key, EVENTS_SENT, events, budget=budget, expires_s=minute_s + _DAY_S):
                raise OverBudget(
                    f"token: its budget of {budget} events a minute is spent",
                    retry_after_s=minute_s + _MINUTE_S - now_s,
                )

    def last_uses(self) -> dict[str, int]:
        """Read the days of the last uses by the tokens' ids, as seconds since 1970 at the day's start in UTC.

        `{"0123456789abcdef": 1_763_596_800}`
        """
        [page] = self.table.query([RowQuery(TOKEN_USES)])
        return {row.sk: row.data[LAST_USED] for row in page.rows if isinstance(row.data.get(LAST_USED), int)}

    def put(self, token: Token) -> None:
        """Store a new token."""
        if self.table.swap([Swap(_row(token))]) != [True]:
            raise Conflict(f"token {token.id}: there is one of this id")

    def all(self) -> TokenList:
        """List the tokens, oldest first; of more than 10,000 the tokens with the least ids."""
        return self.list(RowQuery(_PK, low="0", high="g"))

    def list(self, query: RowQuery) -> TokenList:
        """List the tokens of a query, oldest first."""
        [page] = self.table.query([query])
        listed = TokenList(more=page.more)
        for row in page.rows:
            try:
                listed.good.append(_token(row))
            except Invalid as error:
                listed.broken[row.sk] = str(error)
        listed.good.sort(key=lambda token: (token.created, token.id))
        return listed

    def revoke(self, id_: str, *, now_s: int) -> Token:
        """Mark the token as revoked; a revoked token stays as it is.

        Raises:
            NotFound: there is no such token.
            Invalid: its row is damaged; `find` refuses it already.
            Conflict: the row changed at each try.
        """

        def revoked(row: Row | None) -> Token:
            if row is None:
                raise NotFound(f"token: there is none with the id {id_!r}")
            token = _token(row)
            return token if token.revoked is not None else replace(token, revoked=now_s)

        return self.change(id_, revoked)

    def change(self, id_: str, make: Callable[[Row | None], Token]) -> Token:
        """Store the token made of a row; raise `Conflict` if the row changes at each try."""
        for _ in attempts(_TRIES, self.table.sleep):
            row = self.table.get([(_PK, id_)]).get((_PK, id_))
            token = replace(make(row), id=id_)
            if self.table.swap([Swap(_row(token, row.version if row else 0))]) == [True]:
                return token
        raise Conflict(f"token {id_}: others keep changing it")


def _remember(memory: dict[str, T], id_: str, value: T) -> None:
    """Remember a value, in place of the oldest if there are too many."""
    memory.pop(id_, None)
    if len(memory) >= _KNOWN_MAX:
        del memory[next(iter(memory))]
    memory[id_] = value


def _row(token: Token, version: int = 0) -> Row:
    data: dict[str, Any] = {
        "hash": token.hash,
        "scopes": list(token.scopes),
        "namespaces": list(token.namespaces),
        "references": list(token.references),
        "roots": list(token.roots),
        "created": token.created,
        "expires": token.expires,
        "revoked": token.revoked,
        "events_per_minute": token.events_per_minute,
    }
    return Row(_PK, token.id, data, version)


def _token(row: Row) -> Token:
    """Parse the token of a row.

    Raises:
        Invalid: the row is damaged: a value is missing, or has another type.
    """
    given = row.data
    lists: dict[str, Any] = {name: given.get(name) for name in ("scopes", "namespaces", "references", "roots")}
    for name, value in lists.items():
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise Invalid.because(f"token {row.sk}: {name}", value, "must be a list of texts")
    numbers = {name: given.get(name) for name in ("created", "expires", "revoked", "events_per_minute")}
    for name, value in numbers.items():
        if type(value) is not int and (value is not None or name == "created"):
            raise Invalid.because(f"token {row.sk}: {name}", value, "must be a whole number")
    if not isinstance(given.get("hash"), str):
        raise Invalid.because(f"token {row.sk}: hash", given.get("hash"), "must be a text")
    values: dict[str, Any] = {name: tuple(value) for name, value in lists.items()} | numbers
    return Token(id=row.sk, hash=given["hash"], **values)
