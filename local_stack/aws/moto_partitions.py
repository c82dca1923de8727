"""Partitions of moto's tables in the order of their sort keys: a range is found without reading every item.

A company's widest partition has thousands of items, and a query of columns reads hundreds of ranges of it. Sort keys
are strings; of other types a partition is a plain dict.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.dynamodb.models.table import Table

Pair = tuple[DynamoType, Item]

# Names of comparisons, in conditions of keys and in moto.
_NAMES = {"=": "EQ", "<": "LT", "<=": "LE", ">": "GT", ">=": "GE"}


class Partition(dict[DynamoType, Item]):
    """The items of a partition by their sort keys; their order is known from a query until the next write."""

    _in_order: tuple[list[str], list[Pair]] | None = None

    def __setitem__(self, key: DynamoType, item: Item) -> None:
        """Put an item."""
        self._in_order = None
        super().__setitem__(key, item)

    def pop(self, key: DynamoType, *default: Any) -> Any:
        """Remove an item, for moto and its changes."""
        self._in_order = None
        return super().pop(key, *default)

    @property
    def in_order(self) -> tuple[list[str], list[Pair]]:
        """The texts of the sort keys, in order, with their keys and items."""
        if self._in_order is None:
            self._in_order = order(self)
        return self._in_order


def order(items: dict[DynamoType, Item]) -> tuple[list[str], list[Pair]]:
    """Sort the texts of sort keys, with their keys and items."""
    pairs = sorted(items.items(), key=lambda pair: pair[0].value)
    return [key.value for key, _ in pairs], pairs


def keep_partitions_in_order() -> None:
    """Let new tables have partitions in the order of their sort keys."""
    stock_init = Table.__init__

    def init(self: Table, *args: Any, **kwargs: Any) -> None:
        stock_init(self, *args, **kwargs)
        if self.has_range_key and self.range_key_type == "S":
            self.items = defaultdict(Partition)

    Table.__init__ = init  # type: ignore[method-assign]


def items_in(items: dict[DynamoType, Item], comparison: str, bounds: Sequence[str]) -> dict[DynamoType, Item]:
    """Select the items of a partition in a range of sort keys, with its first and its last item.

    By the two a page has a last key if the partition goes on behind the range, as in stock.
    """
    texts, pairs = items.in_order if isinstance(items, Partition) else order(items)
    first, end = _range_in(texts, _NAMES.get(comparison, comparison), bounds)
    return dict([pairs[0], *pairs[first:end], pairs[-1]])


def _range_in(texts: Sequence[str], comparison: str, bounds: Sequence[str]) -> tuple[int, int]:
    """Find the begin and the end of a range of texts, in an ordered list."""
    low, high = bounds[0], bounds[-1]
    if comparison == "BEGINS_WITH":
        return bisect_left(texts, low), bisect_right(texts, low, key=lambda text: text[: len(low)])
    begin = {"GT": bisect_right(texts, low), "LT": 0, "LE": 0}.get(comparison, bisect_left(texts, low))
    end = {"LT": bisect_left(texts, high), "GT": len(texts), "GE": len(texts)}.get(
        comparison, bisect_right(texts, high)
    )
    return begin, end
