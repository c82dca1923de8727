"""The token of a command: of the environment, else of a login, which is renewed in time and kept to its owner."""

import json
import time

import pytest

from headwater.cli.logins import login_of, logins_file, read_logins, token_for, write_login
from headwater.cli.main import main

URL = "https://api.example.org/prod/"


@pytest.fixture(autouse=True)
def _own_files(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("HEADWATER_TOKEN", raising=False)


def a_login(issuer, lasts_s=3600, **changes):
    place = {"token_endpoint": f"{issuer.url}/token", "client": "page"}
    response = {"access_token": "first", "refresh_token": "again", "expires_in": lasts_s}
    return {**place, **login_of(response, time.time), **changes}


def test_the_environment_comes_before_a_login_of_this_url(issuer, monkeypatch):
    assert token_for(URL) is None
    write_login(URL, a_login(issuer))
    assert (token_for(URL), token_for(URL.rstrip("/")), token_for("https://other.example.org")) == (
        "first",
        "first",
        None,
    )
    monkeypatch.setenv("HEADWATER_TOKEN", "hw_given")
    assert token_for(URL) == "hw_given"


def test_a_login_near_its_end_is_renewed_and_the_new_token_kept(issuer):
    write_login(URL, a_login(issuer, lasts_s=10))
    issuer.responses["/token"] = {"access_token": "second", "expires_in": 600}
    assert token_for(URL) == "second"
    assert issuer.forms == [{"grant_type": "refresh_token", "refresh_token": "again", "client_id": "page"}]
    stored = read_logins()[URL.rstrip("/")]
    assert (stored["access"], stored["refresh"]) == ("second", "again")


DEVICE = {"device_code": "d", "user_code": "WDJB-MJHT", "verification_uri": "https://id/device", "expires_in": 60}


def test_a_login_by_device_code_prints_the_code_and_keeps_the_token(issuer, capsys):
    issuer.responses = {"/device": {**DEVICE, "interval": 0}, "/token": {"access_token": "first", "expires_in": 600}}
    assert main(["login", "--url", issuer.url]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("Open https://id/device\nand enter the code WDJB-MJHT\nsigned in at ")
    assert issuer.forms == [
        {"client_id": "page", "scope": "openid"},
        {"grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": "d", "client_id": "page"},
    ]
    assert token_for(issuer.url) == "first"
    assert main(["login", "--url", issuer.url, "--forget"]) == 0
    assert token_for(issuer.url) is None


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"responses": {"/device": {**DEVICE, "interval": 0}, "/token": {"error": "access_denied"}}}, "access_denied"),
        ({"responses": {"/device": {"error": "x", "error_description": "no devices"}}}, "no devices"),
        ({"client": ""}, "the stack has no client for people (the context value sign_in_client)"),
        ({"named": "https://else"}, "the issuer has no sign-in of devices; set HEADWATER_TOKEN"),
        ({"is_down": True}, "HTTP 503"),
    ],
)
def test_a_refused_login_says_why(issuer, capsys, changes, reason):
    for name, value in changes.items():
        setattr(issuer, name, value)
    assert main(["login", "--url", issuer.url]) == 1
    assert reason in capsys.readouterr().err
    assert read_logins() == {}


@pytest.mark.parametrize("refresh", ["again", None])
def test_a_login_that_has_ended_gives_no_token_and_says_what_to_do(issuer, capsys, refresh):
    issuer.is_down = True
    write_login(URL, a_login(issuer, lasts_s=10, refresh=refresh))
    assert token_for(URL) is None
    assert capsys.readouterr().err.startswith(f"! the login at {URL} has ended: ")


def test_the_file_is_its_owners_alone_and_a_forgotten_login_leaves_it(issuer):
    write_login(URL, a_login(issuer))
    write_login("https://other.example.org", a_login(issuer))
    assert (logins_file().stat().st_mode & 0o777, logins_file().parent.stat().st_mode & 0o777) == (0o600, 0o700)
    write_login(URL, None)
    assert list(json.loads(logins_file().read_text())) == ["https://other.example.org"]
