"""Secrets in texts that people wrote (statements, messages of errors, warnings): taken out before anybody is told."""

from __future__ import annotations

import re
from collections.abc import Iterable

_NAME = (
    r"(?:passw(?:or)?d|passphrase|pwd|secret|token|credential|signature|azure\.sas|"
    r"(?:access|private|api|account)[._-]?key)[\w.-]{0,80}"
)
# As SQL, Python and JSON write it; the text may have been cut within it.
_LITERAL = r"""(?:'(?:[^'\\]|\\.|'')*(?:'|\Z)|"(?:[^"\\]|\\.|"")*(?:"|\Z))"""
# What stands between a name and its literal: `'name', '...'`, `name = '...'`, `name('...')`, `name '...'`.
_BETWEEN = r"""(?:["'`]\s{0,20}(?:=>|=|:|,)?|\s{0,20}(?:=>|=|:|\()|\s)\s{0,20}[rbfu]?"""
DEFAULT_REDACTIONS: tuple[re.Pattern[str], ...] = (
    # OPTIONS (password 'x'), 'fs.s3a.secret.key' => "x", .option("password", "x")
    re.compile(rf"(?:{_NAME}|\bpass){_BETWEEN}(?P<secret>{_LITERAL})", re.IGNORECASE | re.DOTALL),
    # aes_encrypt(card, 'x', 'GCM')
    re.compile(
        rf"\baes_(?:en|de)crypt\s{{0,20}}\([^'\"]{{0,200}}(?P<secret>{_LITERAL}(?:\s{{0,20}},\s{{0,20}}{_LITERAL})*)",
        re.IGNORECASE | re.DOTALL,
    ),
    # jdbc:postgresql://h/db?password=x, jdbc:sqlserver://h;password={x}, https://h/file?sig=x
    re.compile(rf"(?:{_NAME}|\bpass|\bsig)=(?P<secret>\{{[^}}]+\}}|[^&;,\s'\"`)}}]+)", re.IGNORECASE),
    # login failed, password: x
    re.compile(r"(?:passw(?:or)?d|passphrase|pwd):\s{0,5}(?P<secret>[^,;\s'\"`)}]+)", re.IGNORECASE),
    # --password x
    re.compile(rf"(?:^|\s)--[\w-]{{0,40}}{_NAME}\s(?P<secret>[^\s'\"]+)", re.IGNORECASE),
    # Authorization: Bearer x
    re.compile(r"\b(?:bearer|authorization\W{1,5}\w{1,20})\s(?P<secret>[\w.~+/=-]{6,})", re.IGNORECASE),
    # https://user:x@host; s3a://key:x@bucket, where it may hold slashes
    re.compile(r"://[^/\s:@'\"]{0,200}:(?P<secret>[^/\s'\"]{1,200})@"),
    re.compile(r"\bs3[an]?://[^/\s:@'\"]{0,200}:(?P<secret>[^\s'\"]{1,200})@"),
    # jdbc:oracle:thin:user/x@host
    re.compile(r"\boracle:\w{1,20}:[^/\s@'\"]{0,200}/(?P<secret>[^/\s'\"]{1,200})@", re.IGNORECASE),
    # Those that are known by their form: of AWS, Databricks, GitHub, JSON Web Tokens, PEM.
    re.compile(r"\b(?:(?:AKIA|ASIA)[A-Z0-9]{16}|dapi[0-9a-f]{32}|gh[a-z]_\w{36}|eyJ[\w-]{1,2000}\.eyJ[\w.-]+)"),
    re.compile(r"PRIVATE KEY-----(?P<secret>[^-]+)"),
)
_MASK = "***"


def redact(text: str, patterns: Iterable[re.Pattern[str]] = DEFAULT_REDACTIONS) -> str:
    """The text with `***` in the place of each match, or of its group `secret` where the pattern has one.

    >>> redact("CREATE TABLE t USING jdbc OPTIONS (user 'me', password 'x')")
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
