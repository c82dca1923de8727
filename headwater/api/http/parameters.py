"""Parameters of routes: each is declared once, reads itself from a request, and is documented by `openapi`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeAlias, TypeVar, overload

from pydantic import TypeAdapter, ValidationError

from headwater.api.http.request import HttpRequest
from headwater.times import from_seconds, is_day, parse_time
from headwater.validation import invalid
from headwater_model.errors import Invalid

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
C = TypeVar("C", bound=str)
Schema: TypeAlias = Mapping[str, object]

TIME_RULE = "Unix seconds, an ISO 8601 time, a day (its midnight), or a year (four digits: its first midnight)."
_ENCODED = "One path segment, percent-encoded: `/` is `%2F`."
_SECONDS = re.compile(r"[0-9]{1,12}", re.ASCII)
_YEAR = re.compile(r"\d{4}", re.ASCII)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TEXT: Schema = {"type": "string", "minLength": 1}


@dataclass(frozen=True, slots=True)
class Parameter(Generic[T_co]):
    """A value of a path or query; `schema` is its JSON Schema, `read` takes it from a request or raises `Invalid`."""

    name: str
    description: str
    schema: Schema
    read: Callable[[HttpRequest], T_co]
    place: Literal["path", "query"] = "query"
    required: bool = False
    repeated: bool = False


AnyParameter: TypeAlias = Parameter[Any]


def segment(name: str, example: str, description: str = "") -> Parameter[str]:
    """Return an id in the path."""
    return path_value(name, {**_TEXT, "examples": [example]}, lambda request: request.segment(name), description)


def path_value(name: str, schema: Schema, read: Callable[[HttpRequest], T], description: str = "") -> Parameter[T]:
    """Return a value in the path that has a form of its own."""
    return Parameter(name, f"{description} {_ENCODED}".strip(), schema, read, place="path", required=True)


def checked_segment(name: str, schema: Schema, rule: TypeAdapter[str]) -> Parameter[str]:
    """Return an id in the path that keeps a rule of texts."""
    return path_value(name, schema, lambda request: _checked(rule, name, request.segment(name)))


def checked(name: str, description: str, schema: Schema, rule: TypeAdapter[str]) -> Parameter[str | None]:
    """Return a value of the query that keeps a rule of texts."""

    def read(request: HttpRequest) -> str | None:
        value = request.value(name)
        return None if value is None else _checked(rule, name, value)

    return Parameter(name, description, schema, read)


def value(name: str, description: str, schema: Schema = _TEXT) -> Parameter[str | None]:
    """Return a value of the query that its handler reads further."""
    return Parameter(name, description, schema, lambda request: request.value(name))


@overload
def number(name: str, description: str, *, least: int, most: int, default: int) -> Parameter[int]: ...


@overload
def number(name: str, description: str, *, least: int, most: int) -> Parameter[int | None]: ...


def number(
    name: str, description: str, *, least: int, most: int, default: int | None = None
) -> Parameter[int] | Parameter[int | None]:
    """Return a whole number of the query."""

    def read(request: HttpRequest) -> int | None:
        given = request.number(name, least=least, most=most)
        return default if given is None else given

    schema = {"type": "integer", "minimum": least, "maximum": most, **_default(default)}
    return Parameter(name, description, schema, read)


def text(name: str, description: str) -> Parameter[str | None]:
    """Return a value of the query that is Unicode."""
    return Parameter(name, description, _TEXT, lambda request: _unicode(request, name))


def required_text(name: str, description: str, example: str) -> Parameter[str]:
    """Return a value of the query that must be given; Marquez, too, answers 400 when it is missing."""

    def read(request: HttpRequest) -> str:
        given = _unicode(request, name)
        if given is None or not given.strip():
            raise Invalid.because(name, given, "must be given, and not blank")
        return given

    return Parameter(name, description, {**_TEXT, "examples": [example]}, read, required=True)


def given_text(name: str, description: str, example: str) -> Parameter[str | None]:
    """Return a value of the query that is not blank where it is given."""

    def read(request: HttpRequest) -> str | None:
        given = _unicode(request, name)
        if given is not None and not given.strip():
            raise Invalid.because(name, given, "must not be blank")
        return given

    return Parameter(name, description, {**_TEXT, "examples": [example]}, read)


@overload
def choice(name: str, description: str, choices: Mapping[str, T], *, default: str) -> Parameter[T]: ...


@overload
def choice(name: str, description: str, choices: Mapping[str, T]) -> Parameter[T | None]: ...


def choice(
    name: str, description: str, choices: Mapping[str, T], *, default: str | None = None
) -> Parameter[T] | Parameter[T | None]:
    """Return one of some words and its meaning, read as Marquez reads them: case, `-`, `.` and `_` do not count."""

    def read(request: HttpRequest) -> T | None:
        given = _unicode(request, name)
        if given is None:
            return None if default is None else choices[default]
        return choices[_chosen(name, given, choices)]

    return Parameter(name, description, _enum(choices, default), read)


def required_choice(name: str, description: str, choices: Sequence[C]) -> Parameter[C]:
    """Return one of some words, which must be given."""

    def read(request: HttpRequest) -> C:
        given = _unicode(request, name)
        if given is None:
            raise Invalid.because(name, None, f"must be one of {', '.join(choices)}")
        return _chosen(name, given, choices)

    return Parameter(name, description, _enum(choices), read, required=True)


def choices_of(name: str, description: str, choices: Sequence[C]) -> Parameter[tuple[C, ...]]:
    """Return any number of some words."""

    def read(request: HttpRequest) -> tuple[C, ...]:
        return tuple(_chosen(name, given, choices) for given in request.values(name))

    return Parameter(name, description, {"type": "array", "items": _enum(choices)}, read, repeated=True)


@overload
def word(name: str, description: str, words: Mapping[str, T], *, default: str) -> Parameter[T]: ...


@overload
def word(name: str, description: str, words: Mapping[str, T]) -> Parameter[T | None]: ...


def word(
    name: str, description: str, words: Mapping[str, T], *, default: str | None = None
) -> Parameter[T] | Parameter[T | None]:
    """Return one of some words and its meaning, in any case."""

    def read(request: HttpRequest) -> T | None:
        given = request.value(name)
        if given is None:
            return None if default is None else words[default]
        if given.lower() not in words:
            raise Invalid.because(name, given, f"must be one of {', '.join(words)}")
        return words[given.lower()]

    return Parameter(name, description, _enum(words, default), read)


def moment(name: str, description: str) -> Parameter[str | None]:
    """Return a time, normalized: Unix seconds, an ISO 8601 time, or the begin of a day or of a year (four digits)."""

    def read(request: HttpRequest) -> str | None:
        given = _unicode(request, name)
        if given is None:
            return None
        try:
            return _parse_moment(given)
        except (ValueError, OverflowError) as error:
            rule = "must be Unix seconds, or a year, a day or an ISO 8601 date and time of the years 1 to 9999"
            raise Invalid.because(name, given, rule) from error

    schema = {"type": "string", "examples": ["2025-11-20T12:00:00Z", "1763640000"]}
    return Parameter(name, f"{description} {TIME_RULE}", schema, read)


def day(name: str, description: str, example: str) -> Parameter[str | None]:
    """Return a day of the calendar, as YYYY-MM-DD."""

    def read(request: HttpRequest) -> str | None:
        given = _unicode(request, name)
        if given is not None and not is_day(given):
            raise Invalid.because(name, given, "must be a day, as YYYY-MM-DD")
        return given

    return Parameter(name, description, {"type": "string", "format": "date", "examples": [example]}, read)


def required_moment(name: str, description: str) -> Parameter[str]:
    """Return a time that must be given, as `moment`."""
    optional = moment(name, description)

    def read(request: HttpRequest) -> str:
        given = optional.read(request)
        if given is None:
            raise Invalid.because(name, None, "must be given")
        return given

    return Parameter(name, optional.description, optional.schema, read, required=True)


def _parse_moment(given: str) -> str:
    if _YEAR.fullmatch(given):
        return parse_time(f"{given}-01-01T00:00:00Z")
    if _SECONDS.fullmatch(given):
        return from_seconds(int(given))
    if _DAY.fullmatch(given):
        return parse_time(f"{given}T00:00:00Z")
    # A `+` that was sent unencoded is a space by now.
    return parse_time(given.replace(" ", "+") if "T" in given else given)


def _checked(rule: TypeAdapter[str], name: str, given: str) -> str:
    try:
        return rule.validate_python(given)
    except ValidationError as error:
        raise invalid(error, name) from error


def _unicode(request: HttpRequest, name: str) -> str | None:
    given = request.value(name)
    try:
        _ = (given or "").encode()
    except UnicodeEncodeError as error:
        raise Invalid.because(name, given, "must be Unicode text") from error
    return given


def _chosen(name: str, given: str, choices: Iterable[C]) -> C:
    for word in choices:
        if _plain(word) == _plain(given):
            return word
    raise Invalid.because(name, given, f"must be one of {', '.join(choices)}")


def _plain(given: str) -> str:
    return re.sub(r"[-._]", "", given).lower()


def _enum(words: Iterable[str], default: str | None = None) -> Schema:
    return {"type": "string", "enum": list(words), **_default(default)}


def _default(default: object) -> Schema:
    return {} if default is None else {"default": default}
