"""An issuer on loopback: its discovery document, its keys, and tokens with any claims, signed by any key."""

import json
import threading
import time
from base64 import urlsafe_b64encode
from http.server import ThreadingHTTPServer
from urllib.parse import parse_qsl

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.servers import Handler

AUDIENCE = "headwater"
_ALGORITHMS = {"RS256": jwt.algorithms.RSAAlgorithm, "ES256": jwt.algorithms.ECAlgorithm}


class Issuer:
    """An issuer with a key; `rotate` replaces the key, `is_down` lets all requests fail, `requested` has the paths."""

    def __init__(self):
        self.requested = []
        # Responses to POST by path, and the forms sent to it.
        self.responses, self.forms = {}, []
        self.is_down = False
        self._keys = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.named, self.client = self.url, "page"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        self.rotate()

    def stop(self):
        self._server.shutdown()
        self._server.server_close()

    def rotate(self, algorithm="ES256"):
        """Replace the keys by a new key."""
        make = {
            "RS256": lambda: rsa.generate_private_key(65537, 2048),
            "ES256": lambda: ec.generate_private_key(ec.SECP256R1()),
        }
        self.algorithm = algorithm
        self.kid = f"key-{time.monotonic_ns()}"
        self.key = make[algorithm]()

    def public_pem(self):
        return self.key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)

    def token(self, *, headers=None, key=None, algorithm=None, age_s=0, lasts_s=3600, begins_s=None, **claims):
        """Sign a token; a claim of None is left out."""
        now = int(time.time()) - age_s
        given = {"iss": self.url, "aud": AUDIENCE, "sub": "ann", "iat": now, "exp": now + lasts_s, **claims}
        given |= {} if begins_s is None else {"nbf": now + begins_s}
        given = {name: value for name, value in given.items() if value is not None}
        return jwt.encode(given, key or self.key, algorithm or self.algorithm, {"kid": self.kid, **(headers or {})})

    def documents(self):
        public = json.loads(_ALGORITHMS[self.algorithm].to_jwk(self.key.public_key()))
        return {
            "/.well-known/openid-configuration": {
                "issuer": self.named,
                "jwks_uri": f"{self.url}/keys",
                "token_endpoint": f"{self.url}/token",
                "device_authorization_endpoint": f"{self.url}/device",
            },
            # The settings of a stack with this issuer.
            "/explore/sign-in.json": {"issuer": self.url, "client": self.client, "scope": "openid"},
            "/keys": {"keys": [{**public, "kid": self.kid, "use": "sig"}]},
        }


def unsigned(claims, **header):
    """Write a token without a signature."""
    parts = (json.dumps(part).encode() for part in ({"typ": "JWT", **header}, claims))
    return ".".join([*(urlsafe_b64encode(part).decode().rstrip("=") for part in parts), ""])


def _handler_of(issuer):
    class OfIssuer(Handler):
        def get(self):
            issuer.requested.append(self.path)
            self.respond_with(issuer.documents().get(self.path))

        def post(self):
            issuer.forms.append(dict(parse_qsl(self.sent().decode())))
            document = issuer.responses.get(self.path)
            self.respond_with(document, 400 if document and "error" in document else 200)

        def respond_with(self, document, status=200):
            document = None if issuer.is_down else document
            self.respond(json.dumps(document).encode(), 503 if document is None else status)

    return OfIssuer
