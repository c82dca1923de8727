"""The API in memory, by calls as a client makes them, and over HTTP."""

from __future__ import annotations

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Lock, Thread
from urllib.parse import parse_qs, urlsplit

from headwater.cli.service import Missing, NoResponse

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


@contextmanager
def served(api):
    """Serve GETs over HTTP; yield the URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            parts = urlsplit(self.path)
            status, form = api.get(parts.path.removeprefix("/api/v1"), **parse_qs(parts.query))
            body = json.dumps(form).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
