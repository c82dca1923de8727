"""Rules of names: producers' different names for a dataset become the same; `headwater names` sets the rules.

A file has a list of `rules`. A rule has a pattern of a `namespace` and of a `name` (`*` is any text) and, under `as`,
their replacements. A `*` of a replacement is the text of the pattern's `*` at the same position. The rules apply in the
order of the file, each to the result of the rules before it. `fields` fold columns (`field_folds`). They apply
to datasets whose name in the graph fits `as`, or the pattern where `as` is missing:

    {"rules": [
        {"namespace": "s3a://*", "as": {"namespace": "s3://*"}},
        {"namespace": "postgres://replica:5432", "as": {"namespace": "postgres://db:5432"}},
        {"namespace": "snowflake://*", "name": "DEV_*", "as": {"name": "*"}},
        {"namespace": "arn:aws:glue:*", "name": "table/db/legs", "as": {"namespace": "s3://lake", "name": "legs"}},
        {"namespace": "s3://exports", "name": "orders/*", "as": {"name": "orders"}},
        {"namespace": "snowflake://*", "fields": {"quotes": "drop", "case": "lower"}}
    ]}

>>> rules = read_rules({"rules": [{"namespace": "s3a://*", "as": {"namespace": "s3://*"}}]})
>>> index_of(rules).rename("s3a://lake", "flights")
('s3://lake', 'flights')
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from headwater.events.field_folds import FieldFold
from headwater_model.errors import Fault, Invalid

if TYPE_CHECKING:
    from headwater.events.name_rule_models import RuleModel

# Of a pattern: a host, a path and a name have fewer.
_STARS_MAX = 4
# Names that a function remembers with their results.
_REMEMBERED_MAX = 10_000
# In place of each `*`, where rules are checked against their own results.
_SAMPLE = "x"


@dataclass(frozen=True, slots=True)
class NameRule:
    """A rule: patterns of a namespace and a name, their replacements, and the fold of the columns."""

    namespace: str
    name: str
    as_namespace: str
    as_name: str
    fields: FieldFold | None = None

    def rename(self, namespace: str, name: str) -> tuple[str, str]:
        """Rename a dataset; its name stays if a pattern does not fit, or the new name would be empty."""
        of_namespace, of_name = _starred(self.namespace, namespace), _starred(self.name, name)
        if of_namespace is None or of_name is None:
            return namespace, name
        renamed = _filled(self.as_namespace, of_namespace), _filled(self.as_name, of_name)
        return renamed if all(renamed) else (namespace, name)

    def makes(self, namespace: str, name: str) -> bool:
        """True if the rule may write this name."""
        return _starred(self.as_namespace, namespace) is not None and _starred(self.as_name, name) is not None

    def to_json(self) -> dict[str, Any]:
        """Render the rule as in the file."""
        target = {"namespace": self.as_namespace, "name": self.as_name}
        patterns = {"namespace": self.namespace, "name": self.name}
        changed = {side: text for side, text in target.items() if text != patterns[side]}
        fields = {"fields": self.fields.to_json()} if self.fields else {}
        return {**patterns, **({"as": changed} if changed else {}), **fields}

    @property
    def sample(self) -> tuple[str, str]:
        """An example of the rule's results: `("s3://x", "x")`."""
        return self.as_namespace.replace("*", _SAMPLE), self.as_name.replace("*", _SAMPLE)


def _starred(pattern: str, text: str) -> list[str] | None:
    """Match a text: the texts of the pattern's `*`, each the shortest but the last; None if the text does not fit.

    Each part between two `*` is searched once, so no name takes long. A regular expression would backtrack.

    >>> _starred("s3a://*/*.db", "s3a://lake/a/b.db"), _starred("s3a://*", "s3://lake")
    (['lake', 'a/b'], None)
    """
    first, *others = pattern.split("*")
    if not others:
        return [] if text == pattern else None
    *middle, last = others
    place, end = len(first), len(text) - len(last)
    if place > end or not (text.startswith(first) and text.endswith(last)):
        return None
    texts = []
    for part in middle:
        found_at = text.find(part, place, end)
        if found_at < 0:
            return None
        texts.append(text[place:found_at])
        place = found_at + len(part)
    return [*texts, text[place:end]]


def _filled(text: str, parts: Sequence[str]) -> str:
    """Replace each `*` of the text by the part at its position."""
    first, *others = text.split("*")
    return first + "".join(part + other for part, other in zip(parts, others, strict=False))


class RuleIndex:
    """The rules of a file by the ends of their patterns: a name is compared with few rules.

    A rule is indexed by the beginning or end of its patterns that the fewest rules share.
    """

    def __init__(self, rules: Sequence[NameRule]) -> None:
        self._rules = rules
        # Four ends a rule: the text before the first `*` and after the last, of its namespace and of its name.
        ends: list[tuple[str, ...]] = [(*_ends_of(rule.namespace), *_ends_of(rule.name)) for rule in rules]
        shared = [Counter(texts) for texts in zip(*ends, strict=True)]
        self._by_end: dict[tuple[int, str], list[int]] = {}
        for number, texts in enumerate(ends):
            side = min(range(len(texts)), key=lambda side: shared[side][texts[side]])
            self._by_end.setdefault((side, texts[side]), []).append(number)
        self._lengths = sorted({(side, len(text)) for side, text in self._by_end})
        self.rename = lru_cache(_REMEMBERED_MAX)(self._rename)

    def _rename(self, namespace: str, name: str, start: int = 0) -> tuple[str, str]:
        """Rename a dataset by the rules from a number on, each applied to the result of the rule before it."""
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
        """List the numbers of the rules whose indexed end fits, in order; further ends may still differ."""
        texts = namespace, namespace, name, name
        ends = (
            (side, texts[side][max(0, len(texts[side]) - length) :] if side % 2 else texts[side][:length])
            for side, length in self._lengths
        )
        return sorted(number for end in ends for number in self._by_end.get(end, ()))


def _ends_of(pattern: str) -> tuple[str, str]:
    return pattern.partition("*")[0], pattern.rpartition("*")[2]


def read_rules(document: object) -> tuple[NameRule, ...]:
    """Parse and check the rules of a file.

    Raises:
        Invalid: the document has another form; a pattern has more than four `*`, or `as` more than its pattern; a rule
            renames nothing; or a rule's result is renamed by a further pass, so two spellings would stay apart.
    """
    rules = read_checked_rules(document)
    faults = [fault for number, rule in enumerate(rules) for fault in _faults(number, rule)]
    if not faults:
        index = RuleIndex(rules)
        faults = [fault for number in range(len(rules)) for fault in _renamed_again(number, rules, index)]
    if faults:
        raise Invalid(faults)
    return rules


def read_checked_rules(document: object) -> tuple[NameRule, ...]:
    """Parse the rules of a document that `read_rules` accepted before: checking 1,000 rules again takes a second.

    Raises:
        Invalid: the document has another form.
    """
    # Few deployments have rules, and every function for events imports this module.
    from pydantic import ValidationError

    from headwater.events.name_rule_models import RulesModel
    from headwater.validation import invalid

    try:
        model = RulesModel.model_validate(document)
    except ValidationError as error:
        raise invalid(error, "names") from error
    return tuple(map(_rule, model.rules))


def _rule(model: RuleModel) -> NameRule:
    target, fields = model.target, model.fields_
    return NameRule(
        model.namespace,
        model.name,
        (target and target.namespace) or model.namespace,
        (target and target.name) or model.name,
        FieldFold(fields.quotes == "drop", fields.case) if fields else None,
    )


def _faults(number: int, rule: NameRule) -> list[Fault]:
    place = f"rules[{number}]"
    faults = []
    for side in ("namespace", "name"):
        pattern, text = getattr(rule, side), getattr(rule, f"as_{side}")
        if pattern.count("*") > _STARS_MAX:
            faults.append(Fault(f"{place}.{side}", pattern, f"must have at most {_STARS_MAX} `*`"))
        if text.count("*") > pattern.count("*"):
            faults.append(Fault(f"{place}.as.{side}", text, f"must have no more `*` than the pattern {pattern!r}"))
    if rule.fields == FieldFold():
        faults.append(Fault(f"{place}.fields", {}, "must have quotes or case"))
    if rule.fields is None and (rule.namespace, rule.name) == (rule.as_namespace, rule.as_name):
        faults.append(Fault(f"{place}.as", {}, "must differ from the pattern in a rule without fields"))
    return faults


def _renamed_again(number: int, rules: tuple[NameRule, ...], index: RuleIndex) -> list[Fault]:
    """List the fault of a rule whose results the rules rename in a second pass."""
    once = index.rename(*rules[number].sample, number + 1)
    again = index.rename(*once)
    if again == once:
        return []
    fault = f"must make names that stay as they are; it makes {_shown(once)}, which the rules rename to {_shown(again)}"
    return [Fault(f"rules[{number}]", rules[number].to_json(), fault)]


def _shown(name: tuple[str, str]) -> str:
    return f"{name[0]} {name[1]}"


@lru_cache(8)
def index_of(rules: tuple[NameRule, ...]) -> RuleIndex:
    """Index the rules; the last eight indexes are kept."""
    return RuleIndex(rules)


class Folds:
    """Folds of columns by the rules of a file.

    >>> rules = read_rules({"rules": [{"namespace": "snowflake://*", "fields": {"case": "lower"}}]})
    >>> folds_of(rules).find("snowflake://acc", "SALES.T"), folds_of(rules).find("s3://lake", "legs")
    (FieldFold(quotes=False, case='lower'), None)
    """

    def __init__(self, rules: Sequence[NameRule]) -> None:
        self.rules = [rule for rule in rules if rule.fields]
        self._index = RuleIndex([replace(rule, namespace=rule.as_namespace, name=rule.as_name) for rule in self.rules])

    def find(self, namespace: str, name: str) -> FieldFold | None:
        """Find the fold of a dataset's columns, by its name in the graph; of several rules the last case decides."""
        rules = (self.rules[number] for number in self._index.numbers(namespace, name))
        folds = [rule.fields for rule in rules if rule.fields and rule.makes(namespace, name)]
        cases = [fold.case for fold in folds if fold.case]
        return FieldFold(any(fold.quotes for fold in folds), cases[-1] if cases else None) if folds else None


@lru_cache(8)
def folds_of(rules: tuple[NameRule, ...]) -> Folds:
    """Index the folds of the rules: `folds_of(rules).find("s3://lake", "legs")`; the last eight indexes are kept."""
    return Folds(rules)


def rules_to_json(rules: Sequence[NameRule]) -> Mapping[str, Any]:
    """Render the rules as a file has them: `read_rules(rules_to_json(rules)) == rules`."""
    return {"rules": [rule.to_json() for rule in rules]}
