"""Pages of lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ResultPage(Generic[T]):
    """A page of a list, with the length of the whole list in `total`; a `truncated` list is longer."""

    items: Sequence[T]
    total: int
    truncated: bool = False
