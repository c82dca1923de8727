"""The API in memory, by calls as a client makes them, and over HTTP."""

from __future__ import annotations

import json
from http.server import HTTPServer
from threading import Lock
from urllib.parse import parse_qs, urlsplit

from headwater.cli.service import Missing, NoResponse
from tests.servers import Handler, serving

# A handler of Lambda serves one request at a time.
_ONE_AT_A_TIME = Lock()


def getter(api):
    """Return a GET of the API, as `fetch_json` is over HTTP."""

    def get(path, query):
        with _ONE_AT_A_TIME:
            status, form = api.get(path.removeprefix("/api/v1"), **query)
        if status != 200:
            raise (Missing if status == 404 else NoResponse)(f"HTTP {status}: {form['message']}")
        return form

    return get


def served(api):
    """Serve GETs over HTTP, in a block; yield the URL."""

    class Served(Handler):
        def get(self):
            parts = urlsplit(self.path)
            status, form = api.get(parts.path.removeprefix("/api/v1"), **parse_qs(parts.query))
            self.respond(json.dumps(form).encode(), status)

    return serving(HTTPServer(("127.0.0.1", 0), Served))
