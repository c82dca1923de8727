r"""A field's path as text: OpenLineage, Marquez and Spark put dots between names, CDAP slashes.

A name that holds the separator stands in backquotes (dots, as Spark does it) or behind backslashes (slashes). Text that
is no such path (`a..b`) is one name.
"""

from __future__ import annotations

import re

from headwater_model.ids import FieldPath

_DOTTED = re.compile(r"`(?P<quoted>(?:[^`]|``)+)`|(?P<plain>[^.`][^.]*)")
_SLASHED = re.compile(r"(?:[^/\\]|\\[/\\])+")


def parse_dotted(text: str) -> FieldPath:
    """Return a field as OpenLineage, Marquez and Spark write it.

    >>> parse_dotted("employees.name"), parse_dotted("`a.b`.c"), parse_dotted("a..b")
    (('employees', 'name'), ('a.b', 'c'), ('a..b',))
    """
    if "." not in text and "`" not in text:  # nearly every field
        return (text,)
    parts = _parts(_DOTTED, ".", text)
    if parts is None:
        return (text,)
    return tuple(part["plain"] or part["quoted"].replace("``", "`") for part in parts)


def print_dotted(path: FieldPath) -> str:
    """Return a field as OpenLineage, Marquez and Spark write it; reading it again gives the same path.

    >>> print_dotted(("employees", "name")), print_dotted(("a.b", "c")), print_dotted(("a..b",))
    ('employees.name', '`a.b`.c', 'a..b')
    """
    text = ".".join(path)
    if parse_dotted(text) == path:
        return text
    return ".".join("`" + name.replace("`", "``") + "`" if _is_odd(name) else name for name in path)


def parse_slashed(text: str) -> FieldPath:
    r"""Return a field as CDAP writes it.

    >>> parse_slashed("employees/name"), parse_slashed(r"a\/b"), parse_slashed("a//b")
    (('employees', 'name'), ('a/b',), ('a//b',))
    """
    if "/" not in text and "\\" not in text:
        return (text,)
    parts = _parts(_SLASHED, "/", text)
    return (text,) if parts is None else tuple(re.sub(r"\\([/\\])", r"\1", part[0]) for part in parts)


def print_slashed(path: FieldPath) -> str:
    r"""Return a field as CDAP writes it; reading it again gives the same path.

    >>> print_slashed(("employees", "name")), print_slashed(("a/b",))
    ('employees/name', 'a\\/b')
    """
    text = "/".join(path)
    return text if parse_slashed(text) == path else "/".join(re.sub(r"([/\\])", r"\\\1", name) for name in path)


def _is_odd(name: str) -> bool:
    return "." in name or name.startswith("`")


def _parts(name: re.Pattern[str], separator: str, text: str) -> list[re.Match[str]] | None:
    """Return the names between separators; None if the text is anything else."""
    parts, place = [], 0
    while True:
        part = name.match(text, place)
        if part is None:
            return None
        parts.append(part)
        place = part.end()
        if place == len(text):
            return parts
        if text[place] != separator:
            return None
        place += 1
