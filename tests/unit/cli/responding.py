"""A service with given responses, over HTTP."""

from http.server import ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from tests.servers import Handler


class Service:
    """Answers every GET and POST with `status` and the next of `pages`, or its path's body in `bodies`, else `body`.

    A path in `redirects` is answered with 303 to the URL there. Keeps its requests.
    """

    def __init__(self):
        self.status, self.body = 200, b"{}"
        self.bodies, self.redirects, self.pages = {}, {}, []
        self.requested = []
        service = self

        class Responding(Handler):
            def get(self):
                url = urlsplit(self.path)
                service.requested.append((url.path, parse_qs(url.query), self.headers.get("Authorization")))
                body = service.pages.pop(0) if service.pages else service.bodies.get(url.path, service.body)
                if url.path in service.redirects:
                    self.respond(body, 303, Location=service.redirects[url.path])
                else:
                    self.respond(body, service.status)

            def post(self):
                self.sent()
                self.get()

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Responding)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
