"""Faults that `headwater replay` prints of events that cannot be loaded, and counts after an interruption."""

import pytest

from headwater.cli.replay import _replay
from headwater.events.naming import NamingRules
from headwater.loading.replay import Replay
from headwater.loading.screens import NO_SCREENS

DAYS = ["2025-11-19", "2025-11-20", "2025-11-21"]
FAILED_A_DAY = 30


class Log:
    """A raw log with one object a day."""

    def keys_of(self, day):
        return [day]


@pytest.fixture
def replayed(monkeypatch, tmp_path):
    """Replays the days up to one on which the command is interrupted."""

    def replay_until(stop):
        def replay(keys, log, rules, screens, exclusion):
            if keys == [stop]:
                raise KeyboardInterrupt
            yield Replay(1, 100, tuple(f"{keys[0]} event {number}: too large" for number in range(FAILED_A_DAY)))

        monkeypatch.setattr("headwater.loading.replay.replay", replay)
        return _replay(Log(), NamingRules(), NO_SCREENS, DAYS, tmp_path / "replay" / "state.json")

    return replay_until


def test_every_event_that_failed_is_a_line(replayed, capsys):
    assert replayed(None) == 3 * FAILED_A_DAY
    printed = capsys.readouterr()
    assert printed.err.splitlines() == [
        f"! {day} event {number}: too large" for day in DAYS for number in range(FAILED_A_DAY)
    ]
    assert printed.out == "300 events of 3 days loaded, 90 failed\n"


def test_events_that_failed_before_an_interruption_still_count_after_it(replayed, capsys):
    with pytest.raises(KeyboardInterrupt):
        replayed("2025-11-21")
    assert replayed(None) == 3 * FAILED_A_DAY
    assert capsys.readouterr().out == "100 events of 1 days loaded, 90 failed\n"
    assert replayed(None) == 3 * FAILED_A_DAY  # from the beginning
