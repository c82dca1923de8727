"""Logins on this machine: tokens of an issuer for the APIs of stacks, in a private file.

    {"https://api...": {"access": "...", "refresh": "...", "expires": 1795955392, "token_endpoint": ..., "client": ...}}

`headwater login` writes the file; all commands with a `--url` read it.
"""

from __future__ import annotations

import json
import os
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from headwater.cli.program import command
from headwater.cli.service import NoRedirects, NoResponse, address_of, explain_unusable, opener_of

_TIMEOUT_S = 30
# A token near its end is renewed before its use.
_SPARE_S = 30
_PRIVATE = 0o600


def token_for(url: str) -> str | None:
    """Find the bearer token for an API: `HEADWATER_TOKEN`, else the login's, renewed in time; None without both."""
    given = os.environ.get("HEADWATER_TOKEN")
    login = None if given else read_logins().get(url.rstrip("/"))
    if login is None:
        return given
    if time.time() < login["expires"] - _SPARE_S:
        return str(login["access"])
    form = {"grant_type": "refresh_token", "refresh_token": login.get("refresh"), "client_id": login["client"]}
    with suppress(NoResponse):
        status, response = send_form(login["token_endpoint"], form) if login.get("refresh") else (0, {})
        if status == 200:
            write_login(url, {**login, **login_of(response, time.time)})
            return str(response["access_token"])
    print(f"! the login at {url} has ended: {command('login')} --url {url}", file=sys.stderr)
    return None


def login_of(response: Mapping[str, Any], now: Callable[[], float]) -> dict[str, Any]:
    """Make the stored form of an issuer's response, `{"access_token": ...}` (RFC 6749, 5.1)."""
    login = {"access": response["access_token"], "expires": int(now() + float(response.get("expires_in", 300)))}
    return {**login, "refresh": response["refresh_token"]} if response.get("refresh_token") else login


def logins_file() -> Path:
    """Name the file: in `XDG_CONFIG_HOME`, in ~/Library on a Mac, else in ~/.config."""
    home = Path("~/Library/Application Support" if sys.platform == "darwin" else "~/.config").expanduser()
    return Path(os.environ.get("XDG_CONFIG_HOME") or home) / "headwater" / "logins.json"


def read_logins() -> dict[str, Any]:
    """Read the logins by the URL of their API; none from a damaged file."""
    try:
        logins = json.loads(logins_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return logins if isinstance(logins, dict) else {}


def write_login(url: str, login: Mapping[str, Any] | None) -> None:
    """Store a login, or forget the login (None), in a file of mode 0600: `write_login("https://api", None)`."""
    logins = {**read_logins(), url.rstrip("/"): login}
    file = logins_file()
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    beside = file.with_suffix(f".{os.getpid()}")
    with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _PRIVATE), "w", encoding="utf-8") as stream:
        json.dump({name: value for name, value in logins.items() if value}, stream)
    beside.replace(file)


def send_form(address: str, form: Mapping[str, object] | None = None) -> tuple[int, Mapping[str, Any]]:
    """Send a form, or without a form a GET, unsigned; return the status and the JSON, `200, {"access_token": ...}`.

    Raises:
        NoResponse: nothing usable responds.
    """
    body = None if form is None else urlencode({name: value for name, value in form.items() if value is not None})
    request = urllib.request.Request(  # noqa: S310 - it is http(s)
        address_of(address, "", {}),
        data=None if body is None else body.encode(),
        headers={"Accept": "application/json"},
    )
    try:
        with opener_of(address, NoRedirects).open(request, timeout=_TIMEOUT_S) as response:
            return response.status, json.loads(response.read())
    except urllib.error.HTTPError as error:
        with error, suppress(ValueError):
            return error.code, json.loads(error.read())
        raise NoResponse(f"{address}: HTTP {error.code}") from error
    except (OSError, ValueError) as error:
        raise NoResponse(explain_unusable(address, error)) from error
