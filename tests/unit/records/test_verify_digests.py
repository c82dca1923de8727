"""Tampering with the digests of an archive, and where it is found: the chain, its end, or the digest itself."""

import gzip

import pytest

from headwater.records.digest import key_of
from tests.archives import MONDAY, TUESDAY, three_days
from tests.unit.records.tampering import (
    add_entry,
    alter_size,
    counting,
    drop_entry,
    flip,
    forge,
    forge_all,
    other,
    setting,
    swap,
    twice,
    verified,
)


@pytest.fixture
def archive(tmp_path):
    return three_days(tmp_path)


CHANGED = "Monday's digest CHANGED: sha256 is #, the digest of Tuesday says #"
LAST_CHANGED = "Wednesday's digest CHANGED: sha256 is #, the graph table says #"
UNUSABLE = [
    "trains NOT COVERED: its day's digest cannot be used",
    "flights NOT COVERED: its day's digest cannot be used",
]
# Written as the seal writes: only its name shows that it is another digest.
FORGED = {
    "an entry dropped": (drop_entry, [CHANGED, "flights ADDED: the digest does not list it"]),
    "an entry added": (add_entry, [CHANGED, "Monday/#.#.jsonl.gz REMOVED: the digest lists it"]),
    "a size": (alter_size, [CHANGED, "trains CHANGED: it has 22 bytes, the digest says 23"]),
    "the time of the seal": (setting(0, sealed_at=1), [CHANGED]),
}


@pytest.mark.parametrize(("change", "lines"), FORGED.values(), ids=FORGED)
def test_a_digest_that_was_written_anew_is_not_the_one_that_the_next_one_names(archive, change, lines):
    forge(archive, MONDAY, change)

    assert verified(archive, keys=()) == lines


@pytest.mark.parametrize(("change", "lines"), FORGED.values(), ids=FORGED)
def test_a_chain_that_was_written_anew_does_not_end_as_the_graph_table_says(archive, change, lines):
    forge_all(archive, change)

    assert verified(archive, keys=()) == [LAST_CHANGED, *lines[1:]]


def test_the_end_of_a_chain_is_proved_by_a_hash_that_was_kept(archive):
    kept = archive.last().sha256
    assert verified(archive, anchored=False, sha256=kept, keys=()) == []

    forge_all(archive, setting(0, sealed_at=1))

    returned = "Wednesday's digest CHANGED: sha256 is #, who asks says #"
    assert verified(archive, anchored=False, sha256=kept, keys=()) == [returned]


def test_without_anything_that_names_the_last_digest_a_note_says_so(archive):
    forge_all(archive, setting(0, sealed_at=1))

    returned = "nothing outside the archive vouches for the chain's end; this digest's sha256 is #"
    assert verified(archive, anchored=False, keys=()) == [f"Wednesday's digest NOTE: {returned}"]


# Not as the seal writes; only the digest itself is looked at, so that one reason stands alone.
MALFORMED = {
    "entries exchanged": (swap, "object 2: key: trains is out of order, after flights"),
    "an entry twice": (twice, "object 2: key: trains is listed twice"),
    "a key of another day": (
        setting(1, key=f"traces/year=2025/month=11/day=18/{'0' * 64}.{'0' * 64}.jsonl.gz"),
        "object 1: key: must name an object of the day, got 'Tuesday/#.#.jsonl.gz'",
    ),
    "a hash that is not the key's": (
        setting(1, sha256="0" * 64),
        "object 1: sha256: must be the one in its key trains, got '#'",
    ),
    "a size below one": (
        setting(1, size_bytes=0),
        "object 1: trains has a size, a version or counts that no object has",
    ),
    "a base of the same day": (
        lambda forms: forms[1].update(base=other(forms[1]["key"])),
        "object 1: base: must be an object of the same root on an earlier day, got 'Monday/#.#.jsonl.gz'",
    ),
    "a field too many": (
        setting(1, more=1),
        "a line is not that of a digest: ArchiveObject.__init__() got an unexpected keyword argument 'more'",
    ),
    "a count": (
        counting(objects=3),
        "it counts objects 3, and lists 2",
    ),
    "no counts": (lambda forms: forms.pop(), "the digest breaks off before its counts"),
    "another day's": (setting(0, day=TUESDAY), "it is the digest of 'Tuesday'"),
    "a later version": (
        setting(0, version=5),
        "version: must be 1 to 4, got 5: a later release of Headwater can read it",
    ),
    "before it a later day": (
        setting(0, previous={"day": TUESDAY, "key": key_of(TUESDAY), "sha256": "0" * 64}),
        "previous: must be the digest of an earlier day, got 'Tuesday's digest' of 'Tuesday'",
    ),
}


@pytest.mark.parametrize(("change", "fault"), MALFORMED.values(), ids=MALFORMED)
def test_a_digest_that_no_seal_writes_covers_nothing(archive, change, fault):
    forge(archive, MONDAY, change)

    assert [line for line in verified(archive, keys=()) if line != CHANGED] == [
        f"Monday's digest BAD DIGEST: {fault}",
        *UNUSABLE,
    ]


def body_of(archive):
    return (archive.folder / key_of(MONDAY)).read_bytes()


BROKEN = {
    "a byte of its lines": (
        lambda archive: flip(archive, key_of(MONDAY), 40),
        "Error -3 while decompressing data",
    ),
    "cut off": (lambda archive: archive.put(key_of(MONDAY), body_of(archive)[:-9]), "its gzip stream breaks off"),
    "longer": (
        lambda archive: archive.put(key_of(MONDAY), body_of(archive) + body_of(archive)),
        "something follows the end of its gzip stream",
    ),
    "a line without an end": (
        lambda archive: archive.put(key_of(MONDAY), gzip.compress(gzip.decompress(body_of(archive))[:-1])),
        "its last line has no end",
    ),
    "a line without measure": (
        lambda archive: archive.put(key_of(MONDAY), gzip.compress(b" " * 10_000_000)),
        "a line has more than 65536 bytes",
    ),
    "no JSON": (lambda archive: archive.put(key_of(MONDAY), gzip.compress(b"{\n")), "a line is no JSON"),
}


@pytest.mark.parametrize(("tamper", "fault"), BROKEN.values(), ids=BROKEN)
def test_a_digest_that_cannot_be_read_covers_nothing_and_its_hash_is_compared_all_the_same(archive, tamper, fault):
    tamper(archive)

    bad, changed, *objects = verified(archive, keys=())
    assert bad.startswith("Monday's digest BAD DIGEST: ")
    assert fault in bad
    assert (changed, objects) == (CHANGED, UNUSABLE)


def test_a_byte_of_a_digest_that_says_nothing_is_found_by_its_hash(archive):
    flip(archive, key_of(MONDAY), 4)  # gzip's time

    assert verified(archive, keys=()) == [CHANGED]
