"""HTTP servers on loopback, for the time of a test."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler


class Handler(BaseHTTPRequestHandler):
    """A handler by `get` and `post`; it logs nothing."""

    def do_GET(self):
        self.get()

    def do_POST(self):
        self.post()

    def sent(self):
        """Read the body of the request."""
        return self.rfile.read(int(self.headers["Content-Length"]))

    def respond(self, body, status=200, **headers):
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Print nothing."""


@contextmanager
def serving(server, path=""):
    """Serve until the block ends; yield the URL of a path."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}{path}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
