"""Secrets in texts that people wrote (statements, messages of errors): taken out before an event holds them."""

from __future__ import annotations

import re
from collections.abc import Iterable

_NAMES = r"(?:password|passwd|pwd|secret|token|credential|(?:access|private|api|account)[._-]?key)"
DEFAULT_REDACTIONS: tuple[re.Pattern[str], ...] = (
    # password = 'x', 'fs.s3a.secret.key' => "x", OPTIONS (password 'x')
    re.compile(
        rf"""{_NAMES}[\w.-]{{0,40}}["'`]?\s{{0,20}}(?:=>|=|:)?\s{{0,20}}"""
        r"""(?P<secret>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""",
        re.IGNORECASE,
    ),
    # jdbc:postgresql://h/db?password=x, jdbc:sqlserver://h;password=x
    re.compile(rf"[?&;]\s?[\w.-]{{0,40}}{_NAMES}[\w.-]{{0,40}}=(?P<secret>[^&;\s'\"`)]+)", re.IGNORECASE),
    # https://user:x@host
    re.compile(r"://[^/\s:@'\"]{0,200}:(?P<secret>[^/\s@'\"]{1,200})@"),
    re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
)
_MASK = "***"


def redact(text: str, patterns: Iterable[re.Pattern[str]]) -> str:
    """The text with `***` in the place of each match, or of its group `secret` where the pattern has one.

    >>> redact("CREATE TABLE t USING jdbc OPTIONS (user 'me', password 'x')", DEFAULT_REDACTIONS)
    "CREATE TABLE t USING jdbc OPTIONS (user 'me', password ***)"
    >>> redact("SELECT * FROM t WHERE name = 'Ada'", [re.compile("'Ada'")])
    'SELECT * FROM t WHERE name = ***'
    """
    for pattern in patterns:
        text = pattern.sub(_masked, text)
    return text


def _masked(match: re.Match[str]) -> str:
    if "secret" not in match.re.groupindex:
        return _MASK
    start, end = (place - match.start() for place in match.span("secret"))
    return match[0][:start] + _MASK + match[0][end:]
