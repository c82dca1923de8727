"""How what is told compares with what must be, counted by kind of case, as tables in Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from benchmarks.capture_peer_told import Edge, Told

_Parts: TypeAlias = frozenset[Any]
# By the words of a verdict, those of the short table.
_SHORT = {
    "exactly": "exactly",
    "less": "in part",
    "more": "in part",
    "less and more": "in part",
    "nothing": "not at all",
}


class Result(NamedTuple):
    """A case's kind and name, what must be told of it, and what each way of capture told."""

    kind: str
    name: str
    wanted: Told
    told: Mapping[str, Told]


def _datasets(told: Told) -> _Parts:
    return frozenset(told.datasets)


def _direct(told: Told) -> _Parts:
    return frozenset((one.dataset, one.column[0], one.of_dataset, one.of_column[0]) for one in told.edges if one.direct)


def _everything(told: Told) -> _Parts:
    return _direct(told) | {_deciding(one) for one in told.edges if not one.direct}


def _deciding(edge: Edge) -> tuple[str, ...]:
    return edge.dataset, edge.of_dataset, edge.of_column[0]


def _letter(told: Told) -> _Parts:
    return frozenset(told.edges)


MEASURES: Mapping[str, Callable[[Told], _Parts]] = {
    "inputs and outputs": _datasets,
    "direct sources, by columns": _direct,
    "and what decides, by datasets": _everything,
    "to the letter": _letter,
}


def verdict(measure: Callable[[Told], _Parts], wanted: Told, told: Told) -> str:
    """In a word. Where values come from a column, that it is told to decide too is not held against anybody."""
    must, seen = measure(wanted), measure(told)
    if measure is _everything:
        seen -= {_deciding(one) for one in wanted.edges if one.direct} - must
    if must == seen:
        return "exactly"
    if must and not seen & must:
        return "nothing"
    return " and ".join(word for word, one in (("less", must - seen), ("more", seen - must)) if one)


def render(results: Sequence[Result]) -> Iterator[str]:
    """All cases by every measure; then the direct sources by kind of case."""
    ways = list(results[0].told)
    yield from _head("", [f"{way}: {word}" for way in ways for word in _SHORT])
    for name, measure in MEASURES.items():
        counts = [Counter(verdict(measure, one.wanted, one.told[way]) for one in results) for way in ways]
        yield _row(f"{name} ({len(results)})", [count[word] for count in counts for word in _SHORT])
    yield ""
    words = list(dict.fromkeys(_SHORT.values()))
    yield from _head("direct sources", [f"{way}: {word}" for way in ways for word in words])
    for kind in dict.fromkeys(one.kind for one in results):
        of_kind = [one for one in results if one.kind == kind]
        short = [Counter(_SHORT[verdict(_direct, one.wanted, one.told[way])] for one in of_kind) for way in ways]
        yield _row(f"{kind} ({len(of_kind)})", [count[word] for count in short for word in words])


def _head(what: str, columns: Sequence[str]) -> Iterator[str]:
    yield f"| {what} | {' | '.join(columns)} |"
    yield "|---|" + "--:|" * len(columns)


def _row(name: str, counts: Sequence[int]) -> str:
    return f"| {name} | {' | '.join(map(str, counts))} |"


def differences(results: Sequence[Result]) -> Iterator[str]:
    """Every case of which something else is told than must be, with what is missing and what is too much."""
    for one in results:
        for way, told in one.told.items():
            if told != one.wanted:
                words = [f"{name}: {verdict(measure, one.wanted, told)}" for name, measure in MEASURES.items()]
                yield f"{one.kind}: {one.name} [{way}] {'; '.join(words)}"
                yield from _differing("-", one.wanted, told)
                yield from _differing("+", told, one.wanted)


def _differing(mark: str, these: Told, those: Told) -> Iterator[str]:
    yield from sorted(f"    {mark} {one}" for one in these.edges - those.edges)
    yield from sorted(f"    {mark} {' reads '.join(one)}" for one in these.datasets - those.datasets)
