"""Checks of digests' signatures against public keys, without any call to AWS."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_der_public_key, load_pem_public_key

from headwater.records.signatures import BadSignature, Signature, parse_signature
from headwater_model.errors import Invalid


@dataclass(frozen=True, slots=True)
class PublicKeys:
    """The trusted keys by name; a signature must be by a trusted key."""

    keys: Sequence[tuple[str, EllipticCurvePublicKey]]

    def fault_of(self, body: bytes, digest_sha256: str) -> str:
        """Find the fault of a digest's signature; empty if it is good."""
        try:
            signature = parse_signature(body)
        except BadSignature as error:
            return str(error)
        if signature.digest_sha256 != digest_sha256:
            return f"it is of the SHA-256 {signature.digest_sha256}, the digest's is {digest_sha256}"
        if any(_is_of(key, signature) for _, key in self.keys):
            return ""
        return f"it says the key {signature.key_id}, and is of none of: {', '.join(name for name, _ in self.keys)}"


def parse_public_key(name: str, key: bytes) -> tuple[str, EllipticCurvePublicKey]:
    """Parse a public key in PEM or DER (as KMS gives it), beside its name. Raises `Invalid`."""
    try:
        parsed = load_pem_public_key(key) if key.lstrip().startswith(b"-----") else load_der_public_key(key)
    except (ValueError, UnsupportedAlgorithm) as error:
        raise Invalid.because("public key", name, f"must be PEM or DER ({error})") from error
    if not isinstance(parsed, EllipticCurvePublicKey):
        raise Invalid.because("public key", name, "must be one of an elliptic curve")
    return name, parsed


def _is_of(key: EllipticCurvePublicKey, signature: Signature) -> bool:
    try:
        key.verify(signature.signature, bytes.fromhex(signature.digest_sha256), ECDSA(Prehashed(SHA256())))
    except InvalidSignature:
        return False
    return True
