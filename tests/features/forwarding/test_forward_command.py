"""`headwater forward`: days announced again, and an interruption between them."""

import pytest

from headwater.features.forwarding.command import announce_days
from headwater.loading.event_log import StoredLines

DAYS = ["2025-11-19", "2025-11-20", "2025-11-21"]


class Log:
    """A raw log with two objects a day."""

    def keys_by_arrival(self, day):
        return [f"{day}/late", f"{day}/early"]

    def stored_lines(self, key):
        return StoredLines(key, [{}])


class Announcer:
    """An announcer that is interrupted at an object."""

    def __init__(self, stop=None):
        self.stop, self.keys = stop, []

    def announce(self, stored):
        if stored.key == self.stop:
            raise KeyboardInterrupt
        self.keys.append(stored.key)
        return len(stored.documents)


def test_objects_are_announced_in_the_order_of_their_arrival(tmp_path, capsys):
    announcer = Announcer()
    announce_days(Log(), announcer, DAYS[:2], tmp_path / "forward" / "state.json")
    assert announcer.keys == ["2025-11-19/late", "2025-11-19/early", "2025-11-20/late", "2025-11-20/early"]
    assert capsys.readouterr().out.splitlines() == [
        "2025-11-19: 2 events announced",
        "2025-11-20: 2 events announced",
        "4 events announced",
    ]


def test_after_an_interruption_the_interrupted_day_comes_again_and_no_day_before_it(tmp_path):
    state_file = tmp_path / "forward" / "state.json"
    with pytest.raises(KeyboardInterrupt):
        announce_days(Log(), Announcer("2025-11-20/early"), DAYS, state_file)
    announcer = Announcer()
    announce_days(Log(), announcer, DAYS, state_file)
    assert announcer.keys == [f"{day}/{name}" for day in DAYS[1:] for name in ("late", "early")]
    assert not state_file.exists()
