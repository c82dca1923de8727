"""The local stack's changes to moto's KMS; see `local.moto_patches`."""

from __future__ import annotations

import base64
import json
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed
from moto.kms.responses import KmsResponse
from moto.kms.utils import ECDSAPrivateKey

_stock_param = KmsResponse._get_param
_stock_sign = ECDSAPrivateKey.sign
_stock_verify = ECDSAPrivateKey.verify
_AS_IT_IS = ec.ECDSA(Prehashed(hashes.SHA256()))


class _Digest(bytes):
    """A message that is a digest."""


def sign_digests_as_they_are() -> None:
    """Let Sign and Verify use a message of MessageType DIGEST as the hash; moto hashes it again."""

    def get_param(self: KmsResponse, param_name: str, if_none: Any = None) -> Any:
        request = json.loads(self.body)
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
