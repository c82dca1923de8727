"""Digests that are not where the chain says: moved, removed, passed over, or of a range that is verified alone."""

import pytest

from headwater.records.digest import key_of
from headwater.records.verify.chain import DayRange
from tests.archives import MONDAY, TUESDAY, WEDNESDAY, three_days
from tests.unit.records.tampering import forge, move, other, remove, setting, verified

THURSDAY = "2025-11-20"
CHANGED = "Monday's digest CHANGED: sha256 is #, the digest of Tuesday says #"
LAST_CHANGED = "Wednesday's digest CHANGED: sha256 is #, the graph table says #"
LATER_EVENTS = "its events begin after Tuesday, those of the digest before"


@pytest.fixture
def archive(tmp_path):
    return three_days(tmp_path)


CHANGED_BY = "'s digest CHANGED: sha256 is #, the digest of Wednesday says #"
FAR = setting(0, sealed_at=1)
NO_DIGEST = "NOT COVERED: its day has no digest"
MOVED = {
    "the first removed": (
        lambda archive: remove(archive, key_of(MONDAY)),
        [
            "Monday's digest REMOVED: the digest of Tuesday names it",
            f"trains {NO_DIGEST}",
            f"flights {NO_DIGEST}",
        ],
    ),
    "one in the middle removed": (
        lambda archive: remove(archive, key_of(TUESDAY)),
        [
            "Tuesday's digest REMOVED: the digest of Wednesday names it",
            f"trains of Tuesday {NO_DIGEST}",
            f"ships {NO_DIGEST}",
        ],
    ),
    "the last removed": (
        lambda archive: remove(archive, key_of(WEDNESDAY)),
        ["Wednesday's digest REMOVED: the graph table names it", f"trucks {NO_DIGEST}"],
    ),
    "one moved to another day": (
        lambda archive: move(archive, key_of(WEDNESDAY), key_of(THURSDAY)),
        [
            "Wednesday's digest REMOVED: the graph table names it",
            "Thursday's digest UNLINKED: the graph table does not say that its day is sealed",
            f"trucks {NO_DIGEST}",
        ],
    ),
    "one moved aside": (
        lambda archive: move(archive, key_of(TUESDAY), key_of(TUESDAY) + ".old"),
        [
            "Tuesday's digest REMOVED: the digest of Wednesday names it",
            "Tuesday's digest.old ADDED: it is neither a digest nor a signature",
            f"trains of Tuesday {NO_DIGEST}",
            f"ships {NO_DIGEST}",
        ],
    ),
    "one passed over by the next": (
        lambda archive: forge(
            archive,
            WEDNESDAY,
            setting(0, previous={"day": MONDAY, "key": key_of(MONDAY), "sha256": archive.links[MONDAY].sha256}),
        ),
        [
            "Tuesday's digest UNLINKED: the digest of Wednesday names that of Monday instead",
            LAST_CHANGED,
            f"Wednesday's digest BAD DIGEST: {LATER_EVENTS} end with Monday",
        ],
    ),
    "a chain that begins anew": (
        lambda archive: forge(archive, WEDNESDAY, setting(0, previous=None)),
        [
            "Monday's digest UNLINKED: the digest of Wednesday names none before it",
            "Tuesday's digest UNLINKED: the digest of Wednesday names none before it",
            LAST_CHANGED,
            f"Wednesday's digest BAD DIGEST: {LATER_EVENTS} end with none",
        ],
    ),
    "a chain that begins before the first": (
        lambda archive: forge(
            archive, MONDAY, setting(0, previous={"day": "2025-11-16", "key": key_of("2025-11-16"), "sha256": "0" * 64})
        ),
        [
            "digests/year=2025/month=11/day=16/digest.jsonl.gz REMOVED: the digest of Monday names it",
            CHANGED,
        ],
    ),
    "another hash of the one before": (
        lambda archive: forge(
            archive, WEDNESDAY, setting(0, previous={"day": TUESDAY, "key": key_of(TUESDAY), "sha256": "0" * 64})
        ),
        ["Tuesday's digest CHANGED: sha256 is #, the digest of Wednesday says #", LAST_CHANGED],
    ),
    "a base that is not listed": (
        lambda archive: forge(archive, TUESDAY, setting(1, base=other(archive.objects[MONDAY][1].key))),
        [
            "Tuesday's digest CHANGED: sha256 is #, the digest of Wednesday says #",
            "Tuesday's digest BAD DIGEST: it names Monday/#.#.jsonl.gz as a base,"
            " which the digest of that day does not list",
        ],
    ),
    "all removed": (
        lambda archive: [remove(archive, key_of(day)) for day in (MONDAY, TUESDAY, WEDNESDAY)],
        [
            "Wednesday's digest REMOVED: the graph table names it",
            *(f"{name} {NO_DIGEST}" for name in ("trains", "flights", "trains of Tuesday", "ships", "trucks")),
        ],
    ),
}


@pytest.mark.parametrize(("tamper", "lines"), MOVED.values(), ids=MOVED)
def test_a_digest_that_is_not_in_its_place_breaks_the_chain(archive, tamper, lines):
    tamper(archive)

    assert verified(archive, keys=()) == lines


RANGES = {
    "the digest before the range": (lambda archive: forge(archive, TUESDAY, FAR), WEDNESDAY, [f"Tuesday{CHANGED_BY}"]),
    "one further back": (lambda archive: forge(archive, MONDAY, FAR), WEDNESDAY, []),
    "none before the range": (
        lambda archive: remove(archive, key_of(TUESDAY)),
        WEDNESDAY,
        ["Tuesday's digest NOTE: it is not there, and before the range; the digest of Wednesday names it"],
    ),
}


@pytest.mark.parametrize(("tamper", "first", "lines"), RANGES.values(), ids=RANGES)
def test_the_range_is_linked_to_the_digest_before_it_and_no_further(archive, tamper, first, lines):
    tamper(archive)

    assert verified(archive, days=DayRange(first), keys=()) == lines


def test_the_end_of_the_chain_is_followed_back_to_a_range_before_it(archive):
    forge(archive, TUESDAY, FAR)

    assert verified(archive, days=DayRange(MONDAY, MONDAY), keys=()) == [f"Tuesday{CHANGED_BY}"]


def test_a_hash_that_was_kept_of_a_ranges_last_digest_needs_nothing_after_it(archive):
    kept = archive.links[TUESDAY].sha256
    forge(archive, WEDNESDAY, setting(0, previous=None))

    assert verified(archive, days=DayRange("", TUESDAY), anchored=False, sha256=kept, keys=()) == []


def test_a_digest_that_breaks_off_early_is_hashed_to_its_end(archive):
    noise = b"".join(b"%064x\n" % (number**20 % 2**256) for number in range(20_000))
    archive.put_digest(WEDNESDAY, b"{\n" + noise)

    assert [line.partition(":")[0] for line in verified(archive, keys=())] == [
        "Wednesday's digest BAD DIGEST",
        "trucks NOT COVERED",
    ]
