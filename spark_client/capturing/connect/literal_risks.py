"""Literals that look like parts of a plan, once Spark prints them without quotes."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from typing import NamedTuple

_TOKENS = re.compile(
    r"'(?P<one>(?:[^'\\]|\\.|'')*)'|\"(?P<two>(?:[^\"\\]|\\.)*)\"|`[^`]*`|--[^\n]*|/\*.*?\*/", re.DOTALL
)
_WORD = re.compile(r"[A-Za-z_]\w*")
_PLAIN = re.compile(r"[\w .:/%+*,$-]*")
_BRACKETS = frozenset("()[]")
_WORDS_OF_PLANS = re.compile(
    r"\b(?:AS|CASE|WHEN|THEN|ELSE|END|FILTER|WITHIN|IN|as|else|if|outer|windowspecdefinition)\b"
)
_ID = re.compile(r"#\d")


class LiteralRisks(NamedTuple):
    """Risks of a statement's literals without quotes: a look like ids, parts of expressions, brackets or commas.

    >>> risks_of("SELECT concat(a, ' - '), '(b)' FROM t -- it's")
    LiteralRisks(ids=False, parts=True, brackets=True, commas=False)
    """

    ids: bool
    parts: bool
    brackets: bool
    commas: bool


def risks_of(sql: str) -> LiteralRisks:
    """Find the risks of the literals in a statement."""
    risks = risks_of_literals(literals_of(sql))
    return risks._replace(ids=risks.ids or "#" in sql or "\\" in sql)


def literals_of(sql: str) -> list[str]:
    """List the texts in quotes."""
    return [token["one"] or token["two"] or "" for token in _TOKENS.finditer(sql)]


def risks_of_literals(literals: Sequence[str]) -> LiteralRisks:
    """Find the risks of texts.

    >>> risks_of_literals(["Newark (EWR)", "a#1"])
    LiteralRisks(ids=True, parts=True, brackets=True, commas=False)
    """
    ids = any("\n" in literal or _ID.search(literal) for literal in literals)
    parts = any(not _PLAIN.fullmatch(literal) or _WORDS_OF_PLANS.search(literal) for literal in literals)
    brackets = any(not _BRACKETS.isdisjoint(literal) for literal in literals)
    return LiteralRisks(ids, parts, brackets, any("," in literal for literal in literals))


def masked_sql(sql: str, but: Container[str]) -> str:
    r"""Replace the literals of an expression that look like parts of a plan.

    An expression with a call of a function in `but` stays as it is: the analysis reads its literals.

    >>> masked_sql(r"regexp_replace(a, '\d+', 'b') = 'c#1'", ())
    "regexp_replace(a, 'x', 'b') = 'x'"
    """
    if any(word.lower() in but for word in _WORD.findall(sql)):
        return sql

    def mask(token: re.Match[str]) -> str:
        text = token["one"] if token["two"] is None else token["two"]
        if sql[: token.start()].rstrip().endswith("["):  # the name of a field
            return token[0]
        return "'x'" if text is not None and ("\\" in text or any(risks_of_literals([text]))) else token[0]

    return _TOKENS.sub(mask, sql)


def all_risks(risks: Sequence[LiteralRisks]) -> LiteralRisks:
    """Join the risks of several texts."""
    return LiteralRisks(*map(any, zip(*risks, strict=True)))
