"""Digests signed by a key of KMS, and checked against its public half without it."""

import json
import subprocess
from base64 import b64decode

import boto3
import pytest

from headwater import settings
from headwater.cli.main import main
from headwater.records.digest import key_of
from headwater.records.signatures import Signatures, parse_signature, signature_key_of
from lambdas import wiring
from tests.builders import DAY, a_message


@pytest.fixture
def key(cloud, monkeypatch):
    """A key that signs, as the stack makes it, and the functions' variable that names it."""
    signing_key = boto3.client("kms").create_key(KeySpec="ECC_NIST_P256", KeyUsage="SIGN_VERIFY")["KeyMetadata"]
    monkeypatch.setenv(settings.SIGNING_KEY, signing_key["Arn"])
    return signing_key["Arn"]


@pytest.fixture
def sealed(cloud, key):
    """A sealed and signed day."""
    cloud.load(a_message())
    cloud.compact(DAY)
    return cloud


def test_the_seal_signs_the_digest(sealed, key):
    files = sealed.objects("digests/")

    signature = parse_signature(files[signature_key_of(DAY)])
    assert (signature.key_id, signature.digest_sha256) == (key, wiring.archive_state().last().sha256)
    assert list(files) == [key_of(DAY), signature_key_of(DAY)]


def test_openssl_alone_checks_a_signature(sealed, key, tmp_path):
    files = sealed.objects("digests/")
    (tmp_path / "digest").write_bytes(files[key_of(DAY)])
    (tmp_path / "signature").write_bytes(b64decode(json.loads(files[signature_key_of(DAY)])["signature"]))
    (tmp_path / "key").write_bytes(boto3.client("kms").get_public_key(KeyId=key)["PublicKey"])

    command = "openssl dgst -sha256 -verify key -keyform DER -signature signature digest"
    done = subprocess.run(command.split(), cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "Verified OK\n")


def test_a_digest_is_signed_once(sealed, key):
    before = sealed.objects("digests/")

    other = boto3.client("kms").create_key(KeySpec="ECC_NIST_P256", KeyUsage="SIGN_VERIFY")["KeyMetadata"]["Arn"]
    for signing in (key, other):
        bucket = sealed.outputs["ArchiveBucketName"]
        Signatures(sealed.s3, bucket, boto3.client("kms"), signing).put(wiring.archive_state().last())
    assert sealed.objects("digests/") == before


def test_the_stacks_own_key_is_the_one_that_is_trusted(sealed, key, tmp_path, monkeypatch, capsys):
    sealed.deploy(SigningKeyArn=key)
    monkeypatch.chdir(tmp_path)

    assert main(["verify"]) == 0
    assert "NOTE" not in capsys.readouterr().out


def test_a_signature_of_another_key_of_the_account_is_not_trusted(sealed, tmp_path, monkeypatch, capsys):
    other = boto3.client("kms").create_key(KeySpec="ECC_NIST_P256", KeyUsage="SIGN_VERIFY")["KeyMetadata"]["Arn"]
    sealed.deploy(SigningKeyArn=other)
    monkeypatch.chdir(tmp_path)

    assert main(["verify"]) == 1
    assert f"{signature_key_of(DAY)}  BAD SIGNATURE: it says the key" in capsys.readouterr().out
