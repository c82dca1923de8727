"""Rules of a deployment for its alerts: muted causes, quiet hours, and namespaces forbidden to tagged columns.

    {"tags": {"pii": ["public*"]}, "mute": ["namespace:dev*", "tag:experimental", "DatasetLate"],
     "quiet": "22:00-06:00 Europe/Berlin", "explorer": "https://…/v1/explore/"}

Each part may be left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import orjson

from headwater.facts.annotations import tag_key
from headwater.features.alerts.cause import KINDS, Cause
from headwater.namespaces import covers, is_match
from headwater_model.errors import Invalid
from headwater_model.ids import DatasetId
from headwater_model.times import normalize

_QUIET = re.compile(r"([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)(?: ([A-Za-z0-9_+/-]{1,64}))?")
_NAMES = ("tags", "mute", "quiet", "explorer")
_MUTE_PREFIXES = ("namespace:", "tag:")


@dataclass(frozen=True, slots=True)
class TagRule:
    """A tag whose columns must not reach, unmasked, the datasets of some namespaces (patterns)."""

    tag: str
    namespaces: Sequence[str]

    def guards(self, dataset: DatasetId) -> bool:
        """True if the tag must not reach the dataset."""
        return covers(self.namespaces, dataset.namespace)


@dataclass(frozen=True, slots=True)
class QuietHours:
    """The hours of each day, in a time zone, without alerts; over midnight if they end before they begin."""

    start: time
    end: time
    zone: ZoneInfo

    def end_after(self, now: str) -> str | None:
        """Find the end of the quiet hours around this time (normalized); None outside of them.

        In an hour that a clock repeats they may end twice: the next end counts.
        """
        moment = datetime.fromisoformat(now[:26]).replace(tzinfo=timezone.utc)
        local = moment.astimezone(self.zone)
        clock = local.time()
        over_midnight = self.end <= self.start
        is_quiet = clock >= self.start or clock < self.end if over_midnight else self.start <= clock < self.end
        if not is_quiet:
            return None
        ends = (end for day in range(2) for end in self._ends_on(local.date() + timedelta(days=day)))
        return normalize(next(end for end in ends if end > moment))

    def _ends_on(self, day: date) -> Iterator[datetime]:
        """Yield the ends of the hours on a day: two in a repeated hour, and late in an hour that a clock leaves out."""
        first, second = (
            datetime.combine(day, self.end.replace(fold=fold), self.zone).astimezone(timezone.utc) for fold in (0, 1)
        )
        yield from (first, max(first, second))


@dataclass(frozen=True, slots=True)
class AlertRules:
    """The rules of a deployment; without rules, each alert is sent at once and no tag is guarded.

    `mutes` are patterns of namespaces after `namespace:`, tags after `tag:`, and kinds of causes. `explorer` is the
    address of the explorer for links; empty without.
    """

    tags: Sequence[TagRule] = ()
    mutes: Sequence[str] = ()
    quiet: QuietHours | None = None
    explorer: str = ""

    def mute(self, cause: Cause, tags: Sequence[str]) -> bool:
        """True if a cause is muted, of a node with these tags."""
        keys = {tag_key(tag) for tag in tags}
        for muted in self.mutes:
            kind, _, value = muted.partition(":")
            if kind == "namespace" and value and is_match(value, cause.node.namespace):
                return True
            if muted == cause.kind or (kind == "tag" and value and tag_key(value) in keys):
                return True
        return False


def parse_alert_rules(text: str) -> AlertRules:
    """Parse the rules in JSON text; an empty text has none.

    Raises:
        Invalid: the text is no JSON object, or has a malformed rule; the error names the rule and its value.
    """
    try:
        rules = orjson.loads(text) if text.strip() else {}
    except orjson.JSONDecodeError as error:
        raise Invalid.because("alert_rules", text, f"must be JSON ({error})") from error
    if not isinstance(rules, dict):
        raise Invalid.because("alert_rules", text, "must be a JSON object")
    for name in rules:
        if name not in _NAMES:
            raise Invalid.because(f"alert_rules.{name}", rules[name], f"must be one of {', '.join(_NAMES)}")
    return AlertRules(
        tags=_tag_rules(rules.get("tags", {})),
        mutes=_mutes(rules.get("mute", [])),
        quiet=_quiet_hours(rules["quiet"]) if rules.get("quiet") else None,
        explorer=_explorer(rules.get("explorer", "")),
    )


def _tag_rules(given: Any) -> Sequence[TagRule]:
    if not isinstance(given, Mapping):
        raise Invalid.because("alert_rules.tags", given, "must be an object of tags, each with a list of namespaces")
    for tag, namespaces in given.items():
        if not isinstance(namespaces, list) or not namespaces or not all(map(_is_pattern, namespaces)):
            rule = "must be a list of namespaces, each a name, or the beginning of names and then `*`"
            raise Invalid.because(f"alert_rules.tags.{tag}", namespaces, rule)
    return tuple(TagRule(tag, tuple(namespaces)) for tag, namespaces in sorted(given.items()))


def _mutes(given: Any) -> Sequence[str]:
    if not isinstance(given, list):
        raise Invalid.because("alert_rules.mute", given, "must be a list")
    for mute in given:
        prefix = next((prefix for prefix in _MUTE_PREFIXES if isinstance(mute, str) and mute.startswith(prefix)), "")
        if mute not in KINDS and not (prefix and _is_pattern(mute.removeprefix(prefix))):
            rule = f"must be namespace:NAME (or a beginning and `*`), tag:NAME, or one of {', '.join(KINDS)}"
            raise Invalid.because("alert_rules.mute", mute, rule)
    return tuple(given)


def _is_pattern(text: object) -> bool:
    return isinstance(text, str) and bool(text) and "*" not in text[:-1]


def _quiet_hours(given: Any) -> QuietHours:
    form = _QUIET.fullmatch(given) if isinstance(given, str) else None
    try:
        zone = ZoneInfo((form[5] if form else None) or "UTC")
    except (KeyError, ValueError, OSError):
        form = None
    if form is None or given[:5] == given[6:11]:
        rule = "must be HH:MM-HH:MM, two different times, and optionally a time zone: 22:00-06:00 Europe/Berlin"
        raise Invalid.because("alert_rules.quiet", given, rule)
    start, end = time(int(form[1]), int(form[2])), time(int(form[3]), int(form[4]))
    return QuietHours(start, end, zone)


def _explorer(given: Any) -> str:
    if not isinstance(given, str) or (given and not given.startswith(("https://", "http://"))):
        raise Invalid.because("alert_rules.explorer", given, "must be an address that begins with https://")
    return given
