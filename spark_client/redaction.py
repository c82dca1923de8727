"""Masks for secrets in texts that people wrote (statements, error messages, warnings), applied before sending.

Every pattern takes time in proportion to the text: an unbounded repetition cannot fail after itself, or ends at a
character that it cannot hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_PHRASE = r"(?:passw(?:or)?d|passphrase|passcode|pwd)"
_KEY = r"(?:access|account|api|encryption|master|private|shared|storage|subscription)[._-]?key"
# The plural counts (`max_tokens`), a tokenizer splits texts.
_BEARER = r"token(?!s(?![a-z])|iz)"
# Ends of names that hold no secret themselves.
_HARMLESS = r"(?!s?[._-]?(?:arn|count|endpoint|file|limit|name|path|policy|provider|type|ur[il])s?(?![\w.-]))"
_NAME = (
    rf"(?:{_PHRASE}|secret|{_BEARER}|credential|signature|azure\.sas|aws[._-]?key[._-]?id|{_KEY})"
    rf"{_HARMLESS}[\w.-]{{0,80}}"
)
# A name that is short, and therefore a part of others (`bypass`, `design`).
_SHORT = r"(?:(?<![a-z])|(?<=db)|(?<=user)|(?<=root)|(?<=admin))pass(?![a-z])"
_SIG = r"(?<![a-z])sig(?![a-z])"
# A value that cannot be a secret.
_VALUE = r"(?!\\{0,8}[\"'`]?(?:true|false|null|none)(?=[\s,;&)\]}\"'`\\]|\Z))"
# As SQL, Python and JSON write it; the text may have been cut within it.
_LITERAL = r"""(?:'(?:[^'\\]|\\.|'')*(?:'|\\?\Z)|"(?:[^"\\]|\\.|"")*(?:"|\\?\Z))"""
_JOINED = rf"{_LITERAL}(?:\s{{0,5}}(?:\|\||\+)\s{{0,5}}{_LITERAL})*"
# A literal behind a blank is a name itself if a colon is behind it: its value comes next.
_BLANK = r"(?P<blank>[ \t])"
_NO_NAME = r"(?(blank)(?!\s{0,5}:)|)"
# Text between a name and its literal: `'name', '...'`, `name = '...'`, `name('...')`, `name '...'`.
_BETWEEN = (
    rf"""(?:["'`]\s{{0,20}}(?:=>|->|={{1,3}}|:=?|,)?|\s{{0,20}}(?:=>|->|={{1,3}}|:=?|\()|{_BLANK})\s{{0,20}}[rbfun]?"""
)
# A literal inside a literal: both its quotes have backslashes, as many.
_QUOTE = r"""(?P<quote>\\{1,8}["'])"""
_QUOTED = rf"(?P<secret>(?:(?!(?<!\\)(?P=quote)).)*)(?=(?P=quote){_NO_NAME}|\Z)"
# A value without quotes ends at what separates values; brackets at its end were opened before it.
_BARE = r"""(?:[^&;,\s'"`<\\]|\\(?!["']))"""
_VALUE_BARE = rf"(?!\()(?P<secret>\{{[^}}]+\}}|{_BARE}*[^&;,\s'\"`<\\)\]}}])"
# A value that is no word by its look alone.
_CRYPTIC = r"(?!\w{1,10}://)(?P<secret>(?=[^\s,;'\"\\]{0,100}\d)[^\s,;'\"`<>)}\\]{6,}|[\w.~+/=-]{20,})"
_AUTHORIZATION = (
    r"""\bauthorization[\\"'`]{0,8}\s{0,5}[:=,]\s{0,5}[\\"'`]{0,8}\w[\w-]{0,30}"""
    r"""\s{1,5}(?P<secret>[^\s\"'`,;<>)}\\]{6,})"""
)

_I = re.IGNORECASE
_IS = re.IGNORECASE | re.DOTALL
# Tokens that are known by their form, by provider.
_FORMS = (
    r"(?:AKIA|ASIA|ABIA)[A-Z0-9]{16}",  # AWS: access keys, then session tokens
    r"(?:IQoJ|FwoG|FQoG)[\w/+=]{60,}",
    r"dapi[0-9a-f]{32}(?:-\d)?",  # Databricks
    r"gh[a-z]_\w{36,}",  # GitHub
    r"github_pat_\w{22,}",
    r"gl[a-z]{2,5}-[\w.-]{20,}",  # GitLab
    r"xox[a-z](?:\.xox[a-z])?-[\w-]{10,}",  # Slack
    r"xapp-\d-[\w-]{10,}",
    r"eyJ[\w-]{1,4000}\.eyJ[\w.-]+",  # JSON Web Tokens
    r"AIza[\w-]{35}",  # Google Cloud
    r"ya29\.[\w.-]{20,}",
    r"GOCSPX-[\w-]{20,}",
    r"\w{3}8Q~[\w.~-]{31,34}",  # Azure: secrets of applications
    r"hv[bsr]\.[\w-]{20,}",  # HashiCorp
    r"[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,}",
    r"sk-(?:ant-|proj-)?[A-Za-z0-9][\w-]{30,}",  # OpenAI, Anthropic
    r"[rs]k_(?:live|test)_\w{16,}",  # Stripe
    r"SG\.[\w-]{16,}\.[\w-]{16,}",  # SendGrid
    r"npm_[A-Za-z0-9]{36}",
    r"pypi-[\w-]{40,}",
    r"hf_[A-Za-z0-9]{30,}",  # Hugging Face
    r"do[opr]_v1_[0-9a-f]{64}",  # DigitalOcean
    r"dbt[a-z]_[\w=-]{30,}",
    r"gls[a]_\w{32,}",  # Grafana
)
DEFAULT_REDACTIONS: tuple[re.Pattern[str], ...] = (
    # hw_<id>_<secret>: Headwater's; `headwater token revoke` takes the id.
    re.compile(r"\bhw_[0-9a-f]{16}_(?P<secret>[\w-]{8,})"),
    re.compile(rf"(?<![\w-])(?:{'|'.join(_FORMS)})"),
    # -----BEGIN PRIVATE KEY-----x
    re.compile(r"BEGIN [A-Z ]{0,20}PRIVATE KEY(?: BLOCK)?-----(?P<secret>.*?)(?=-----END|\Z)", re.S),
    # OPTIONS (password 'x'), 'fs.s3a.secret.key' => "x", .option("password", "x"), {"password": "x"}
    re.compile(rf"(?:{_NAME}|{_SHORT}){_BETWEEN}{_VALUE}(?P<secret>{_JOINED}){_NO_NAME}", _IS),
    # "{\"password\": \"x\"}", "jaas": "... password=\"x\";"
    re.compile(
        rf"(?:{_NAME}|{_SHORT})(?:\\{{1,8}}[\"']\s{{0,20}}(?:=>|->|=|:|,)|\s{{0,20}}(?:=>|->|=|:|\()|{_BLANK})\s{{0,20}}{_VALUE}{_QUOTE}{_QUOTED}",
        _IS,
    ),
    # aes_encrypt(card, 'x', 'GCM'), pgp_sym_encrypt(card, 'x')
    re.compile(
        rf"\b(?:aes_(?:en|de)crypt|pgp_sym_(?:en|de)crypt\w{{0,10}}|(?:en|de)cryptbypassphrase)\s{{0,20}}\("
        rf"[^'\";]{{0,200}}(?P<secret>{_LITERAL}(?:\s{{0,20}},\s{{0,20}}{_LITERAL})*)",
        _IS,
    ),
    # IDENTIFIED BY 'x', IDENTIFIED WITH sha256_password AS 'x', CREATE USER ann IDENTIFIED BY x
    re.compile(
        rf"\bidentified\s{{1,20}}(?:with\s{{1,20}}[\w'\"]{{1,60}}\s{{1,20}})?(?:by|as)\s{{1,20}}(?:(?:password|values)\s{{1,20}})?"
        rf"(?P<secret>{_LITERAL})",
        _IS,
    ),
    re.compile(
        r"\b(?:user|role|grant|link)\b[^;'\"]{0,200}?\bidentified\s{1,20}by\s{1,20}(?!(?:values|password)\s)(?P<secret>[^\s;'\"]+)",
        _I,
    ),
    # jdbc:postgresql://h/db?password=x, jdbc:sqlserver://h;password={x}, https://h/file?sig=x, password%3Dx
    re.compile(rf"(?:{_NAME}|{_SHORT}|{_SIG})={_VALUE}{_VALUE_BARE}", _I),
    re.compile(rf"(?:{_NAME}|{_SHORT}|{_SIG})(?:%22)?%3[AD](?:%20)?(?:%22)?(?P<secret>(?:[^%&\s'\"]|%(?!22|26))+)", _I),
    # SET fs.s3a.secret.key = x; a line of a file of properties: fs.s3a.secret.key = x, or fs.s3a.secret.key x
    re.compile(
        rf"(?:\A|[;\n])\s{{0,20}}set\s{{1,20}}[\w.-]{{0,80}}{_NAME}\s{{0,20}}=\s{{0,20}}{_VALUE}(?P<secret>[^\s;'\"]+)",
        _I,
    ),
    re.compile(
        rf"^[ \t]{{0,20}}[\w.-]{{0,80}}{_NAME}[ \t]{{1,20}}=[ \t]{{0,20}}{_VALUE}(?P<secret>[^\s'\"]+)[ \t]{{0,20}}$",
        _I | re.M,
    ),
    re.compile(
        rf"^[ \t]{{0,20}}[\w-]{{1,40}}\.[\w.-]{{0,80}}{_NAME}[ \t]{{1,20}}(?P<secret>[^\s'\"=]+)[ \t]{{0,20}}$",
        _I | re.M,
    ),
    # password: x, "pin_password": 1234, password -> x; of other names only what looks like a secret: api_key: 0a1b2c
    re.compile(
        rf"{_PHRASE}\d{{0,2}}[\\\"'`]{{0,8}}[ \t]{{0,5}}(?::|->)[ \t]{{0,5}}"
        rf"(?!=){_VALUE}(?P<secret>[^,;\s'\"`<)}}\\]+)",
        _I,
    ),
    re.compile(
        rf"(?<!:)(?:secret|{_BEARER}|credentials?|{_KEY})[\\\"'`]{{0,8}}[ \t]{{0,5}}:[ \t]{{0,5}}{_CRYPTIC}", _I
    ),
    # Map(fs.s3a.secret.key -> x), (fs.s3a.secret.key,x)
    re.compile(rf"\.[\w-]{{0,40}}{_NAME}\s{{0,5}}->\s{{0,5}}{_VALUE}(?P<secret>[^,\s'\")]+)", _I),
    re.compile(rf"(?<!\w)\((?:[\w-]{{1,40}}\.){{2,8}}[\w-]{{0,40}}{_NAME},{_VALUE}(?P<secret>[^,\s'\"()]+)\)", _I),
    # <password>x</password>, <name>fs.s3a.secret.key</name><value>x</value>
    re.compile(rf"<[\w.:-]{{0,40}}{_NAME}>{_VALUE}(?P<secret>[^<]+)", _I),
    re.compile(rf"{_NAME}</name>\s{{0,100}}<value>{_VALUE}(?P<secret>[^<]+)", _I),
    # --password x; curl -u ann:x; mysql -px, sshpass -p x, redis-cli -a x; sqlplus ann/x@db
    re.compile(rf"(?:^|\s)--[\w-]{{0,40}}{_NAME}[ \t]{{1,5}}(?P<secret>[^\s'\"]+)", _I),
    re.compile(
        r"\bcurl\s(?:[^;|\n]|\\\n){0,200}?\s?(?:-u|--(?:proxy-)?user)[\s=]{0,5}[\"']?[^\s:\"'-][^\s:\"']{0,64}:(?P<secret>[^\s\"']+)",
        re.S,
    ),
    re.compile(
        r"\b(?:mysql\w{0,10}\s.{0,200}?(?<=\s)-p|sshpass\s{1,5}-p\s?|redis-cli\s.{0,200}?(?<=\s)-a\s{1,5})(?P<secret>[^\s\"']+)"
    ),
    re.compile(r"\bsqlplus\s.{0,100}?(?<![\w/])\w{1,64}/(?P<secret>[^\s/@\"']{1,200})@", _I),
    # Authorization: Bearer x, X-Auth-Token: x, Cookie: session=x
    re.compile(r"\bbearer\s{1,5}(?!tokens?\b|auth)(?P<secret>[^\s\"',;<>)}\\]{6,})", _I),
    re.compile(_AUTHORIZATION, _I),
    re.compile(r"\b(?:set-)?cookie[\"']?\s{0,5}:\s{0,5}[\"']?(?P<secret>[^\n\"'=]{1,100}=[^\n\"']+)", _I),
    # https://user:x@host; s3a://key:x@bucket, where it may hold slashes, as elsewhere if no port is before them
    re.compile(r"://[^/\s:@'\"\[]{0,200}:(?P<secret>[^/\s'\"]{1,200})@"),
    re.compile(
        r"://[^/\s:@'\"\[]{0,200}:(?!\d{1,5}/)(?P<secret>[^\s'\"/?#]{1,100}/[^\s'\"?#]{0,200})@[\w-]{1,100}[.:/]"
    ),
    re.compile(r"\bs3[an]?://[^/\s:@'\"]{0,200}:(?P<secret>[^\s'\"]{1,200})@"),
    # jdbc:oracle:thin:user/x@host
    re.compile(r"\boracle:\w{1,20}:[^/\s@'\"]{0,200}/(?P<secret>[^/\s'\"]{1,200})@", _I),
    # https://hooks.slack.com/services/T0/B0/x
    re.compile(r"\bhooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[^\s\"'<>)]+)"),
)
_MASK = "***"


def redact(text: str, patterns: Iterable[re.Pattern[str]] = DEFAULT_REDACTIONS) -> str:
    """Return the text with `***` in the place of each match, or of its group `secret` where the pattern has one.

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
    start, end = (position - match.start() for position in match.span("secret"))
    return match[0][:start] + _MASK + match[0][end:]
