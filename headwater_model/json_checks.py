"""Checks of JSON values: functions that return broken rules, of the standard library alone.

    JOB = fields_of({"namespace": text(not_blank), "name": text(not_blank, at_most(2048))}, required=("name",))
    faults_of(JOB, {"name": 7}, "job")  # [Fault("name", 7, "must be a string")]

A field with null is missing; fields outside a check may hold anything. `read_json` reads and checks in one pass: a
wrong value becomes a fault, and the reading goes on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias, TypeVar

from headwater_model.errors import Fault, Invalid

# The deepest known event nests like its schema's structs; parsers and databases fail somewhere beyond this depth.
LEVELS_MAX = 100
# A container takes half a kilobyte of memory: enough for 60,000 sources of columns with their transformations.
CONTAINERS_MAX = 200_000
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SURROGATE = "must be valid Unicode (it holds a lone surrogate)"

T = TypeVar("T")
Path: TypeAlias = "tuple[int | str, ...]"


class Broken(NamedTuple):
    """A value that breaks a rule, with its path in the checked value."""

    value: object
    rule: str
    path: Path = ()
    missing: bool = False


Check: TypeAlias = "Callable[[Any], Sequence[Broken]]"
# A rule of a text: returns itself in words for a broken text.
TextRule: TypeAlias = "Callable[[str], str | None]"


def faults_of(check: Check, value: object, whole: str) -> list[Fault]:
    """Collect the faults of a value; a fault of no field is called `whole`."""
    return [Fault(field_path(each.path) or whole, each.value, each.rule, each.missing) for each in check(value)]


def field_path(path: Path) -> str:
    """Print a path in nested JSON.

    >>> field_path(("records", 3, "node_id"))
    'records[3].node_id'
    """
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


def not_empty(value: str) -> str | None:
    """Rule: a character or more; `""` must not be empty."""
    return None if value else "must not be empty"


def not_blank(value: str) -> str | None:
    """Rule: a character besides white space; `" "` must not be blank."""
    return None if value.strip() else "must not be blank"


def no_control(value: str) -> str | None:
    """Rule: no control characters, since the text is printed in lists, ids and logs."""
    return "must not hold control characters" if _CONTROL.search(value) else None


def at_most(limit: int) -> TextRule:
    """Build the rule of Unicode of at most `limit` bytes of UTF-8."""

    def rule(value: str) -> str | None:
        try:
            size_bytes = len(value.encode())
        except UnicodeEncodeError:
            return _SURROGATE
        return f"must be at most {limit} bytes of UTF-8" if size_bytes > limit else None

    return rule


def text(*rules: TextRule) -> Check:
    """Build the check of a text, `text(not_blank, no_control)`: the first broken rule is its fault."""

    def check(value: object) -> Sequence[Broken]:
        if not isinstance(value, str):
            return [Broken(value, "must be a string")]
        for rule in rules:
            if broken := rule(value):
                return [Broken(value, broken)]
        return ()

    return check


def boolean(value: object) -> Sequence[Broken]:
    """Check true or false."""
    return () if isinstance(value, bool) else [Broken(value, "must be true or false")]


def integer(value: object) -> Sequence[Broken]:
    """Check a whole number."""
    return () if isinstance(value, int) and not isinstance(value, bool) else [Broken(value, "must be a whole number")]


def json_object(value: object) -> Sequence[Broken]:
    """Check a JSON object."""
    return () if isinstance(value, dict) else [Broken(value, "must be a JSON object")]


def list_of(check: Check, *, least: int = 0, most: int | None = None) -> Check:
    """Build the check of a list of `least` to `most` items."""

    def check_list(value: object) -> Sequence[Broken]:
        if not isinstance(value, list):
            return [Broken(value, "must be a list")]
        if len(value) < least:
            return [Broken(value, f"must have at least {least} item")]
        if most is not None and len(value) > most:
            return [Broken(value, f"must have at most {most} items, not {len(value)}")]
        return _all_of(check, enumerate(value))

    return check_list


def map_of(check: Check, *rules: TextRule) -> Check:
    """Build the check of a JSON object with any fields, whose names keep the rules."""

    def check_map(value: object) -> Sequence[Broken]:
        if not isinstance(value, dict):
            return json_object(value)
        broken = [rule(name) for name in value for rule in rules]
        return _all_of(check, value.items()) or [Broken(value, words) for words in broken if words][:1]

    return check_map


def fields_of(
    fields: Mapping[str, Check],
    *,
    required: Collection[str] = (),
    others: Check | None = None,
    last: Check | None = None,
) -> Check:
    """Build the check of a JSON object: of its fields, of all `others`, and `last` of the object itself."""

    def check_fields(value: object) -> Sequence[Broken]:
        if not isinstance(value, dict):
            return json_object(value)
        broken: list[Broken] = []
        for name, check in fields.items():
            if (given := value.get(name)) is not None:
                broken += _below(name, check(given))
            elif name in required:
                broken.append(Broken(None, "is required", (name,), missing=True))
        if others is not None:
            broken += _all_of(others, ((n, v) for n, v in value.items() if n not in fields and v is not None))
        return broken if broken or last is None else last(value)

    return check_fields


def _all_of(check: Check, items: Any) -> list[Broken]:
    return [broken for step, value in items for broken in _below(step, check(value))]


def _below(step: int | str, broken: Sequence[Broken]) -> Sequence[Broken]:
    return [each._replace(path=(step, *each.path)) for each in broken] if broken else ()


def depth_faults(body: object, whole: str) -> Iterator[Fault]:
    """Yield a fault if the JSON nests too deep to be read (`101 levels`), or holds too many objects and lists."""
    levels, containers, level = 0, 0, [body]
    while level:
        levels += 1
        containers += len(level)
        level = [
            child
            for parent in level
            for child in (parent.values() if isinstance(parent, dict) else parent if isinstance(parent, list) else ())
            if isinstance(child, (dict, list))
        ]
    if levels > LEVELS_MAX:
        yield Fault(whole, f"{levels} levels", f"must be nested at most {LEVELS_MAX} levels deep")
    if containers > CONTAINERS_MAX:
        yield Fault(whole, f"{containers:,} of them", f"must hold at most {CONTAINERS_MAX:,} objects and lists")


def value_faults(body: object, whole: str) -> Iterator[Fault]:
    """Yield a fault for each unstorable value, such as `2**64`; the depth of the JSON has been checked."""
    todo: list[tuple[Path, object]] = [((), body)]
    while todo:
        path, value = todo.pop()
        if rule := _storing_rule(value):
            yield Fault(field_path(path) or whole, value, rule)
        todo += [((*path, str(name)), child) for name, child in value.items()] if isinstance(value, dict) else []
        todo += [((*path, index), child) for index, child in enumerate(value)] if isinstance(value, list) else []


def _storing_rule(value: object) -> str | None:
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return "must be a number of at most 64 bits"
    texts = [value] if isinstance(value, str) else value if isinstance(value, dict) else ()
    return _SURROGATE if any(isinstance(text, str) and _is_broken(text) for text in texts) else None


def _is_broken(text: str) -> bool:
    return not text.isascii() and text.encode(errors="replace") != text.encode(errors="surrogatepass")


@dataclass(frozen=True, slots=True)
class JsonValue:
    """A JSON value with its path, to be read; a wrong value adds to `faults`, and an empty value is read instead."""

    value: Any
    where: str
    faults: list[Fault] = field(repr=False)

    def member(self, name: str) -> JsonValue:
        """Read a member of an object; its value is None if the member is missing."""
        value = self.value.get(name) if isinstance(self.value, Mapping) else None
        return JsonValue(value, f"{self.where}.{name}", self.faults)

    def items(self) -> list[JsonValue]:
        """Read the items of a list; None has no items."""
        if self.value is None:
            return []
        if not isinstance(self.value, Sequence) or isinstance(self.value, (str, bytes)):
            self.fault("must be a list")
            return []
        return [JsonValue(item, f"{self.where}[{index}]", self.faults) for index, item in enumerate(self.value)]

    def text(self) -> str:
        """Read a required text."""
        if self.value is None:
            self.faults.append(Fault(self.where, None, "is required", missing=True))
        return self.text_or_none() or ""

    def name(self) -> str:
        """Read a required text with more than white space."""
        text = self.text()
        if isinstance(self.value, str) and not text.strip():
            self.fault("must not be blank")
        return text

    def text_or_none(self) -> str | None:
        """Read an optional text."""
        if self.value is None or isinstance(self.value, str):
            return self.value
        self.fault("must be a string")
        return None

    def is_object(self, rule: str = "must be a JSON object") -> bool:
        """True if the value is an object; else a fault is added."""
        if not isinstance(self.value, Mapping):
            self.fault(rule)
        return isinstance(self.value, Mapping)

    def fault(self, rule: str) -> None:
        """Add a fault: the value breaks the rule."""
        self.faults.append(Fault(self.where, self.value, rule))


def read_json(value: object, where: str, read: Callable[[JsonValue], T]) -> T:
    """Read a value by `read`.

    Raises:
        Invalid: with every fault, named from `where` on (`operations[3].inputs[0].origin`).
    """
    faults: list[Fault] = []
    result = read(JsonValue(value, where, faults))
    if faults:
        raise Invalid(faults)
    return result
