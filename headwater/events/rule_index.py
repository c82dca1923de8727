"""Rules of names by the ends of their patterns: a name is compared with the few rules that may be of it."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol, TypeAlias

# Names that a function remembers with what the rules make of them.
_REMEMBERED_MAX = 10_000
# The beginning of a namespace, and its end, of a name likewise: the text up to the first `*`, and after the last.
_Ends: TypeAlias = tuple[str, ...]


class Rule(Protocol):
    """A rule with patterns of a namespace and a name."""

    @property
    def namespace(self) -> str:
        """The pattern of a namespace."""

    @property
    def name(self) -> str:
        """The pattern of a name."""

    def rename(self, namespace: str, name: str) -> tuple[str, str]:
        """Return the name that the rule makes of a dataset's."""


class RuleIndex:
    """The rules of a file; a rule is under that beginning or end of its patterns which the fewest rules share."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = rules
        ends: list[_Ends] = [(*_ends_of(rule.namespace), *_ends_of(rule.name)) for rule in rules]
        shared = [Counter(texts) for texts in zip(*ends, strict=True)]
        self._by_end: dict[tuple[int, str], list[int]] = {}
        for number, texts in enumerate(ends):
            side = min(range(len(texts)), key=lambda side: shared[side][texts[side]])
            self._by_end.setdefault((side, texts[side]), []).append(number)
        self._lengths = sorted({(side, len(text)) for side, text in self._by_end})
        self.rename = lru_cache(_REMEMBERED_MAX)(self._rename)

    def _rename(self, namespace: str, name: str, start: int = 0) -> tuple[str, str]:
        """Return a dataset's name by the rules from a number on, each applied to the result of those before it."""
        known, numbers = (namespace, name), self.numbers(namespace, name)
        position = bisect_left(numbers, start)
        while position < len(numbers):
            number, position = numbers[position], position + 1
            renamed = self._rules[number].rename(*known)
            if renamed != known:
                known, numbers = renamed, self.numbers(*renamed)
                position = bisect_left(numbers, number + 1)
        return known

    def numbers(self, namespace: str, name: str) -> list[int]:
        """Return the numbers of the rules that may be of a namespace and a name, in order."""
        texts = namespace, namespace, name, name
        ends = (
            (side, texts[side][max(0, len(texts[side]) - length) :] if side % 2 else texts[side][:length])
            for side, length in self._lengths
        )
        return sorted(number for end in ends for number in self._by_end.get(end, ()))


def _ends_of(pattern: str) -> tuple[str, str]:
    return pattern.partition("*")[0], pattern.rpartition("*")[2]
