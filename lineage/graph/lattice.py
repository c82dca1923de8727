"""Facts that only grow: how two of a kind are joined, and what of one was already so at an earlier time.

Joining is commutative, associative and idempotent for every kind here, so whatever order events arrive in, and however
often, the same facts come out. Values are JSON, so that a row holds them as they are. A *stamp* is `<time>#<hash>` of
the event that said it: stamps sort by event time, then hash, and one is less than a time iff its event was earlier.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import orjson

# Contents of a facet that are remembered with the time they were said: of those that add up, and of those that say what
# a job or dataset is, for questions about the past. Others (statistics, a storage's version) are new every run.
CONTENTS_MAX = 100
# Statements of one alias that are remembered beside the first: it may have been pointed elsewhere in between.
STATEMENTS_MAX = 10
# Times at which a thing was heard of that are remembered: it may have been deleted in between.
MENTIONS_MAX = 10
# Other names of one dataset that are known to it.
NAMES_MAX = 100
_REMEMBERED = frozenset(
    {
        "columnLineage",
        "dataSource",
        "datasetType",
        "documentation",
        "headwater_operations",
        "headwater_records",
        "jobType",
        "lifecycleStateChange",
        "lineage",
        "schema",
        "sourceCodeLocation",
    }
)

# Content hash -> first stamp, last stamp, body.
History: TypeAlias = Mapping[str, Sequence[Any]]


@dataclass(frozen=True, slots=True)
class JoinRule:
    """How two values are joined, and what of a value was so before a time (None for nothing)."""

    join: Callable[[Any, Any], Any]
    as_of: Callable[[Any, str], Any]


def _before(value: str, time: str) -> str | None:
    return value if value < time else None


def _each(one: JoinRule) -> JoinRule:
    def join(left: Mapping[str, Any], right: Mapping[str, Any]) -> Mapping[str, Any]:
        both = {name: one.join(left[name], right[name]) for name in left.keys() & right.keys()}
        return {**left, **right, **both}

    def until(values: Mapping[str, Any], time: str) -> Mapping[str, Any]:
        kept = {name: one.as_of(value, time) for name, value in values.items()}
        return {name: value for name, value in kept.items() if value}

    return JoinRule(join, until)


def _greatest_of(count: int) -> JoinRule:
    return JoinRule(
        lambda left, right: sorted({*left, *right})[-count:],
        lambda values, time: [value for value in values if value < time],
    )


def _least_of(count: int) -> JoinRule:
    """The `count` least keys, each with its least time."""

    def join(left: Mapping[str, str], right: Mapping[str, str]) -> Mapping[str, str]:
        joined = LEAST_EACH.join(left, right)
        return {name: joined[name] for name in sorted(joined)[:count]}

    return JoinRule(join, lambda values, time: LEAST_EACH.as_of(values, time))


def _history(count: int) -> JoinRule:
    def join(left: History, right: History) -> History:
        joined = dict(left)
        for content, (first, last, body) in right.items():
            known = joined.get(content)
            joined[content] = [min(first, known[0]), max(last, known[1]), body] if known else [first, last, body]
        if count == 1:
            return _latest_alone(joined)
        kept = sorted(joined, key=lambda content: (joined[content][1], content))[-count:]
        return {content: joined[content] for content in kept}

    def until(values: History, time: str) -> History:
        """What was said before and again after is taken as said all the while."""
        return {
            content: [first, min(last, time), body] for content, (first, last, body) in values.items() if first < time
        }

    return JoinRule(join, until)


def _latest_alone(values: History) -> History:
    """Without the time it was first said: that of one forgotten in between would be forgotten too."""
    content = _latest(values)
    _, last, body = values[content]
    return {content: [last, last, body]}


def _latest_of(count: int) -> JoinRule:
    """What was said, by the stamp of who said it, the latest `count`."""

    def join(left: Mapping[str, Any], right: Mapping[str, Any]) -> Mapping[str, Any]:
        both = {**left, **right}
        return {stamp: both[stamp] for stamp in sorted(both)[-count:]}

    return JoinRule(join, lambda values, time: {stamp: value for stamp, value in values.items() if stamp < time})


def _statements(count: int) -> JoinRule:
    """By what was stated, the stamps of the first statement and of the latest `count`, in their order."""

    def join(left: Mapping[str, Sequence[str]], right: Mapping[str, Sequence[str]]) -> Mapping[str, Sequence[str]]:
        return {name: united(left.get(name, ()), right.get(name, ())) for name in {**left, **right}}

    def united(left: Sequence[str], right: Sequence[str]) -> Sequence[str]:
        first, *later = sorted({*left, *right})
        return [first, *later[-count:]]

    def until(values: Mapping[str, Sequence[str]], time: str) -> Mapping[str, Sequence[str]]:
        """Where statements between the first and the latest are forgotten, it is taken as stated all the while."""
        kept = {name: [stamp for stamp in stamps if stamp < time] for name, stamps in values.items()}
        for name, stamps in kept.items():
            if len(stamps) == 1 and len(values[name]) > count:
                stamps.append(time)
        return {name: stamps for name, stamps in kept.items() if stamps}

    return JoinRule(join, until)


def _facets() -> JoinRule:
    """Histories by facet name; of the facets that questions about the past do not ask for, the latest content alone."""

    def of(name: str) -> JoinRule:
        return HISTORY if name in _REMEMBERED else LATEST

    def join(left: Mapping[str, History], right: Mapping[str, History]) -> Mapping[str, History]:
        both = {name: of(name).join(left[name], right[name]) for name in left.keys() & right.keys()}
        return {**left, **right, **both}

    return JoinRule(join, _each(HISTORY).as_of)


LEAST = JoinRule(min, _before)
GREATEST = JoinRule(max, _before)
LEAST_EACH = _each(LEAST)
LATEST_TIMES = _greatest_of(CONTENTS_MAX)
LATEST_MENTIONS = _greatest_of(MENTIONS_MAX)
TWO_LEAST = _least_of(2)
NAMES = _least_of(NAMES_MAX)
HISTORY = _history(CONTENTS_MAX)
LATEST = _history(1)
LATEST_STATED = _latest_of(CONTENTS_MAX)
STATEMENTS = _statements(STATEMENTS_MAX)
FACETS = _facets()
FACETS_OF_EACH = _each(FACETS)


def history_of(body: Any, stamp: str) -> History:
    """A history of one content, said once."""
    content = hashlib.sha256(orjson.dumps(body, option=orjson.OPT_SORT_KEYS)).hexdigest()[:32]
    return {content: [stamp, stamp, body]}


def latest(history: History) -> tuple[str, Any] | None:
    """The stamp and body of what was said last; of two that were said all the while, of the later begun."""
    if not history:
        return None
    _, last, body = history[_latest(history)]
    return last, body


def _latest(history: History) -> str:
    """The content that was said last; two that one event said are told apart by their JSON."""
    if len(history) == 1:
        return next(iter(history))

    def order(content: str) -> tuple[str, str, bytes]:
        first, last, body = history[content]
        return last, "" if "#" in last else first, orjson.dumps(body, option=orjson.OPT_SORT_KEYS)

    return max(history, key=order)
