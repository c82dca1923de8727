from __future__ import annotations

import pytest

from spark_client.redaction import redact
from tests.work import growth_of


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        # Statements
        ("CREATE TABLE t USING jdbc OPTIONS (password 'x')", "CREATE TABLE t USING jdbc OPTIONS (password ***)"),
        ('SET `fs.s3a.secret.key` = "a\\"b"', "SET `fs.s3a.secret.key` = ***"),
        ("OPTIONS ('dbPassword'='it\\'s', user 'me')", "OPTIONS ('dbPassword'=***, user 'me')"),
        ("OPTIONS (password 'it''s', user 'me')", "OPTIONS (password ***, user 'me')"),
        ("OPTIONS (pass r'x')", "OPTIONS (pass r***)"),
        ("OPTIONS ('password', 'x', 'user', 'me')", "OPTIONS ('password', ***, 'user', 'me')"),
        ("SELECT aes_encrypt(card, 'x', 'GCM')", "SELECT aes_encrypt(card, ***)"),
        ("SELECT base64(aes_encrypt('card', 'x')) c", "SELECT base64(aes_encrypt(***)) c"),
        # Lines of Python in the stack of an exception
        ('.option("password", "x").option("user", "me")', '.option("password", ***).option("user", "me")'),
        (".option('password','x')", ".option('password',***)"),
        ('set("fs.azure.account.key.a.windows.net", "x")', 'set("fs.azure.account.key.a.windows.net", ***)'),
        ("{'user': 'me', 'password': 'x'}", "{'user': 'me', 'password': ***}"),
        ('login(password="""x""", user=\'me\')', "login(password=***, user='me')"),
        ("['run', '--token', 'x', 'job']", "['run', '--token', ***, 'job']"),
        ("password = 'cut with", "password = ***"),
        # URLs
        ("jdbc:postgresql://h/db?user=me&password=x&ssl=true", "jdbc:postgresql://h/db?user=me&password=***&ssl=true"),
        ("jdbc:sqlserver://h;user=me;password={x;y};", "jdbc:sqlserver://h;user=me;password=***;"),
        ("jdbc:oracle:thin:me/x@//h:1521/db", "jdbc:oracle:thin:me/***@//h:1521/db"),
        ("https://me:x@y@host/path@v1", "https://me:***@host/path@v1"),
        ("s3a://key:x/y@bucket/path", "s3a://key:***@bucket/path"),
        (
            "https://b/k?X-Amz-Credential=x&X-Amz-Date=d&X-Amz-Signature=x",
            "https://b/k?X-Amz-Credential=***&X-Amz-Date=d&X-Amz-Signature=***",
        ),
        ("https://a.blob.core.windows.net/c?sv=1&sig=x", "https://a.blob.core.windows.net/c?sv=1&sig=***"),
        ("hdfs://namenode:8020/user/me@home", "hdfs://namenode:8020/user/me@home"),
        # Messages
        ("no access for user=me password=x (28P01)", "no access for user=me password=*** (28P01)"),
        ("aws_secret_access_key=x", "aws_secret_access_key=***"),
        ("Password: x", "Password: ***"),
        ("run --api-key x job", "run --api-key *** job"),
        ("Invalid header value b'Bearer abcdef\\n'", "Invalid header value b'Bearer ***\\n'"),
        ("Authorization: Basic bWU6eA==", "Authorization: Basic ***"),
        # By their form
        ("SELECT 'AKIAIOSFODNN7EXAMPLE'", "SELECT '***'"),
        ("at eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.aa-bb", "at ***"),
        ("-----BEGIN PRIVATE KEY-----\nMIIE+/=\n-----END", "-----BEGIN PRIVATE KEY-----***-----END"),
    ],
)
def test_secrets_are_masked_and_what_is_around_them_is_kept(text: str, kept: str) -> None:
    assert redact(text) == kept


@pytest.mark.parametrize(
    "text",
    [
        "SELECT password, token FROM users WHERE id = 'x'",
        "SELECT tokens.id = keys.id, max(token) FROM a JOIN b ON a.token = b.token",
        "SELECT * FROM logs WHERE kind = 'password' AND name = 'x'",
        "the token expired: try again",
        "org.apache.spark.TokenException: no such file",
    ],
)
def test_what_only_speaks_of_secrets_is_kept(text: str) -> None:
    assert redact(text) == text


@pytest.mark.large
@pytest.mark.parametrize(
    "part", ["password", "'", "://a:", "?a.a-", "token  ", "secret='", " --token-", "aes_encrypt(", "eyJa", "AKIA"]
)
def test_no_text_keeps_redaction_busy(part: str) -> None:
    assert growth_of(redact, part * (4_000 // len(part))) < 2
