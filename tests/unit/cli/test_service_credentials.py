"""Credentials of the commands: the services that get a token, and those that get a signature."""

from __future__ import annotations

import pytest

from headwater.cli.service import NoResponse, fetch_json

TOKEN = "hw_0123456789abcdef_secret"


def authorizations(service):
    return [authorization for _, _, authorization in service.requested]


@pytest.mark.parametrize(("to", "sent"), [("/other", f"Bearer {TOKEN}"), ("http://localhost:{port}/other", None)])
def test_a_redirect_takes_the_token_along_only_to_the_same_host(to, sent, service):
    service.redirects["/large"] = to.format(port=service.server.server_port)

    assert fetch_json(service.url, "/large", {}, token=TOKEN) == {}
    assert authorizations(service) == [f"Bearer {TOKEN}", sent]


def test_credentials_that_a_redirect_lost_do_not_come_back(service):
    service.redirects["/large"] = f"http://localhost:{service.server.server_port}/back"
    service.redirects["/back"] = f"{service.url}/other"

    assert fetch_json(service.url, "/large", {}, token=TOKEN) == {}
    assert authorizations(service) == [f"Bearer {TOKEN}", None, None]


def test_the_signature_of_a_call_to_api_gateway_stays_with_it(service, monkeypatch):
    service.redirects["/large"] = f"http://localhost:{service.server.server_port}/object?X-Amz-Signature=x"
    for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN"):
        monkeypatch.setenv(f"AWS_{name}", "key")
    host = "abc.execute-api.eu-west-1.amazonaws.com"
    monkeypatch.setenv("http_proxy", service.url)
    monkeypatch.setenv("no_proxy", "localhost")

    assert fetch_json(f"http://{host}", "/large", {}) == {}
    assert [path for path, _, _ in service.requested] == ["/large", "/object"]
    first, second = authorizations(service)
    assert first is not None
    assert first.startswith("AWS4-HMAC-SHA256 ")
    assert second is None


def test_a_token_over_plain_http_to_another_host_is_warned_of_once(capsys, monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    for url in ("http://lineage.invalid", "http://lineage.invalid", "https://lineage.invalid"):
        with pytest.raises(NoResponse):
            fetch_json(url, "/x", {}, token=TOKEN)

    shown = capsys.readouterr().err
    assert shown == "! the token goes to lineage.invalid over plain http, where it can be read in transit: use https\n"
