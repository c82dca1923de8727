r"""Paths of fields: their text, and the relations of a struct to its fields.

In text, OpenLineage, Marquez and Spark put dots between names, CDAP slashes. A name with the separator is quoted: by
backquotes (dots, as in Spark) or backslashes (slashes). Malformed text (`a..b`) is a single name.

Among the paths of a report, a path finds itself; else the fields inside it; else the nearest struct around it. Each
report is searched by itself: a run's report of a struct hides no field in the report of a second run.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import lru_cache

from headwater_model.ids import FieldPath

_DOTTED = re.compile(r"`(?P<quoted>(?:[^`]|``)+)`|(?P<plain>[^.`][^.]*)")
_QUOTED = re.compile(rf'"(?P<double>[^"]+)"(?=\.|$)|\[(?P<bracket>[^\]]+)\](?=\.|$)|{_DOTTED.pattern}')
_SLASHED = re.compile(r"(?:[^/\\]|\\[/\\])+")


def parse_dotted(text: str) -> FieldPath:
    """Parse a field of OpenLineage, Marquez or Spark.

    >>> parse_dotted("employees.name"), parse_dotted("`a.b`.c"), parse_dotted("a..b")
    (('employees', 'name'), ('a.b', 'c'), ('a..b',))
    """
    if "." not in text and "`" not in text:  # nearly every field
        return (text,)
    parts = _parts(_DOTTED, ".", text)
    if parts is None:
        return (text,)
    return tuple(part["plain"] or part["quoted"].replace("``", "`") for part in parts)


def parse_quoted(text: str) -> FieldPath:
    """Parse a field of a database, with names perhaps in double quotes or brackets.

    >>> parse_quoted('"a.b".c'), parse_quoted("[a].b"), parse_quoted('"a.b')
    (('a.b', 'c'), ('a', 'b'), ('"a', 'b'))
    """
    parts = _parts(_QUOTED, ".", text)
    if parts is None:
        return (text,)
    return tuple(
        part["double"] or part["bracket"] or part["plain"] or part["quoted"].replace("``", "`") for part in parts
    )


@lru_cache(maxsize=10_000)
def print_dotted(path: FieldPath) -> str:
    """Print a field for OpenLineage, Marquez and Spark; parsing gives the same path again.

    >>> print_dotted(("employees", "name")), print_dotted(("a.b", "c")), print_dotted(("a..b",))
    ('employees.name', '`a.b`.c', 'a..b')
    """
    text = ".".join(path)
    if parse_dotted(text) == path:
        return text
    quoted = ("`" + name.replace("`", "``") + "`" if "." in name or name.startswith("`") else name for name in path)
    return ".".join(quoted)


def parse_slashed(text: str) -> FieldPath:
    r"""Parse a field of CDAP.

    >>> parse_slashed("employees/name"), parse_slashed(r"a\/b"), parse_slashed("a//b")
    (('employees', 'name'), ('a/b',), ('a//b',))
    """
    if "/" not in text and "\\" not in text:
        return (text,)
    parts = _parts(_SLASHED, "/", text)
    return (text,) if parts is None else tuple(re.sub(r"\\([/\\])", r"\1", part[0]) for part in parts)


def print_slashed(path: FieldPath) -> str:
    r"""Print a field for CDAP; parsing gives the same path again.

    >>> print_slashed(("employees", "name")), print_slashed(("a/b",))
    ('employees/name', 'a\\/b')
    """
    text = "/".join(path)
    return text if parse_slashed(text) == path else "/".join(re.sub(r"([/\\])", r"\\\1", name) for name in path)


def _parts(name: re.Pattern[str], separator: str, text: str) -> list[re.Match[str]] | None:
    """Match the names between separators; None for malformed text."""
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


def structs_around(path: FieldPath) -> Iterator[FieldPath]:
    """Yield the structs around a field, the nearest first.

    >>> list(structs_around(("plane", "engine", "kind")))
    [('plane', 'engine'), ('plane',)]
    """
    return (path[:length] for length in range(len(path) - 1, 0, -1))


class RelatedPaths:
    """An index of paths, searched by a related path."""

    def __init__(self, paths: Collection[FieldPath]) -> None:
        self.paths = paths
        self._inside: dict[FieldPath, list[FieldPath]] = {}
        for path in paths:
            for struct in structs_around(path) if len(path) > 1 else ():
                self._inside.setdefault(struct, []).append(path)

    def has(self, path: FieldPath) -> bool:
        """True if the path, or a field inside it, is indexed."""
        return path in self.paths or path in self._inside

    def find(self, path: FieldPath) -> Collection[FieldPath]:
        """Find the path itself; else the fields inside it; else the nearest struct around it; else nothing.

        >>> paths = RelatedPaths([("plane", "tail"), ("plane", "seats"), ("day",)])
        >>> paths.find(("day",)), sorted(paths.find(("plane",))), paths.find(("day", "hour"))
        ([('day',)], [('plane', 'seats'), ('plane', 'tail')], [('day',)])
        """
        if path in self.paths:
            return [path]
        return self._inside.get(path) or [struct for struct in structs_around(path) if struct in self.paths][:1]

    def describes(self, path: FieldPath) -> bool:
        """True if a schema of the indexed paths can hold the path, by name or in a struct without fields.

        >>> schema = RelatedPaths([("plane",), ("plane", "tail"), ("crew",)])
        >>> schema.describes(("crew", "name")), schema.describes(("plane", "seats"))
        (True, False)
        """
        return self.has(path) or any(related not in self._inside for related in self.find(path))

    def overlapping(self, path: FieldPath) -> list[FieldPath]:
        """Find equal paths, paths inside the path, and structs around it."""
        around = (candidate for candidate in (path, *structs_around(path)) if candidate in self.paths)
        return [*around, *self._inside.get(path, ())]


class ColumnIndex:
    """The reported columns of a dataset; each of `reports` is a set of paths, or a mapping by path."""

    def __init__(self, reports: Iterable[Collection[FieldPath]]) -> None:
        self.reports = [RelatedPaths(paths) for paths in reports]
        self.named: frozenset[FieldPath] = frozenset().union(*(report.paths for report in self.reports))

    def has(self, path: FieldPath) -> bool:
        """True if any report names the path, or a field inside it."""
        return any(report.has(path) for report in self.reports)

    def find(self, path: FieldPath) -> frozenset[FieldPath]:
        """Find a path in every report, and unite the results."""
        return frozenset().union(*(report.find(path) for report in self.reports))

    def invert(
        self, origins: AbstractSet[FieldPath], used: Iterable[FieldPath]
    ) -> dict[FieldPath, AbstractSet[FieldPath]]:
        """Map each used path to its `origins`.

        An origin named by a report counts if the used path finds it. An unnamed origin counts if it equals the used
        path, or if one of the two lies inside the other.
        """
        unnamed = RelatedPaths(origins - self.named)
        related = {path: (self.find(path) & origins).union(unnamed.overlapping(path)) for path in used}
        return {path: paths for path, paths in related.items() if paths}
