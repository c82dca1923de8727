"""Facts that only grow: for each kind of value, how two values are joined, and how a value is cut to an earlier time.

Each join is commutative, associative and idempotent: the same facts result from events in any order, and however often
they come. Values are JSON, so a row holds them as they are. A *stamp* is `<time>#<hash>` of an event. Stamps sort by
event time, then hash; a stamp is less than a time iff its event was earlier.

    LEAST       "2026-11-20", "2026-11-19"                 -> "2026-11-19"
    LATEST      {"a": [s1, s1, 1]}, {"b": [s2, s2, 2]}     -> {"b": [s2, s2, 2]}
    HISTORY     {"a": [s1, s1, 1]}, {"a": [s3, s3, 1]}     -> {"a": [s1, s3, 1]}
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, TypeAlias

import orjson

# Contents with stamps in a facet's history: of facets that add up, and of facets about a job or dataset, for queries of
# the past. The rest (statistics, a storage's version) is new in each run.
CONTENTS_MAX = 100
# Bytes of the newer contents before a content is dropped: a schema of 500 columns has 30 KB. The newest always stays.
CONTENTS_BYTES_MAX = 100_000
# Likewise for facets that add up: the present is made of all of them.
ADDED_UP_BYTES_MAX = 1_000_000
# Stamps of an alias beside the first: a rival alias may have been stated in between.
STATEMENTS_MAX = 10
# Times of a run's START events, the first and as many last: between two of them the run may have ended.
STARTS_MAX = 50
# Times of a thing's mentions: it may have been deleted in between.
MENTIONS_MAX = 10
# Aliases in the facts of a dataset.
NAMES_MAX = 100
# Users in the facts of a dataset; the facts hold a further user to show a cut.
USERS_MAX = 8
# Jobs with an edge to a job, the first by name; the facts hold a further job to show a cut.
JOBS_MAX = 100
# Inputs of a run, and outputs, the first by name: each event of the run reads and writes them. An event has 10,000.
RUN_DATASETS_MAX = 20_000
# Tags set or removed by the API on a job, or a dataset with its fields; likewise owners and descriptions.
TAGS_MAX = 1_000
# Tests of a dataset or job with an outcome in its facts, the last by time; also tests of an event.
ASSERTIONS_MAX = 300
# Uses by runs in the facts of a dataset: each costs 50 bytes; beyond, a use of a run that goes on costs a row.
USES_MAX = 3
_REMEMBERED = frozenset(
    {
        "columnLineage",
        "dataSource",
        "datasetType",
        "documentation",
        "extractionError",
        "headwater_capture",
        "headwater_operations",
        "headwater_records",
        "jobDependencies",
        "jobType",
        "lifecycleStateChange",
        "lineage",
        "ownership",
        "schema",
        "sourceCodeLocation",
        "tags",
    }
)
_ADDED_UP = frozenset({"headwater_operations", "headwater_records", "lineage"})

# Content hash -> first stamp, last stamp, body.
History: TypeAlias = Mapping[str, Sequence[Any]]


@dataclass(frozen=True, slots=True)
class JoinRule:
    """A rule to join two values, and to cut a value to the time before a time (None for nothing)."""

    join: Callable[[Any, Any], Any]
    as_of: Callable[[Any, str], Any]


def _before(value: str, time: str) -> str | None:
    return value if value < time else None


def _each(rule: JoinRule) -> JoinRule:
    def join(left: Mapping[str, Any], right: Mapping[str, Any]) -> Mapping[str, Any]:
        both = {name: rule.join(left[name], right[name]) for name in left.keys() & right.keys()}
        return {**left, **right, **both}

    def as_of(values: Mapping[str, Any], time: str) -> Mapping[str, Any]:
        earlier = {name: rule.as_of(value, time) for name, value in values.items()}
        return {name: value for name, value in earlier.items() if value}

    return JoinRule(join, as_of)


def _greatest_of(count: int) -> JoinRule:
    return JoinRule(
        lambda left, right: sorted({*left, *right})[-count:],
        lambda values, time: [value for value in values if value < time],
    )


def _outermost(count: int) -> JoinRule:
    """Keep the least `count` and the greatest `count`."""

    def join(left: Sequence[str], right: Sequence[str]) -> Sequence[str]:
        both = sorted({*left, *right})
        return both if len(both) <= 2 * count else [*both[:count], *both[-count:]]

    return JoinRule(join, _greatest_of(count).as_of)


def _greatest_terminals(count: int) -> JoinRule:
    """Keep the greatest `count` of each state: no number of other terminals hides a failure."""

    def join(left: Sequence[str], right: Sequence[str]) -> Sequence[str]:
        by_state: dict[str, list[str]] = {}
        for terminal in sorted({*left, *right}):
            by_state.setdefault(terminal.rpartition("#")[2], []).append(terminal)
        return sorted(terminal for terminals in by_state.values() for terminal in terminals[-count:])

    return JoinRule(join, _greatest_of(count).as_of)


def _least_of(count: int) -> JoinRule:
    """Keep the `count` least keys, each with its least time."""

    def join(left: Mapping[str, str], right: Mapping[str, str]) -> Mapping[str, str]:
        joined = LEAST_EACH.join(left, right)
        return {name: joined[name] for name in sorted(joined)[:count]}

    return JoinRule(join, lambda values, time: LEAST_EACH.as_of(values, time))


def _least_keys(rule: JoinRule, count: int) -> JoinRule:
    """Join by key, and keep the `count` least keys: the least keys of a union are among the least of its sides."""

    def join(left: Mapping[str, Any], right: Mapping[str, Any]) -> Mapping[str, Any]:
        joined = rule.join(left, right)
        return joined if len(joined) <= count else {name: joined[name] for name in sorted(joined)[:count]}

    return JoinRule(join, rule.as_of)


def _history(count: int, bytes_max: int = 0) -> JoinRule:
    """Keep a content if fewer than `count` contents are newer, with at most `bytes_max` together.

    So the last content kept exceeds the bytes: it shows that older contents do not count, whatever the order of joins.
    """

    def join(left: History, right: History) -> History:
        joined = dict(left)
        for content, (first, last, body) in right.items():
            old = joined.get(content)
            # Of equal bodies the stored body stays (`contents`).
            joined[content] = [min(first, old[0]), max(last, old[1]), old[2]] if old else [first, last, body]
        if count == 1:
            return _latest_alone(joined)
        return joined if len(joined) == 1 else _newest(joined, count, bytes_max)

    def as_of(values: History, time: str) -> History:
        """Keep the contents stated earlier; a content also stated later counts as stated throughout."""
        return {
            content: [first, min(last, time), body] for content, (first, last, body) in values.items() if first < time
        }

    return JoinRule(join, as_of)


def _newest(values: History, count: int, bytes_max: int) -> History:
    """Keep the contents within the bounds; among an event's contents, greater JSON is newer."""
    bodies = {content: orjson.dumps(body, option=orjson.OPT_SORT_KEYS) for content, (_, _, body) in values.items()}
    newest = sorted(values, key=lambda content: (values[content][1], bodies[content]), reverse=True)[:count]
    newer_bytes = accumulate((len(bodies[content]) for content in newest), initial=0)
    kept = [content for content, size in zip(newest, newer_bytes, strict=False) if size <= bytes_max]
    return {content: values[content] for content in reversed(kept)}


def _latest_contents(count: int) -> JoinRule:
    """Keep the latest `count` contents, each with its last stamp alone."""

    def join(left: History, right: History) -> History:
        last: dict[str, Sequence[Any]] = {}
        for content, (_, stamp, body) in (*left.items(), *right.items()):
            last[content] = max(last.get(content, [stamp, stamp, body]), [stamp, stamp, body], key=_stamp)
        return {content: last[content] for content in _latest_first(last)[:count]}

    return JoinRule(join, _history(count).as_of)


def _latest_alone(values: History) -> History:
    """Keep the latest content, without its first stamp: the first would depend on the order of joins."""
    content = _latest(values)
    _, last, body = values[content]
    return {content: [last, last, body]}


def _latest_of(count: int) -> JoinRule:
    """Keep the latest `count` values by stamp."""

    def join(left: Mapping[str, Any], right: Mapping[str, Any]) -> Mapping[str, Any]:
        both = {**left, **right}
        return {stamp: both[stamp] for stamp in sorted(both)[-count:]}

    return JoinRule(join, lambda values, time: {stamp: value for stamp, value in values.items() if stamp < time})


def _statements(count: int) -> JoinRule:
    """Keep, by statement, the first stamp and the latest `count`, in order."""

    def join(left: Mapping[str, Sequence[str]], right: Mapping[str, Sequence[str]]) -> Mapping[str, Sequence[str]]:
        return {name: merged(left.get(name, ()), right.get(name, ())) for name in {**left, **right}}

    def merged(left: Sequence[str], right: Sequence[str]) -> Sequence[str]:
        first, *later = sorted({*left, *right})
        return [first, *later[-count:]]

    def as_of(values: Mapping[str, Sequence[str]], time: str) -> Mapping[str, Sequence[str]]:
        """Keep the earlier stamps; where later stamps are forgotten, a statement counts as repeated throughout."""
        earlier = {name: [stamp for stamp in stamps if stamp < time] for name, stamps in values.items()}
        for name, stamps in earlier.items():
            if len(stamps) == 1 and len(values[name]) > count:
                stamps.append(time)
        return {name: stamps for name, stamps in earlier.items() if stamps}

    return JoinRule(join, as_of)


def _facets(versions: JoinRule) -> JoinRule:
    """Keep histories by facet name; facets outside `_REMEMBERED` keep their latest content alone.

    `versions` is the rule of the facet `version`.
    """

    def of(name: str) -> JoinRule:
        if name == "version":
            return versions
        if name in _ADDED_UP:
            return ADDED_UP
        return HISTORY if name in _REMEMBERED else LATEST

    def join(left: Mapping[str, History], right: Mapping[str, History]) -> Mapping[str, History]:
        both = {name: of(name).join(left[name], right[name]) for name in left.keys() & right.keys()}
        return {**left, **right, **both}

    return JoinRule(join, _each(HISTORY).as_of)


def _latest_each(count: int) -> JoinRule:
    """Keep the latest value of each key, of the latest `count` keys; values begin with a stamp."""

    def join(left: Mapping[str, Sequence[Any]], right: Mapping[str, Sequence[Any]]) -> Mapping[str, Sequence[Any]]:
        both = {key: max(left[key], right[key], key=_stamp) for key in left.keys() & right.keys()}
        joined = {**left, **right, **both}
        return {key: joined[key] for key in sorted(joined, key=lambda key: (joined[key][0], key))[-count:]}

    return JoinRule(join, lambda values, time: {key: value for key, value in values.items() if value[0] < time})


def _latest_outcomes(count: int) -> JoinRule:
    """Keep the latest outcome of each test, of the latest `count` tests: `[stamp, rank]`.

    Of an event's outcomes the worse counts. As of a time, a test with a later outcome has the rank None: unknown.
    """

    def join(left: Mapping[str, Sequence[Any]], right: Mapping[str, Sequence[Any]]) -> Mapping[str, Sequence[Any]]:
        joined = {**left, **right, **{key: max(left[key], right[key], key=list) for key in left.keys() & right.keys()}}
        return {key: joined[key] for key in sorted(joined, key=lambda key: (joined[key][0], key))[-count:]}

    def as_of(values: Mapping[str, Sequence[Any]], time: str) -> Mapping[str, Sequence[Any]]:
        return {key: value if value[0] < time else [time, None] for key, value in values.items()}

    return JoinRule(join, as_of)


def _latest_windows(count: int, bytes_max: int) -> JoinRule:
    """Keep, by content, a body with its stamps: the latest `count` stamps of all contents.

    A stamp stays if the newer stamps' contents have at most `bytes_max` together: joins in any order keep the same.
    """

    def join(left: Mapping[str, Sequence[Any]], right: Mapping[str, Sequence[Any]]) -> Mapping[str, Sequence[Any]]:
        bodies = {content: body for content, (body, *_) in (*left.items(), *right.items())}
        stamped = {(stamp, content) for side in (left, right) for content in side for stamp in side[content][1:]}
        kept: dict[str, list[str]] = {}
        newer_bytes = 0
        for stamp, content in sorted(stamped, reverse=True)[:count]:
            if newer_bytes > bytes_max:
                break
            newer_bytes += 0 if content in kept else len(orjson.dumps(bodies[content]))
            kept.setdefault(content, []).append(stamp)
        return {content: [bodies[content], *sorted(kept[content])] for content in sorted(kept)}

    def as_of(values: Mapping[str, Sequence[Any]], time: str) -> Mapping[str, Sequence[Any]]:
        earlier = {content: [stamp for stamp in stamps if stamp < time] for content, (_, *stamps) in values.items()}
        return {content: [values[content][0], *stamps] for content, stamps in earlier.items() if stamps}

    return JoinRule(join, as_of)


def _stamp(value: Sequence[Any]) -> str:
    return str(value[0])


# A value equal in all facts of a thing.
CONSTANT = JoinRule(min, lambda value, _: value)
LEAST = JoinRule(min, _before)
GREATEST = JoinRule(max, _before)
LEAST_EACH = _each(LEAST)
DATASETS = _least_keys(LEAST_EACH, RUN_DATASETS_MAX)
LATEST_TIMES = _greatest_of(CONTENTS_MAX)
OUTERMOST_TIMES = _outermost(STARTS_MAX)
TERMINALS = _greatest_terminals(CONTENTS_MAX)
LATEST_MENTIONS = _greatest_of(MENTIONS_MAX)
TWO_LEAST = _least_of(2)
NAMES = _least_of(NAMES_MAX)
USERS = _least_of(USERS_MAX + 1)
JOBS = _least_of(JOBS_MAX + 1)
HISTORY = _history(CONTENTS_MAX, CONTENTS_BYTES_MAX)
ADDED_UP = _history(CONTENTS_MAX, ADDED_UP_BYTES_MAX)
LATEST = _history(1)
# The latest content, also as of a time before it.
LATEST_EVER = JoinRule(LATEST.join, lambda value, _: value)
# The latest uses of a dataset by runs; readers check them against the facts of the runs.
LATEST_USES = JoinRule(_latest_outcomes(USES_MAX).join, lambda value, _: value)
LATEST_EACH = _latest_each(TAGS_MAX)
OUTCOMES = _latest_outcomes(ASSERTIONS_MAX)
LATEST_STATED = _latest_of(CONTENTS_MAX)
LATEST_WINDOWS = _latest_windows(CONTENTS_MAX, CONTENTS_BYTES_MAX)
STATEMENTS = _statements(STATEMENTS_MAX)
FACETS = _facets(LATEST)
FACETS_OF_EACH = _least_keys(_each(FACETS), RUN_DATASETS_MAX)
# If the last version of an input in a run's reports is the run's own version, the version before was read.
TWO_LATEST = _latest_contents(2)
READ_FACETS_OF_EACH = _least_keys(_each(_facets(TWO_LATEST)), RUN_DATASETS_MAX)


def history_of(body: Any, stamp: str) -> History:
    """Make a history of a single content, stated once."""
    content = hashlib.sha256(orjson.dumps(body, option=orjson.OPT_SORT_KEYS)).hexdigest()[:32]
    return {content: [stamp, stamp, body]}


def latest(history: History) -> tuple[str, Any] | None:
    """Find the latest stamp and body: `{"a": [s1, s2, 1]}` gives `(s2, 1)`; if two contents go on, the later begun."""
    if not history:
        return None
    _, last, body = history[_latest(history)]
    return last, body


def latest_first(history: History) -> list[Any]:
    """List the bodies, the latest first: `{"a": [s1, s1, 1], "b": [s2, s2, 2]}` gives `[2, 1]`."""
    return [history[content][2] for content in _latest_first(history)]


def _latest(history: History) -> str:
    return _latest_first(history)[0]


def _latest_first(history: History) -> list[str]:
    """Sort the contents, the latest first; two contents of an event are ordered by their JSON."""
    if len(history) == 1:
        return list(history)

    def order(content: str) -> tuple[str, str, bytes]:
        first, last, body = history[content]
        return last, "" if "#" in last else first, orjson.dumps(body, option=orjson.OPT_SORT_KEYS)

    return sorted(history, key=order, reverse=True)
