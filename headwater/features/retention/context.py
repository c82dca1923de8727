"""The context values of retention: days by kind of history."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from infra.context_values import number_or_none

if TYPE_CHECKING:
    from infra.context_values import Reader

# By kind, as `headwater.facts.kept` names them.
_KINDS = {"events": "events_days", "tests": "tests_days"}
NAMES = tuple(_KINDS.values())
# For `infra.check`.
EXAMPLES = ({"events_days": 400, "tests_days": 90},)
# Events of a day arrive until its end, and are sealed in the night after it.
_LEAST, _MOST = 7, 36_500


def read(reader: Reader) -> Mapping[str, int] | None:
    """Read the days by kind; None where all history stays."""
    read = {kind: reader.read(name, number_or_none(_LEAST, _MOST), None) for kind, name in _KINDS.items()}
    return {kind: days for kind, days in read.items() if days} or None
