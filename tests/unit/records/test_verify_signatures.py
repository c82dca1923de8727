"""Signatures of digests: who may write to the archive may forge its digests, but not sign them."""

import json
from base64 import b64decode, b64encode

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key as generate_rsa_key

from headwater.records.digest import key_of
from headwater.records.signatures import signature_key_of
from headwater.records.verify.chain import DayRange
from headwater.records.verify.public_keys import parse_public_key
from headwater_model.errors import Invalid
from tests.archives import MONDAY, TUESDAY, WEDNESDAY, pem_of, three_days
from tests.unit.records.tampering import KEY, forge, forge_all, remove, setting, sign, verified

OTHER_KEY = generate_private_key(SECP256R1())
OF_OTHER_KEY = "BAD SIGNATURE: it says the key arn:key, and is of none of: key 0"
OF_ANOTHER_DIGEST = "BAD SIGNATURE: it is of the SHA-256 #, the digest's is #"


@pytest.fixture
def archive(tmp_path):
    return three_days(tmp_path, KEY)


def set_fields(archive, **changes):
    """Monday's signature with other values, written as signatures are."""
    form = json.loads((archive.folder / signature_key_of(MONDAY)).read_bytes())
    archive.put(signature_key_of(MONDAY), json.dumps({**form, **changes}, separators=(",", ":")).encode())


def other_half(archive):
    """The signature's bytes with one bit changed."""
    form = json.loads((archive.folder / signature_key_of(MONDAY)).read_bytes())
    signature = bytearray(b64decode(form["signature"]))
    signature[-1] ^= 1
    return b64encode(signature).decode()


TAMPERED = {
    "nothing": (lambda archive: None, []),
    "altered": (
        lambda archive: set_fields(archive, signature=other_half(archive)),
        [f"Monday's signature {OF_OTHER_KEY}"],
    ),
    "of another key": (
        lambda archive: sign(archive, MONDAY, key=OTHER_KEY),
        [f"Monday's signature {OF_OTHER_KEY}"],
    ),
    "of another day": (
        lambda archive: archive.put(signature_key_of(MONDAY), archive.signature(TUESDAY, KEY)),
        [f"Monday's signature {OF_ANOTHER_DIGEST}"],
    ),
    "of another algorithm": (
        lambda archive: set_fields(archive, algorithm="NONE"),
        ["Monday's signature BAD SIGNATURE: it is not written as signatures are"],
    ),
    "of a later version": (
        lambda archive: set_fields(archive, version=2),
        ["Monday's signature BAD SIGNATURE: version: must be 1, got 2: a later release can read it"],
    ),
    "no JSON": (
        lambda archive: archive.put(signature_key_of(MONDAY), b"{"),
        [
            "Monday's signature BAD SIGNATURE: it is not the form of a signature"
            " (unexpected end of data: line 1 column 2 (char 1))"
        ],
    ),
    "enormous": (
        lambda archive: archive.put(signature_key_of(MONDAY), b" " * 20_000),
        [
            "Monday's signature ADDED: it is neither a digest nor a signature",
        ],
    ),
    "removed in the middle": (
        lambda archive: remove(archive, signature_key_of(TUESDAY)),
        ["Tuesday's signature NOT SIGNED: the digest has no signature"],
    ),
    "left behind by its digest": (
        lambda archive: remove(archive, key_of(WEDNESDAY)),
        [
            "Wednesday's digest REMOVED: the graph table names it",
            "Wednesday's signature ADDED: there is no digest that it signs",
            "trucks NOT COVERED: its day has no digest",
        ],
    ),
    "of a digest that was forged": (
        lambda archive: forge(archive, WEDNESDAY, setting(0, sealed_at=1)),
        [
            "Wednesday's digest CHANGED: sha256 is #, the graph table says #",
            f"Wednesday's signature {OF_ANOTHER_DIGEST}",
        ],
    ),
}


@pytest.mark.parametrize(("tamper", "lines"), TAMPERED.values(), ids=TAMPERED)
def test_whatever_was_done_to_signatures_is_found(archive, tamper, lines):
    tamper(archive)

    assert verified(archive) == lines


def test_a_chain_that_was_written_anew_has_no_good_signature_even_where_nothing_else_names_its_end(archive):
    forge_all(archive, setting(0, sealed_at=1))
    sign(archive, MONDAY, TUESDAY, WEDNESDAY, key=OTHER_KEY)

    *signatures, note = sorted(verified(archive, anchored=False), key=lambda line: " NOTE: " in line)
    assert signatures == [f"{day}'s signature {OF_OTHER_KEY}" for day in ("Monday", "Tuesday", "Wednesday")]
    assert note.startswith("Wednesday's digest NOTE: ")


def test_days_before_the_first_signature_need_none(tmp_path):
    archive = three_days(tmp_path)
    sign(archive, WEDNESDAY)

    assert verified(archive) == []


def test_days_outside_the_range_need_no_signature(archive):
    remove(archive, signature_key_of(TUESDAY))

    assert verified(archive, days=DayRange(WEDNESDAY)) == []
    assert verified(archive, days=DayRange("", MONDAY)) == []


def test_a_day_that_is_being_sealed_needs_no_signature_yet(archive):
    remove(archive, signature_key_of(WEDNESDAY))
    archive.last = lambda: archive.links[TUESDAY]

    returned = "the graph table does not name it as the last yet: is it being sealed?"
    assert verified(archive) == [f"Wednesday's digest NOTE: {returned}"]


def test_a_signature_of_any_trusted_key_is_good(archive):
    sign(archive, MONDAY, key=OTHER_KEY)

    assert verified(archive, keys=(KEY, OTHER_KEY)) == []


def test_without_a_public_key_a_note_says_what_was_not_checked(archive):
    assert verified(archive, keys=()) == ["digests/ NOTE: signatures that were not checked, without a public key: 3"]


@pytest.mark.parametrize("key", [b"", b"-----BEGIN PUBLIC KEY-----", b"\x30\x00"])
def test_what_is_no_public_key_is_refused(key):
    with pytest.raises(Invalid, match="public key: must be PEM or DER"):
        parse_public_key("key.pem", key)


def test_a_key_of_another_kind_is_refused():
    with pytest.raises(Invalid, match=r"public key: must be one of an elliptic curve, got 'key\.pem'"):
        parse_public_key("key.pem", pem_of(generate_rsa_key(65537, 2048)))
