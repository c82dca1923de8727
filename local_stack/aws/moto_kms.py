"""The local stack's changes to moto's KMS; see `local_stack.aws.moto_patches`."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from functools import cache
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed
from moto.kms import models as kms_models
from moto.kms.responses import KmsResponse
from moto.kms.utils import AbstractPrivateKey, ECDSAPrivateKey

_stock_param = KmsResponse._get_param
_stock_sign = ECDSAPrivateKey.sign
_stock_verify = ECDSAPrivateKey.verify
_stock_generate: Callable[[str], AbstractPrivateKey] = vars(kms_models)["generate_private_key"]
_AS_IT_IS = ec.ECDSA(Prehashed(hashes.SHA256()))


class _Digest(bytes):
    """A message that is a digest."""


def sign_digests_as_they_are() -> None:
    """Let Sign and Verify use a message of MessageType DIGEST as the hash; moto hashes it again."""

    def get_param(self: KmsResponse, param_name: str, if_none: Any = None) -> Any:
        request = json.loads(self.body)
        # The type marks the message on its way through moto to the key.
        if param_name == "Message" and request.get("MessageType") == "DIGEST":
            return _Digest(base64.b64decode(request["Message"]))
        return _stock_param(self, param_name, if_none)

    def sign(self: ECDSAPrivateKey, message: bytes, signing_algorithm: str) -> bytes:
        if isinstance(message, _Digest):
            signed: bytes = self.private_key.sign(message, _AS_IT_IS)
            return signed
        return _stock_sign(self, message, signing_algorithm)

    def verify(self: ECDSAPrivateKey, message: bytes, signature: bytes, signing_algorithm: str) -> bool:
        if not isinstance(message, _Digest):
            return _stock_verify(self, message, signature, signing_algorithm)
        try:
            self.private_key.public_key().verify(signature, message, _AS_IT_IS)
        except InvalidSignature:
            return False
        return True

    KmsResponse._get_param = get_param  # type: ignore[method-assign]
    ECDSAPrivateKey.sign = sign  # type: ignore[method-assign]
    ECDSAPrivateKey.verify = verify  # type: ignore[method-assign]


def make_no_private_key_for_symmetric_keys() -> None:
    """Let symmetric keys share an unused private key; moto makes an RSA key for each: 0.1 s."""

    @cache
    def shared_private_key(key_spec: str) -> AbstractPrivateKey:
        return _stock_generate(key_spec)

    def generate_private_key(key_spec: str) -> AbstractPrivateKey:
        generate = shared_private_key if key_spec == "SYMMETRIC_DEFAULT" else _stock_generate
        return generate(key_spec)

    vars(kms_models)["generate_private_key"] = generate_private_key
