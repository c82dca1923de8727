"""A service with given responses, over HTTP."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit


class Service:
    """Answers every GET and POST with `status` and the next of `pages`, or its path's body in `bodies`, else `body`.

    A path in `redirects` is answered with 303 to the URL there. Keeps its requests.
    """

    def __init__(self) -> None:
        self.status, self.body = 200, b"{}"
        self.bodies: dict[str, bytes] = {}
        self.redirects: dict[str, str] = {}
        self.pages: list[bytes] = []
        self.requested: list[tuple[str, dict[str, list[str]], str | None]] = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                url = urlsplit(self.path)
                service.requested.append((url.path, parse_qs(url.query), self.headers.get("Authorization")))
                body = service.pages.pop(0) if service.pages else service.bodies.get(url.path, service.body)
                self.send_response(303 if url.path in service.redirects else service.status)
                if url.path in service.redirects:
                    self.send_header("Location", service.redirects[url.path])
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                self.do_GET()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
