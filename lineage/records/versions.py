"""The version of the items that records are kept in: what a later release wrote is refused, never misread.

An item without the attribute is of version 1: it costs no byte until there is a second one. A release that changes the
form of an item writes its version into it, and still reads every version before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.errors import Unavailable

if TYPE_CHECKING:
    from lineage.aws.items import Item

ATTRIBUTE = "schema"
VERSION = 1


def check_version(item: Item) -> None:
    """Refuse an item of a later release, as one that cannot be read for now (a roll-back is under way): `Unavailable`.

    >>> check_version({"node_id": {"S": "n"}, "schema": {"N": "2"}})
    Traceback (most recent call last):
    ...
    lineage.errors.Unavailable: an item is of version 2: this release reads up to 1
    """
    written = item.get(ATTRIBUTE)
    if written is not None and int(written["N"]) > VERSION:
        raise Unavailable(f"an item is of version {written['N']}: this release reads up to {VERSION}")
