"""Signatures of digests, beside the digests in the archive bucket: a key, held by KMS alone, signs the SHA-256.

    digests/year=2026/month=11/day=20/digest.sig.json

    {"version": 1, "digest_sha256", "algorithm": "ECDSA_SHA_256", "key_id", "signature"}

`signature` is base64 of the DER form, which OpenSSL reads without this code. `key_id` names the key to try; it is not
signed, and proves nothing.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error as BadBase64
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

import orjson

from headwater.aws.objects import put_new
from headwater.records.digest import key_of
from headwater_model.errors import HeadwaterError

if TYPE_CHECKING:
    from mypy_boto3_kms import KMSClient
    from mypy_boto3_s3 import S3Client

    from headwater.records.archive_state import DigestRef

VERSION = 1
ALGORITHM: Final = "ECDSA_SHA_256"


class BadSignature(HeadwaterError):
    """A signature in an unknown form, or of a later version."""


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature of a digest's SHA-256 (in hex) by a key."""

    digest_sha256: str
    key_id: str
    signature: bytes


def signature_key_of(day: str) -> str:
    """Build the key of the signature of the day's digest.

    >>> signature_key_of("2026-11-20")
    'digests/year=2026/month=11/day=20/digest.sig.json'
    """
    return key_of(day).replace("digest.jsonl.gz", "digest.sig.json")


def render_signature(signature: Signature) -> bytes:
    """Render the signature as JSON."""
    form = {"version": VERSION, "algorithm": ALGORITHM, **asdict(signature)}
    return orjson.dumps({**form, "signature": b64encode(signature.signature).decode()})


def parse_signature(body: bytes) -> Signature:
    """Parse a signature, equal to `render_signature`'s to the byte. Raises `BadSignature`."""
    try:
        form = orjson.loads(body)
        if form["version"] != VERSION:
            raise BadSignature(f"version: must be {VERSION}, got {form['version']!r}: a later release can read it")
        signature = Signature(form["digest_sha256"], form["key_id"], b64decode(form["signature"], validate=True))
        canonical = render_signature(signature)
    except BadBase64 as error:
        raise BadSignature("it is not the form of a signature (signature: must be base64)") from error
    except (orjson.JSONDecodeError, orjson.JSONEncodeError, KeyError, TypeError, ValueError) as error:
        raise BadSignature(f"it is not the form of a signature ({error})") from error
    if canonical != body:
        raise BadSignature("it is not written as signatures are")
    return signature


@dataclass(frozen=True, slots=True)
class Signatures:
    """The signatures of digests by one key, an elliptic curve key of P-256."""

    s3: S3Client
    bucket: str
    kms: KMSClient
    key_id: str

    def put(self, link: DigestRef) -> None:
        """Sign the digest, unless it has a signature already."""
        response = self.kms.sign(
            KeyId=self.key_id,
            Message=bytes.fromhex(link.sha256),
            MessageType="DIGEST",
            SigningAlgorithm=ALGORITHM,
        )
        signature = Signature(link.sha256, response["KeyId"], response["Signature"])
        key, body = signature_key_of(link.day), render_signature(signature)
        put_new(self.s3, self.bucket, key, body, content_type="application/json")
