"""Masks for secrets in texts by people (statements, error messages, warnings), applied before sending.

Every pattern takes time in proportion to the text: an unbounded repetition cannot fail after itself, or ends at a
character outside its set.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

_PHRASE = r"(?:passw(?:or)?d|passphrase|passcode|pwd)"
# The beginning of a word within a name: `app_key`, `userOtp`, but not `map_key`.
_BEGIN = r"(?:(?<![a-z])|(?<=%[0-9a-f][0-9a-f])|(?-i:(?<=[a-z])(?=[A-Z])))"
_KEY = (
    r"(?:access|account|api|application|auth|cipher|consumer|encryption|functions|hmac|licen[cs]e|master|private|session"
    rf"|shared|signing|storage|subscription|(?:kms|plaintext|encrypted)[._-]?data|{_BEGIN}(?:aes|app))[._-]?key"
)
# The plural counts (`max_tokens`), a tokenizer splits texts.
_BEARER = r"token(?!s(?![a-z])|iz)"
# Ends of names without a secret: `password_file`, `token_count`.
_HARMLESS = r"(?!s?[._-]?(?:arn|count|endpoint|file|limit|name|path|policy|provider|type|ur[il])s?(?![\w.-]))"
# Secret names, or their last words, that are also beginnings of harmless names: `salt` is a secret, `salt_lake` and
# `salted_fish_id` are none.
_WORD = (
    rf"(?:{_BEGIN}(?:salt|[ht]?otp(?:[._-]?(?:code|seed))?|(?:mfa|2fa|one[._-]?time)[._-]?code|connect\.sid)"
    rf"|{_BEGIN}(?:j|php|asp|asp\.net_)?sess(?:ion)?id|(?<=\w[._-])pat|(?:key|store)pass)(?![a-z]|[._-]\w)"
)
_NAME = (
    rf"(?:(?:{_PHRASE}|secret|{_BEARER}|credential|signature|azure\.sas|aws[._-]?key[._-]?id|{_KEY})"
    rf"{_HARMLESS}[\w.-]{{0,80}}|{_WORD})"
)
# A short name, and therefore a part of longer words (`bypass`, `design`).
_SHORT = rf"(?:{_BEGIN}|(?<=db)|(?<=user)|(?<=root)|(?<=admin))pass(?![a-z])"
_SIG = r"(?<![a-z])sig(?![a-z])"
# The first two letters of any secret's name: looked at first, they save two thirds of the time.
_LETTERS = r"(?=[2acefhjklmopst][acefhilmnoprstuwz])"
_ANY = rf"{_LETTERS}(?:{_NAME}|{_SHORT})"
_ANY_IN_URLS = rf"{_LETTERS}(?:{_NAME}|{_SHORT}|{_SIG})"
# A value, but not `true`, `false`, `null` or `none`.
_VALUE = r"(?!\\{0,8}[\"'`]?(?:true|false|null|none)(?=[\s,;&)\]}\"'`\\]|\Z))"
# As SQL, Python and JSON write it; the text may have been cut within it.
_LITERAL = r"""(?:'(?:[^'\\]|\\.|'')*(?:'|\\?\Z)|"(?:[^"\\]|\\.|"")*(?:"|\\?\Z))"""
_JOINED = rf"{_LITERAL}(?:\s{{0,5}}(?:\|\||\+)\s{{0,5}}{_LITERAL})*"
# A literal behind a blank is a name itself if a colon is behind it: its value comes next.
_BLANK = r"(?P<blank>[ \t])"
_NO_NAME = r"(?(blank)(?!\s{0,5}:)|)"
# Text between a name and its literal: `'name', '...'`, `name = '...'`, `name = f('...')`, `name('...')`, `name '...'`.
_BETWEEN = (
    r"""(?:["'`]\s{0,20}(?:=>|->|={1,3}|:=?|,(?!\s{0,20}["']value["']))?|\s{0,20}(?:=>|->|={1,3}|:=?)(?:\s{0,20}\w{1,30}\()?|\s{0,20}\("""
    rf"|{_BLANK})\s{{0,20}}[rbfun]?"
)
# A literal inside a literal: both its quotes have backslashes, as many.
_QUOTE = r"""(?P<quote>\\{1,8}["'])"""
_QUOTED = rf"(?P<secret>(?:(?!(?<!\\)(?P=quote)).)*)(?=(?P=quote){_NO_NAME}|\Z)"
# A value without quotes ends at a separator of values; brackets at its end were opened before it.
_BARE = r"""(?:[^&;,\s'"`<\\]|\\(?!["']))"""
_VALUE_BARE = rf"(?!\()(?P<secret>\{{(?:[^}}]|\}}\}})+\}}|{_BARE}*[^&;,\s'\"`<\\)\]}}])"
# A value unlike a word by its look alone.
_CRYPTIC = r"(?!\w{1,10}://)(?P<secret>(?=[^\s,;'\"\\]{0,100}\d)[^\s,;'\"`<>)}\\]{6,}|[\w.~+/=-]{20,})"
_AUTHORIZATION = r"""\bauthorization[\\"'`]{0,8}\s{0,5}[:=,]\s{0,5}[\\"'`]{0,8}"""
# Settings of Spark, Hadoop, Kafka, Java: their names stand in the midst of a text with their values.
_SETTING = r"(?<![\w.-])(?:spark|hadoop|fs|hive|ssl|sasl|javax|kafka|schema\.registry)\.[\w.-]{0,80}"

_I = re.IGNORECASE
_IS = re.IGNORECASE | re.DOTALL
# Tokens known by their form, by provider.
_FORMS = (
    r"(?:AKIA|ASIA|ABIA)[A-Z0-9]{16}",  # AWS: access keys, session tokens, keys of Bedrock
    r"(?:IQoJ|FwoG|FQoG)[\w/+=]{60,}",
    r"ABSK[\w+/=]{60,}",
    r"(?:dapi|dose)[0-9a-f]{32}(?:-\d)?",  # Databricks
    r"ver:\d{1,2}-hint:\d+-[\w+/=%-]{20,}",  # Snowflake
    r"gh[a-z]_\w{36,}",  # GitHub
    r"github_pat_\w{22,}",
    r"gl[a-z]{2,5}-[\w.-]{20,}",  # GitLab
    r"AT[AC]TT3[\w=-]{40,}",  # Atlassian
    r"ATBB\w{32}",
    r"xox[a-z](?:\.xox[a-z])?-[\w-]{10,}",  # Slack
    r"xapp-\d-[\w-]{10,}",
    r"eyJ[\w-]{1,4000}\.eyJ[\w.-]+",  # JSON Web Tokens, signed and encrypted
    r"eyJ[\w-]{1,4000}(?:\.[\w-]{0,4000}){3}\.[\w-]{8,}",
    r"AIza[\w-]{35}",  # Google Cloud
    r"ya29\.[\w.-]{20,}",
    r"1//0[\w-]{40,}",
    r"GOOG1E[A-Z0-9]{57}",
    r"GOCSPX-[\w-]{20,}",
    r"\w{3}8Q~[\w.~-]{31,34}",  # Azure: secrets of applications, keys of storage, personal tokens of DevOps
    r"[A-Za-z0-9/+]{76}\+ASt[A-Za-z0-9/+]{6}==",
    r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}",
    r"(?:AC|SK)[0-9a-f]{32}(?::[0-9a-f]{32})?",  # Twilio
    r"hv[bsr]\.[\w-]{20,}",  # HashiCorp
    r"[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,}",
    r"sk-(?:ant-|proj-)?[A-Za-z0-9][\w-]{30,}",  # OpenAI, Anthropic
    r"(?:[rs]k_(?:live|test)|whsec)_\w{16,}",  # Stripe
    r"sq0[a-z]{3}-[\w-]{22,}",  # Square
    r"shp(?:at|ca|pa|ss)_[0-9a-f]{32}",  # Shopify
    r"SG\.[\w-]{16,}\.[\w-]{16,}",  # SendGrid
    r"key-[0-9a-f]{32}",  # Mailgun, Mailchimp
    r"[0-9a-f]{32}-us\d{1,2}",
    r"(?:bot)?\d{8,10}:AA[\w-]{33}",  # Telegram
    r"npm_[A-Za-z0-9]{36}",
    r"pypi-[\w-]{40,}",
    r"rubygems_[0-9a-f]{48}",
    r"dckr_[a-z]{3}_[\w-]{20,}",  # Docker
    r"AKC[a-z0-9][\w-]{60,}",  # Artifactory
    r"hf_[A-Za-z0-9]{30,}",  # Hugging Face
    r"do[opr]_v1_[0-9a-f]{64}",  # DigitalOcean
    r"dbt[a-z]_[\w=-]{30,}",
    r"gls[a]_\w{32,}",  # Grafana
    r"NRAK-[A-Z0-9]{27}",  # New Relic
    r"sntry[su]_[\w+/=]{30,}",  # Sentry
    r"pul-[0-9a-f]{40}",  # Pulumi
    r"pscale_[a-z]{2,5}_[\w.-]{30,}",  # PlanetScale
    r"LTAI[A-Za-z0-9]{16,24}",  # Alibaba Cloud
    r"lin_(?:api|oauth)_\w{32,}",  # Linear
    r"ntn_\w{40,}",  # Notion
    r"figd_[\w-]{30,}",  # Figma
    r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}",  # Postman
    r"pat\w{14}\.[0-9a-f]{64}",  # Airtable
    r"tskey-[\w-]{20,}",  # Tailscale
    r"AGE-SECRET-KEY-1[A-Z0-9]{58}",
)


def _shape(pattern: str, flags: int = 0) -> tuple[str, int]:
    return pattern, flags


_SHAPES: tuple[tuple[str, int], ...] = (
    # hw_<id>_<secret>: Headwater's; `headwater token revoke` takes the id.
    _shape(r"\bhw_[0-9a-f]{16}_(?P<secret>[\w-]{8,})"),
    _shape(rf"(?<![\w-])(?:{'|'.join(_FORMS)})"),
    # -----BEGIN PRIVATE KEY-----x
    _shape(r"BEGIN [A-Z ]{0,20}PRIVATE KEY(?: BLOCK)?-----(?P<secret>.*?)(?=-----END|\Z)", re.S),
    # OPTIONS (password 'x'), 'fs.s3a.secret.key' => "x", .option("password", "x"), {"password": "x"}
    _shape(rf"{_ANY}{_BETWEEN}{_VALUE}(?P<secret>{_JOINED}){_NO_NAME}", _IS),
    # "{\"password\": \"x\"}", "jaas": "... password=\"x\";"
    _shape(
        rf"{_ANY}(?:\\{{1,8}}[\"']\s{{0,20}}(?:=>|->|=|:|,(?!\s{{0,20}}\\{{1,8}}[\"']value\\))|\s{{0,20}}(?:=>|->|=|:|\()|{_BLANK})\s{{0,20}}{_VALUE}{_QUOTE}{_QUOTED}",
        _IS,
    ),
    # aes_encrypt(card, 'x', 'GCM'), pgp_sym_encrypt(card, 'x')
    _shape(
        rf"\b(?:aes_(?:en|de)crypt|pgp_sym_(?:en|de)crypt\w{{0,10}}|(?:en|de)cryptbypassphrase)\s{{0,20}}\("
        rf"[^'\";]{{0,200}}(?P<secret>{_LITERAL}(?:\s{{0,20}},\s{{0,20}}{_LITERAL})*)",
        _IS,
    ),
    # IDENTIFIED BY 'x', IDENTIFIED WITH sha256_password AS 'x', CREATE USER ann IDENTIFIED BY x
    _shape(
        rf"\bidentified\s{{1,20}}(?:(?:with|via)\s{{1,20}}[\w'\"]{{1,60}}\s{{1,20}})?(?:by|as|using)\s{{1,20}}(?:(?:password|values)\s{{1,20}})?"
        rf"(?P<secret>{_LITERAL})",
        _IS,
    ),
    _shape(
        r"\b(?:user|role|grant|link)\b[^;'\"]{0,200}?\bidentified\s{1,20}by\s{1,20}(?!(?:values|password)\s)(?P<secret>[^\s;'\"]+)",
        _I,
    ),
    # jdbc:postgresql://h/db?password=x, jdbc:sqlserver://h;password={x}, https://h/file?sig=x, password%3Dx
    _shape(rf"{_ANY_IN_URLS}={_VALUE}{_VALUE_BARE}", _I),
    _shape(rf"{_ANY_IN_URLS}(?:%22)?%3[AD](?:%20)?(?:%22)?(?P<secret>(?:[^%&\s'\"]|%(?!22|26))+)", _I),
    # SET fs.s3a.secret.key = x; a line of a file of properties: fs.s3a.secret.key = x, or fs.s3a.secret.key x
    _shape(
        rf"(?:\A|[;\n])\s{{0,20}}set\s{{1,20}}[\w.-]{{0,80}}{_NAME}\s{{0,20}}=\s{{0,20}}{_VALUE}(?P<secret>[^\s;'\"]+)",
        _I,
    ),
    _shape(
        rf"^[ \t]{{0,20}}[\w.-]{{0,80}}{_NAME}[ \t]{{1,20}}=[ \t]{{0,20}}{_VALUE}(?P<secret>[^\s'\"]+)[ \t]{{0,20}}$",
        _I | re.M,
    ),
    _shape(
        rf"^[ \t]{{0,20}}[\w-]{{1,40}}\.[\w.-]{{0,80}}{_NAME}[ \t]{{1,20}}(?P<secret>[^\s'\"=]+)[ \t]{{0,20}}$",
        _I | re.M,
    ),
    # fs.s3a.secret.key 0a1b2c: within a line, only a value like a secret
    _shape(rf"{_SETTING}{_NAME}[ \t]{{1,20}}{_CRYPTIC}", _I),
    # password: x, "pin_password": 1234, password -> x; behind further names only a value like a secret: api_key: 0a1b2c
    _shape(
        rf"{_PHRASE}\d{{0,2}}[\\\"'`]{{0,8}}[ \t]{{0,5}}(?::|->|=>)[ \t]{{0,5}}"
        rf"(?!=){_VALUE}(?P<secret>[^,;\s'\"`<)}}\\]+)",
        _I,
    ),
    _shape(
        rf"(?<!:){_LETTERS}(?:secret|{_BEARER}|credentials?|{_KEY}(?:[._-]?id)?|{_WORD}|{_SHORT})"
        rf"[\\\"'`]{{0,8}}[ \t]{{0,5}}:[ \t]{{0,5}}{_CRYPTIC}",
        _I,
    ),
    # Password for user ann: x, at the end of a line; login ann password x; the password is 0a1b2c
    _shape(rf"{_PHRASE}[ \t](?:for|of)[ \t][^:\n]{{1,80}}:[ \t]{{0,5}}(?P<secret>\S+)[ \t]{{0,20}}$", _I | re.M),
    _shape(rf"\blogin\s{{1,20}}\S{{1,80}}\s{{1,20}}{_PHRASE}\s{{1,20}}(?P<secret>\S+)", _I),
    _shape(rf"{_PHRASE}[ \t](?:is|was)[ \t]{{1,5}}[\"'`]?{_CRYPTIC}", _I),
    # session_id=0a1b2c3d4e5f6071: short ids are data
    _shape(
        rf"{_BEGIN}session[._-]?id[\\\"'`]{{0,8}}\s{{0,5}}[:=,]\s{{0,5}}[\\\"'`]{{0,8}}(?P<secret>(?=[\w-]{{0,15}}\d)[\w-]{{16,}})",
        _I,
    ),
    # {"name": "DB_PASSWORD", "value": "x"}, <property name="db.password" value="x"/>, and the same in YAML
    _shape(
        rf"\b(?:name|key)[\\\"']{{0,8}}\s{{0,5}}[:=]\s{{0,5}}[\\\"']{{0,8}}[\w.-]{{0,80}}{_ANY}[\\\"']{{0,8}}[\s,]{{1,40}}"
        rf"[\\\"']{{0,8}}value[\\\"']{{0,8}}\s{{0,5}}[:=]\s{{0,5}}{_VALUE}(?:\\{{1,8}}[\"'])?(?P<secret>{_LITERAL}|[^\s\\,;\"'}}<]+)",
        _IS,
    ),
    # Map(fs.s3a.secret.key -> x), (fs.s3a.secret.key,x)
    _shape(rf"\.[\w-]{{0,40}}{_NAME}\s{{0,5}}->\s{{0,5}}{_VALUE}(?P<secret>[^,\s'\")]+)", _I),
    _shape(rf"(?<!\w)\((?:[\w-]{{1,40}}\.){{2,8}}[\w-]{{0,40}}{_NAME},{_VALUE}(?P<secret>[^,\s'\"()]+)\)", _I),
    # <password>x</password>, <name>fs.s3a.secret.key</name><value>x</value>
    _shape(rf"<[\w.:-]{{0,40}}{_NAME}>{_VALUE}(?P<secret>[^<]+)", _I),
    _shape(rf"{_NAME}</name>\s{{0,100}}<value>{_VALUE}(?P<secret>[^<]+)", _I),
    # --password x, -storepass x, aws configure set aws_secret_access_key x
    _shape(rf"(?:^|\s)--[\w.-]{{0,60}}{_NAME}[ \t]{{1,5}}(?P<secret>[^\s'\"]+)", _I),
    _shape(r"\s-(?:store|key|src|dest)?(?:store|key)?pass(?:word)?[ \t]{1,5}(?P<secret>[^\s'\"-][^\s'\"]*)", _I),
    _shape(rf"\bconfig(?:ure)?[ \t]{{1,5}}set[ \t]{{1,5}}[\w.-]{{0,80}}{_NAME}[ \t]{{1,5}}(?P<secret>[^\s'\"=]+)", _I),
    # curl -u ann:x; mysql -px, sshpass -p x, redis-cli -a x; sqlplus ann/x@db; smbclient -U ann%x
    _shape(
        r"\bcurl\s(?:[^;|\n]|\\\n){0,200}?\s?(?:-u|--(?:proxy-)?user)[\s=]{0,5}[\"']?[^\s:\"'-][^\s:\"']{0,64}:(?P<secret>[^\s\"']+)",
        re.S,
    ),
    _shape(
        r"\b(?:mysql\w{0,10}\s.{0,200}?(?<=\s)-p|sshpass\s{1,5}-p\s?|redis-cli\s.{0,200}?(?<=\s)-a\s{1,5}"
        r"|(?:beeline|docker\slogin|mongo\w{0,10})\s.{0,200}?(?<=\s)-p\s{1,5}|(?:sqlcmd|bcp|isql)\s.{0,200}?(?<=\s)-P\s?"
        r"|ldap(?:search|add|modify|whoami)\s.{0,200}?(?<=\s)-w\s{1,5})(?P<secret>[^\s\"']+)"
    ),
    _shape(r"\bsqlplus\s.{0,100}?(?<![\w/])\w{1,64}/(?P<secret>[^\s/@\"']{1,200})@", _I),
    _shape(r"\s-pass(?:in|out)?\s{1,5}[\"']?pass:(?P<secret>[^\s\"']+)"),
    _shape(r"\bsmbclient\s.{0,200}?(?<=\s)-U\s{0,5}[\"']?[^\s%\"']{1,64}%(?P<secret>[^\s\"']+)"),
    _shape(r"\blftp\s.{0,200}?(?<=\s)-u\s{0,5}[\"']?[^\s,\"']{1,64},(?P<secret>[^\s\"']+)"),
    # Authorization: Bearer x, X-Auth-Token: x, Cookie: session=x
    _shape(r"\b(?:bearer|ssws|geniekey)\s{1,5}(?!tokens?\b|auth)(?P<secret>[^\s\"',;<>)}\\]{6,})", _I),
    _shape(rf"{_AUTHORIZATION}(?!AWS4-|SCRAM-){_CRYPTIC}", _I),
    _shape(rf"{_AUTHORIZATION}\w[\w-]{{0,30}}\s{{1,5}}(?P<secret>[^\s\"'`,;<>)}}\\]{{6,}})", _I),
    _shape(r"(?<=[\s,])response=[\"']?(?P<secret>[0-9a-f]{32,128})(?![\w-])"),
    # .npmrc, .docker/config.json: _auth=eDp5, {"auth": "eDp5"}
    _shape(
        r"[_\"']auth[\\\"']{0,8}\s{0,5}[:=]\s{0,5}[\\\"']{0,8}(?P<secret>(?=[A-Za-z+/]{0,200}[\d=])[A-Za-z0-9+/]{8,}={0,2})(?![\w-])"
    ),
    _shape(r"\b(?:set-)?cookie[\"']?\s{0,5}:\s{0,5}[\"']?(?P<secret>[^\n\"'=]{1,100}=[^\n\"']+)", _I),
    # https://user:x@host; s3a://key:x@bucket, where it may hold slashes, as elsewhere if no port is before them
    _shape(r"://[^/\s:@'\"\[]{0,200}:(?P<secret>[^/\s'\"]{1,200})@"),
    _shape(r"://[^/\s:@'\"\[]{0,200}:(?!\d{1,5}/)(?P<secret>[^\s'\"/?#]{1,100}/[^\s'\"?#]{0,200})@[\w-]{1,100}[.:/]"),
    _shape(r"\bs3[an]?://[^/\s:@'\"]{0,200}:(?P<secret>[^\s'\"]{1,200})@"),
    # jdbc:oracle:thin:user/x@host, user/x@//host:1521/db, ann:x@host:5432
    _shape(r"\boracle:\w{1,20}:[^/\s@'\"]{0,200}/(?P<secret>[^/\s'\"]{1,200})@", _I),
    _shape(r"(?<![\w/:.@-])\w{1,60}/(?P<secret>[^\s/@'\"]{1,200})@(?://)?[\w.-]{1,100}:\d{2,5}[/:]"),
    _shape(r"(?<![\w/:.@-])(?!mailto:)\w[\w.-]{0,60}:(?P<secret>[^\s/:@'\"<>]{1,200})@[\w.-]{1,100}:\d{2,5}(?!\w)"),
    # redis://host?auth=x; https://hooks.slack.com/services/T0/B0/x, and hooks of Discord and Teams
    _shape(r"[?&;]auth=(?P<secret>[^&;\s'\"]+)"),
    _shape(r"\bhooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[^\s\"'<>)]+)"),
    _shape(r"\bdiscord(?:app)?\.com/api/webhooks/\d{1,30}/(?P<secret>[^\s\"'<>)/]+)"),
    _shape(r"\bwebhook\.office\.com/webhookb2/(?P<secret>[^\s\"'<>)]+)"),
)
_MASK = "***"


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    """Compile the shapes at the first text to mask: a job without such a text does not wait."""
    return tuple(re.compile(pattern, flags) for pattern, flags in _SHAPES)


def redact(text: str, more: Iterable[re.Pattern[str]] = ()) -> str:
    """Replace each secret in a text with `***`.

    `more` are further patterns: each match is masked, or the match's group `secret` if the pattern has it.

    >>> redact("CREATE TABLE t USING jdbc OPTIONS (user 'me', password 'x')")
    "CREATE TABLE t USING jdbc OPTIONS (user 'me', password ***)"
    >>> redact("SELECT * FROM t WHERE name = 'Ada'", [re.compile("'Ada'")])
    'SELECT * FROM t WHERE name = ***'
    """
    for pattern in (*_patterns(), *more):
        text = pattern.sub(_masked, text)
    return text


def _masked(match: re.Match[str]) -> str:
    if "secret" not in match.re.groupindex:
        return _MASK
    start, end = (position - match.start() for position in match.span("secret"))
    return match[0][:start] + _MASK + match[0][end:]
