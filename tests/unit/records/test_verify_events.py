"""The raw log of events, which the same digests cover: what was done to it, and what a verification then says."""

import pytest

from headwater.records.verify.chain import DayRange
from tests.archives import MONDAY, TUESDAY, WEDNESDAY, FolderArchive, three_days
from tests.unit.records.tampering import KEY, flip, forge, move, setting, verified

PREFIX = "events/year=2025/month=11"
THURSDAY = "2025-11-20"


@pytest.fixture
def archive(tmp_path):
    return three_days(tmp_path, KEY, events=True)


def start(archive):
    return archive.events[MONDAY][0].key


TAMPERED = {
    "an object moved to another day": (
        lambda archive: move(archive, start(archive), start(archive).replace("day=17", "day=18")),
        [
            "start REMOVED: the digest lists it",
            "events of Tuesday/#.jsonl.gz ADDED: the digest does not list it",
        ],
    ),
    "an object added on a day without events": (
        lambda archive: archive.put(f"{PREFIX}/day=19/{'0' * 64}.jsonl.gz", b"x"),
        ["events of Wednesday/#.jsonl.gz ADDED: the digest does not list it"],
    ),
    "a day before all": (
        lambda archive: archive.put(f"{PREFIX}/day=16/{'0' * 64}.jsonl.gz", b"x"),
        [f"{PREFIX}/day=16/#.jsonl.gz ADDED: the digest does not list it"],
    ),
    "files that no loader writes": (
        lambda archive: [archive.put(f"{PREFIX}/day={place}", b"x") for place in ("17/x", "18/0/x", "17.x", "31/x")],
        [
            "events of Monday.x ADDED: no object of the archive has such a key",
            "events of Monday/x ADDED: the digest does not list it",
            "events of Tuesday/0/x ADDED: the digest does not list it",
            f"{PREFIX}/day=31/x ADDED: no object of the archive has such a key",
        ],
    ),
    "events of days that are not sealed yet": (
        lambda archive: [archive.arrive(THURSDAY, text) for text in ("a\n", "b\n")],
        ["events of Thursday/ NOTE: objects that are not sealed yet: 2"],
    ),
    "bodies, which are copies": (lambda archive: archive.put("events/bodies/x.json.gz", b"x"), []),
}


@pytest.mark.parametrize(("tamper", "lines"), TAMPERED.values(), ids=TAMPERED)
def test_whatever_was_done_to_events_is_found(archive, tamper, lines):
    tamper(archive)

    assert sorted(verified(archive)) == sorted(lines)


RANGES = {
    "Monday": (DayRange(MONDAY, MONDAY), ["start"]),
    "Tuesday": (DayRange(TUESDAY, TUESDAY), ["complete", "fail"]),
    "to Tuesday": (DayRange("", TUESDAY), ["start", "complete", "fail"]),
    "from Wednesday": (DayRange(WEDNESDAY), ["events of Thursday/ NOTE: objects that are not sealed yet: 1"]),
}


@pytest.mark.parametrize(("days", "lines"), RANGES.values(), ids=RANGES)
def test_only_events_that_digests_of_the_range_cover_are_compared(archive, days, lines):
    for event in (*archive.events[MONDAY], *archive.events[TUESDAY]):
        flip(archive, event.key)
    archive.arrive(THURSDAY)

    returned = [line.removesuffix(" CHANGED: sha256 is #, the digest says #") for line in verified(archive, days=days)]
    assert returned == lines


def test_a_day_that_is_sealed_before_its_end_leaves_its_events_to_the_next_digest(tmp_path):
    archive = FolderArchive(tmp_path, KEY)
    archive.arrive(MONDAY)
    archive.arrive(TUESDAY, "COMPLETE\n")
    archive.arrive(TUESDAY, "FAIL\n")
    archive.seal(TUESDAY, events_to=MONDAY)
    assert verified(archive) == ["events of Tuesday/ NOTE: objects that are not sealed yet: 2"]

    archive.seal(WEDNESDAY)
    flip(archive, archive.events[TUESDAY][1].key)
    changed = ["fail CHANGED: sha256 is #, the digest says #"]
    assert (verified(archive), verified(archive, days=DayRange(WEDNESDAY))) == (changed, changed)
    assert verified(archive, days=DayRange("", TUESDAY)) == []


def as_version_1(forms):
    """A digest as releases wrote it that knew no events."""
    forms[0].update(version=1)
    del forms[0]["events"]
    forms[:] = [form for form in forms if "event_object" not in form]
    del forms[-1]["counts"]["event_objects"], forms[-1]["counts"]["event_bytes"]


def test_digests_of_before_there_were_events_in_them_are_read_and_the_next_covers_all_since(tmp_path):
    archive = FolderArchive(tmp_path)
    archive.arrive(MONDAY)
    archive.trace(MONDAY, "flights")
    archive.seal(MONDAY)
    forge(archive, MONDAY, as_version_1)
    archive.put_digest(MONDAY, archive.lines_of(MONDAY))
    assert verified(archive, keys=()) == ["events of Monday/ NOTE: objects that are not sealed yet: 1"]

    archive.events_to = ""
    archive.seal(TUESDAY)
    assert verified(archive, keys=()) == []
    flip(archive, archive.events[MONDAY][0].key)
    assert verified(archive, keys=()) == ["start CHANGED: sha256 is #, the digest says #"]


def last_event(forms):
    return next(form["event_object"] for form in reversed(forms) if "event_object" in form)


def an_event(**changes):
    return lambda forms: last_event(forms).update(changes)


def first_of_all(forms):
    forms.insert(1, forms.pop(-3))


MALFORMED = {
    "an event of another day": (
        an_event(key=f"{PREFIX}/day=19/{'0' * 64}.jsonl.gz"),
        "event object 2: key: must name an object of a day of arrival that the digest covers,"
        " got 'events of Wednesday/#.jsonl.gz'",
    ),
    "an event that is a trace": (
        an_event(key=f"traces/year=2025/month=11/day=18/{'0' * 64}.jsonl.gz"),
        "event object 2: key: must name an object of a day of arrival that the digest covers, got 'Tuesday/#.jsonl.gz'",
    ),
    "an event of another hash": (
        an_event(sha256="0" * 64),
        "event object 2: sha256: must be the one in its key {last}, got '#'",
    ),
    "an event without bytes": (an_event(size_bytes=0), "event object 2: {last} has a size that no object has"),
    "an event of a size that is text": (
        an_event(size_bytes="26"),
        "event object 2: key and sha256 must be text, size_bytes a number",
    ),
    "an event twice": (
        lambda forms: forms.insert(-1, {"event_object": dict(last_event(forms))}),
        "event object 3: key: {last} is listed twice",
    ),
    "an event dropped": (lambda forms: forms.pop(-3), "it counts event_objects 2, and lists 1"),
    "events before traces": (first_of_all, "object 1: comes after those of events"),
    "days that are none": (setting(0, events={"after": MONDAY, "to": "soon"}), "events: must name days"),
    "days that are numbers": (setting(0, events={"after": 1, "to": 2}), "events: must name days"),
    "days that go back": (
        setting(0, events={"after": TUESDAY, "to": MONDAY}),
        "events: must be of days up to Tuesday, got after 'Tuesday' to 'Monday'",
    ),
    "days that are not over": (
        setting(0, events={"after": MONDAY, "to": WEDNESDAY}),
        "events: must be of days up to Tuesday, got after 'Monday' to 'Wednesday'",
    ),
}


@pytest.mark.parametrize(("change", "fault"), MALFORMED.values(), ids=MALFORMED)
def test_events_that_no_seal_writes_make_a_bad_digest(archive, change, fault):
    names = sorted((event.key, name) for event, name in zip(archive.events[TUESDAY], ("complete", "fail"), strict=True))
    forge(archive, TUESDAY, change)

    bad = [line for line in verified(archive, keys=()) if "BAD DIGEST" in line]
    assert bad == [f"Tuesday's digest BAD DIGEST: {fault.format(last=names[-1][1])}"]


def test_days_of_arrival_that_a_digest_passes_by_are_found(archive):
    forge(archive, TUESDAY, lambda forms: [setting(0, events={"after": TUESDAY, "to": TUESDAY})(forms), drop(forms)])

    returned = "its events begin after Tuesday, those of the digest before end with Monday"
    assert f"Tuesday's digest BAD DIGEST: {returned}" in verified(archive)


def drop(forms):
    forms[:] = [form for form in forms if "event_object" not in form]
    forms[-1]["counts"].update(event_objects=0, event_bytes=0)
