"""The context value of erasures."""

from __future__ import annotations

from headwater_model.errors import Fault
from infra.context_values import Reader, flag

NAMES = ("erase",)
# For `infra.check`.
EXAMPLES = ({"erase": False}, {"erase": True})


def read(reader: Reader) -> bool | None:
    """Read the switch; objects that S3 lets nobody remove are a fault, and so is a log without its old events."""
    is_on = reader.read("erase", flag, False)
    lock = reader.read("object_lock", lambda value: value, None)
    if is_on and isinstance(lock, str) and lock.startswith("compliance"):
        reader.faults.append(
            Fault("erase", True, "must not be given with object_lock=compliance: S3 keeps the objects")
        )
    if is_on and reader.read("events_days", lambda value: value != "none", False):
        rule = "must not be given with events_days: the rest of the graph is made of all events"
        reader.faults.append(Fault("erase", True, rule))
    return is_on or None
