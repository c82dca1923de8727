"""The context values of retention: days by kind of history."""

from __future__ import annotations

from collections.abc import Mapping

from infra.context_values import Reader, integer, or_none

# By kind, as `headwater.facts.kept` names them.
_KINDS = {"events": "events_days", "tests": "tests_days", "runs": "runs_days", "streams": "streams_days"}
NAMES = tuple(_KINDS.values())
# For `infra.check`.
EXAMPLES = ({"events_days": 400, "tests_days": 90}, {"runs_days": 400, "streams_days": 30})
# Events of a day arrive until its end, and are sealed in the night after it.
_LEAST, _MOST = 7, 36_500


def read(reader: Reader) -> Mapping[str, int] | None:
    """Read the days by kind; None where all history stays. Rows of streams go with their runs at the latest."""
    read = {kind: reader.read(name, or_none(integer(_LEAST, _MOST)), None) for kind, name in _KINDS.items()}
    days = {kind: number for kind, number in read.items() if number}
    if "runs" in days:
        days["streams"] = min(days["runs"], days.get("streams", _MOST))
    return days or None
