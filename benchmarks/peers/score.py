"""Reported lineage compared with required lineage, counted by kind of case."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from benchmarks.peers.reported import Edge, Lineage, Versions
from benchmarks.tables import render_table

_Parts: TypeAlias = frozenset[Any]
# The short table's word for each verdict.
_SHORT = {
    "exactly": "exactly",
    "less": "in part",
    "more": "in part",
    "less and more": "in part",
    "nothing": "not at all",
}


class CaseResult(NamedTuple):
    """A case with its required lineage, and the lineage that each capture reported."""

    kind: str
    name: str
    required: Lineage
    reported: Mapping[str, Lineage]
    versions: Mapping[str, Versions] = {}


def _datasets(lineage: Lineage) -> _Parts:
    return frozenset(lineage.datasets)


def _direct(lineage: Lineage) -> _Parts:
    edges = (edge for edge in lineage.edges if edge.direct)
    return frozenset((edge.dataset, edge.column[0], edge.of_dataset, edge.of_column[0]) for edge in edges)


def _everything(lineage: Lineage) -> _Parts:
    return _direct(lineage) | {_deciding(edge) for edge in lineage.edges if not edge.direct}


def _deciding(edge: Edge) -> tuple[str, ...]:
    return edge.dataset, edge.of_dataset, edge.of_column[0]


def _letter(lineage: Lineage) -> _Parts:
    return frozenset(lineage.edges)


MEASURES: Mapping[str, Callable[[Lineage], _Parts]] = {
    "inputs and outputs": _datasets,
    "direct sources, by columns": _direct,
    "and what decides, by datasets": _everything,
    "to the letter": _letter,
}


def verdict(measure: Callable[[Lineage], _Parts], required: Lineage, reported: Lineage) -> str:
    """Return the verdict in a word. A column that values come from may be reported as deciding, too."""
    must, seen = measure(required), measure(reported)
    if measure is _everything:
        seen -= {_deciding(edge) for edge in required.edges if edge.direct} - must
    if must == seen:
        return "exactly"
    if must and not seen & must:
        return "nothing"
    return " and ".join(word for word, parts in (("less", must - seen), ("more", seen - must)) if parts)


def render(results: Sequence[CaseResult]) -> Iterator[str]:
    """Yield a table of all cases by every measure, then one of the direct sources by kind of case."""
    captures = list(results[0].reported)
    by_measure = [
        (f"{name} ({len(results)})", *_counts(results, list(_SHORT), partial(_verdict_of, measure)))
        for name, measure in MEASURES.items()
    ]
    yield from _table("", captures, list(_SHORT), by_measure)
    yield ""
    words = list(dict.fromkeys(_SHORT.values()))
    kinds: dict[str, list[CaseResult]] = defaultdict(list)
    for result in results:
        kinds[result.kind].append(result)
    by_kind = [(f"{kind} ({len(cases)})", *_counts(cases, words, _short_verdict)) for kind, cases in kinds.items()]
    yield from _table("direct sources", captures, words, by_kind)
    if any(any(versions) for result in results for versions in result.versions.values()):
        yield ""
        yield from _versions(results, captures)


def _versions(results: Sequence[CaseResult], captures: Sequence[str]) -> Iterator[str]:
    """Yield by capture in how many cases a version that was read, or made, is reported, and in how many all agree."""
    rows = []
    for side in Versions._fields:
        versions = [[getattr(result.versions[capture], side) for capture in captures] for result in results]
        counts = [str(sum(bool(each[place]) for each in versions)) for place in range(len(captures))]
        same = sum(bool(each[0]) and len(set(each)) == 1 for each in versions)
        rows.append((f"versions {side}", *counts, str(same)))
    yield from render_table(("", *captures, "the same"), "l" + "r" * (len(captures) + 1), rows)


def _verdict_of(measure: Callable[[Lineage], _Parts], result: CaseResult, capture: str) -> str:
    return verdict(measure, result.required, result.reported[capture])


def _short_verdict(result: CaseResult, capture: str) -> str:
    return _SHORT[_verdict_of(_direct, result, capture)]


def _counts(results: Sequence[CaseResult], words: Sequence[str], judge: Callable[[CaseResult, str], str]) -> list[str]:
    """Return the number of results by capture and word."""
    captures = results[0].reported
    counts = [Counter(judge(result, capture) for result in results) for capture in captures]
    return [str(count[word]) for count in counts for word in words]


def _table(what: str, captures: Sequence[str], words: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    columns = [f"{capture}: {word}" for capture in captures for word in words]
    return render_table((what, *columns), "l" + "r" * len(columns), rows)


def differences(results: Sequence[CaseResult]) -> Iterator[str]:
    """Yield every case whose reported lineage is wrong, with missing and extra edges."""
    for result in results:
        for capture, reported in result.reported.items():
            if reported != result.required:
                words = [f"{name}: {verdict(measure, result.required, reported)}" for name, measure in MEASURES.items()]
                yield f"{result.kind}: {result.name} [{capture}] {'; '.join(words)}"
                yield from _differing("-", result.required, reported)
                yield from _differing("+", reported, result.required)
        yield from _differing_versions(result)


def _differing_versions(result: CaseResult) -> Iterator[str]:
    """Yield the versions of each capture, if they report different ones."""
    for side in Versions._fields:
        by_capture = {capture: getattr(versions, side) for capture, versions in result.versions.items()}
        if len(set(by_capture.values())) > 1:
            each = (f"{capture}: {sorted(versions)}" for capture, versions in by_capture.items())
            yield f"{result.kind}: {result.name}: versions {side}, {'; '.join(each)}"


def _differing(sign: str, these: Lineage, those: Lineage) -> Iterator[str]:
    yield from sorted(f"    {sign} {edge}" for edge in these.edges - those.edges)
    yield from sorted(f"    {sign} {' reads '.join(names)}" for names in these.datasets - those.datasets)
