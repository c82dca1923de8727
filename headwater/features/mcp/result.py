"""The result of a tool: compact text for a model, the same as JSON for a program, and both bounded.

A list has at most `ROWS_MAX` rows, a text `CHARACTERS_MAX` characters and the JSON `JSON_MAX`; a longer string in a row
is shortened. The result names each cut, and how to get less at once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeVar

T = TypeVar("T")

ROWS_MAX = 50
CHARACTERS_MAX = 12_000
JSON_MAX = 100_000
# Of a string: a node id may have thousands of characters.
STRING_MAX = 1_000


@dataclass
class Result:
    """Lines of text, a JSON document, and a sentence for each cut."""

    title: str
    document: dict[str, Any] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    cuts: list[str] = field(default_factory=list)

    def rows(self, name: str, rows: Iterable[Mapping[str, Any]], texts: Iterable[str], limit: int = ROWS_MAX) -> None:
        """Add a list of rows to the document, and a line for each row; `texts` are as many as the rows."""
        taken = list(islice(zip(rows, texts, strict=True), limit + 1))
        if len(taken) > limit:
            self.cuts.append(f"{name}: only the first {limit} are listed")
        if any(_has_long_list(row) for row, _ in taken):
            self.cuts.append(f"{name}: lists within a row have their first {ROWS_MAX} items")
        self.document[name] = [shortened(row) for row, _ in taken[:limit]]
        self.lines += [shortened(text) for _, text in taken[:limit]]

    def cut_if(self, truncated: object, reason: str) -> None:
        """Add a reason if the service cut its response."""
        if truncated:
            self.cuts.append(reason)

    @property
    def json(self) -> dict[str, Any]:
        """The document with `cut`, the sentences about missing parts; its longest lists are halved until it fits."""
        document = dict(self.document)
        cuts = list(self.cuts)
        while len(json.dumps(document)) > JSON_MAX:
            name = max(document, key=lambda key: len(json.dumps(document[key])))
            if not isinstance(document[name], list):
                break
            document[name] = document[name][: len(document[name]) // 2]
            cuts.append(f"{name}: only the first {len(document[name])} fit into the JSON")
        return {**document, "cut": cuts}

    @property
    def text(self) -> str:
        """The title, as many lines as fit, and the cuts."""
        ends = [f"CUT: {cut}" for cut in self.cuts]
        left = CHARACTERS_MAX - len(self.title) - sum(len(line) + 1 for line in ends) - 60
        kept: list[str] = []
        for line in self.lines:
            left -= len(line) + 1
            if left < 0:
                break
            kept.append(line)
        if len(kept) < len(self.lines):
            ends.append(f"CUT: {len(self.lines) - len(kept)} more lines; the JSON has them")
        return "\n".join([self.title, *(kept or ["nothing"]), *ends])


def _has_long_list(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_has_long_list, value.values()))
    return isinstance(value, list) and (len(value) > ROWS_MAX or any(map(_has_long_list, value)))


def shortened(value: Any) -> Any:
    """Shorten the strings and lists of a JSON value.

    >>> shortened({"name": "a" * 2000})["name"].endswith("a... (2000 characters)")
    True
    """
    if isinstance(value, str):
        return value if len(value) <= STRING_MAX else f"{value[:STRING_MAX]}... ({len(value)} characters)"
    if isinstance(value, Mapping):
        return {name: shortened(item) for name, item in value.items()}
    return [shortened(item) for item in value[:ROWS_MAX]] if isinstance(value, list) else value
