"""Tampering with the objects of an archive, and the exact findings of a verification."""

import os

import pytest

from headwater.records.removals import Removal
from headwater.records.verify.chain import DayRange
from tests.archives import MONDAY, TUESDAY, WEDNESDAY, three_days
from tests.unit.records.tampering import KEY, flip, move, remove, verified

PREFIX = "traces/year=2025/month=11"


@pytest.fixture
def archive(tmp_path):
    return three_days(tmp_path, KEY)


def flights(archive):
    return archive.objects[MONDAY][0].key


def trains(archive):
    return archive.objects[MONDAY][1].key


def exchange(archive):
    """Each of Monday's objects in the other's place: as many bytes."""
    move(archive, flights(archive), "kept")
    move(archive, trains(archive), flights(archive))
    move(archive, "kept", trains(archive))


TAMPERED = {
    "nothing": (lambda archive: None, []),
    "a byte": (
        lambda archive: flip(archive, flights(archive)),
        ["flights CHANGED: sha256 is #, the digest says #"],
    ),
    "an object removed": (lambda archive: remove(archive, flights(archive)), ["flights REMOVED: the digest lists it"]),
    "an object moved to another day": (
        lambda archive: move(archive, flights(archive), flights(archive).replace("day=17", "day=18")),
        [
            "flights REMOVED: the digest lists it",
            "Tuesday/#.#.jsonl.gz ADDED: the digest does not list it",
        ],
    ),
    "objects exchanged": (
        exchange,
        [
            "trains CHANGED: sha256 is #, the digest says #",
            "flights CHANGED: sha256 is #, the digest says #",
        ],
    ),
    "an object added": (
        lambda archive: archive.put(f"{PREFIX}/day=18/x", b"x"),
        ["Tuesday/x ADDED: the digest does not list it"],
    ),
    "an object of a day before all": (
        lambda archive: archive.put(f"{PREFIX}/day=16/x", b"x"),
        [f"{PREFIX}/day=16/x NOT COVERED: its day has no digest"],
    ),
    "an object of no day": (
        lambda archive: archive.put(f"{PREFIX}/day=31/x", b"x"),
        [f"{PREFIX}/day=31/x ADDED: no object of the archive has such a key"],
    ),
    "objects beside the days": (
        lambda archive: [archive.put(key, b"x") for key in ("traces/x", "traces/zoo", f"{PREFIX}/day=17.x")],
        [
            "traces/x ADDED: no object of the archive has such a key",
            "Monday.x ADDED: no object of the archive has such a key",
            "traces/zoo ADDED: no object of the archive has such a key",
        ],
    ),
    "objects of days that are not sealed yet": (
        lambda archive: [archive.put(f"{PREFIX}/day={day}", b"x") for day in ("20/x", "20/y", "21/x")],
        [
            "Thursday/ NOTE: objects that are not sealed yet: 2",
            f"{PREFIX}/day=21/ NOTE: objects that are not sealed yet: 1",
        ],
    ),
    "a file instead of an object's folder": (
        lambda archive: [remove(archive, flights(archive)), (archive.folder / flights(archive)).mkdir()],
        ["flights REMOVED: the digest lists it"],
    ),
    "a link that leads nowhere": (
        lambda archive: [remove(archive, flights(archive)), os.symlink("nowhere", archive.folder / flights(archive))],
        ["flights REMOVED: the digest lists it"],
    ),
}


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize(("tamper", "lines"), TAMPERED.values(), ids=TAMPERED)
def test_whatever_was_done_to_objects_is_found(archive, tamper, lines, jobs):
    tamper(archive)

    assert verified(archive, jobs=jobs) == lines


RANGES = {
    "Tuesday": (DayRange(TUESDAY, TUESDAY), ["ships"]),
    "from Tuesday": (DayRange(TUESDAY), ["ships", "trucks", "Thursday/ NOTE: objects that are not sealed yet: 1"]),
    "to Tuesday": (
        DayRange("", TUESDAY),
        ["traces/x ADDED: no object of the archive has such a key", "flights", "ships"],
    ),
    "from Wednesday to Thursday": (
        DayRange(WEDNESDAY, "2025-11-20"),
        ["trucks", "Thursday/ NOTE: objects that are not sealed yet: 1"],
    ),
    "after all": (DayRange("2025-11-20"), ["Thursday/ NOTE: objects that are not sealed yet: 1"]),
}


@pytest.mark.parametrize(("days", "lines"), RANGES.values(), ids=RANGES)
def test_only_objects_of_the_range_are_compared(archive, days, lines):
    for key in (flights(archive), archive.objects[TUESDAY][1].key, archive.objects[WEDNESDAY][0].key):
        flip(archive, key)
    archive.put("traces/x", b"x")
    archive.put(f"{PREFIX}/day=20/x", b"x")

    returned = [line.removesuffix(" CHANGED: sha256 is #, the digest says #") for line in verified(archive, days=days)]
    assert returned == lines


def test_an_object_that_a_later_digest_lists_as_removed_by_order_may_be_missing(archive):
    remove(archive, flights(archive))
    removals = [Removal(flights(archive), 1_763_800_000)]
    archive.seal("2025-11-20", removed=removals)
    note = "Thursday's digest NOTE: it lists objects that were removed by order: 1"

    assert verified(archive) == [note]
    assert verified(archive, days=DayRange(MONDAY, MONDAY)) == [note]
    remove(archive, trains(archive))
    assert verified(archive) == [note, "trains REMOVED: the digest lists it"]
    flip(archive, archive.objects[TUESDAY][0].key)
    archive.put(flights(archive), b"forged")
    assert "flights CHANGED: it has 6 bytes, the digest says 22" in verified(archive)
