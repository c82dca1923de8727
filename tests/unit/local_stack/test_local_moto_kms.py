"""Our changes of moto's KMS, beside the stock behaviour: a new moto that changes either is noticed here."""

from __future__ import annotations

import hashlib

import boto3
import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from moto import mock_aws
from moto.kms import models as kms_models
from moto.kms.responses import KmsResponse
from moto.kms.utils import ECDSAPrivateKey

from local_stack.aws import moto_kms

BODY = b"a digest, as it lies in the bucket"
SHA256 = hashlib.sha256(BODY).digest()


@pytest.fixture(autouse=True)
def stock(monkeypatch):
    """Every test begins and ends with moto as it was."""
    for owner, name, was in (
        (KmsResponse, "_get_param", moto_kms._stock_param),
        (ECDSAPrivateKey, "sign", moto_kms._stock_sign),
        (ECDSAPrivateKey, "verify", moto_kms._stock_verify),
        (kms_models, "generate_private_key", moto_kms._stock_generate),
    ):
        monkeypatch.setattr(owner, name, was)


@pytest.fixture
def kms(monkeypatch):
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    with mock_aws():
        yield boto3.client("kms", "us-east-1", aws_access_key_id="k", aws_secret_access_key="s")


@pytest.fixture
def key(kms):
    key_id = kms.create_key(KeySpec="ECC_NIST_P256", KeyUsage="SIGN_VERIFY")["KeyMetadata"]["KeyId"]
    return {"KeyId": key_id, "SigningAlgorithm": "ECDSA_SHA_256"}


def is_signature_of_the_body(kms, key, signature):
    public = serialization.load_der_public_key(kms.get_public_key(KeyId=key["KeyId"])["PublicKey"])
    try:
        public.verify(signature, BODY, ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        return False
    return True


def test_stock_moto_hashes_a_digest_once_more(kms, key):
    signed = kms.sign(**key, Message=SHA256, MessageType="DIGEST")["Signature"]
    assert not is_signature_of_the_body(kms, key, signed)


def test_a_digest_is_signed_as_it_is(kms, key):
    moto_kms.sign_digests_as_they_are()
    signed = kms.sign(**key, Message=SHA256, MessageType="DIGEST")["Signature"]
    assert is_signature_of_the_body(kms, key, signed)
    returned = {**key, "Signature": signed}
    assert kms.verify(**returned, Message=SHA256, MessageType="DIGEST")["SignatureValid"]
    assert kms.verify(**returned, Message=BODY)["SignatureValid"]
    assert not kms.verify(**returned, Message=SHA256[::-1], MessageType="DIGEST")["SignatureValid"]


def test_a_message_is_still_hashed(kms, key):
    moto_kms.sign_digests_as_they_are()
    signed = kms.sign(**key, Message=BODY)["Signature"]
    assert is_signature_of_the_body(kms, key, signed)


def test_symmetric_keys_share_a_private_key_that_decides_nothing(kms):
    moto_kms.make_no_private_key_for_symmetric_keys()
    symmetric, other = (kms_models.Key(None, "", "", "", "1", "us-east-1") for _ in range(2))
    assert symmetric.private_key is other.private_key
    first, second = (kms.create_key()["KeyMetadata"]["KeyId"] for _ in range(2))
    sealed = kms.encrypt(KeyId=first, Plaintext=BODY)["CiphertextBlob"]
    assert kms.decrypt(CiphertextBlob=sealed)["Plaintext"] == BODY
    assert kms.encrypt(KeyId=second, Plaintext=BODY)["CiphertextBlob"] != sealed


def test_keys_that_sign_have_a_private_key_each(kms, key):
    moto_kms.make_no_private_key_for_symmetric_keys()
    second = kms.create_key(KeySpec="ECC_NIST_P256", KeyUsage="SIGN_VERIFY")["KeyMetadata"]["KeyId"]
    first_public, second_public = (kms.get_public_key(KeyId=name)["PublicKey"] for name in (key["KeyId"], second))
    assert first_public != second_public
