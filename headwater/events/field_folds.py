"""Folds of fields: rules of names (`name_rules`) say how producers' spellings of a dataset's columns become the same.

>>> fold = FieldFold(quotes=True, case="lower")
>>> fold.dotted('"Plane"."Tail.Number"'), fold.dotted("[nav]"), fold.dotted("nav")
('plane.`tail.number`', 'nav', 'nav')
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from headwater_model.field_paths import parse_dotted, parse_quoted, parse_slashed, print_dotted, print_slashed
from headwater_model.ids import FieldPath

Case: TypeAlias = Literal["lower", "upper"]
_QUOTES = ('""', "[]", "``")


@dataclass(frozen=True, slots=True)
class FieldFold:
    """A spelling of fields: without quotes (`"nav"`, `[nav]`, backquotes), in a case. To fold twice changes nothing."""

    quotes: bool = False
    case: Case | None = None

    def path(self, path: FieldPath) -> FieldPath:
        """Fold each name of a path."""
        names = parse_quoted(print_dotted(path)) if self.quotes else path
        return tuple(map(self._name, names))

    def dotted(self, text: str) -> str:
        """Fold a field as OpenLineage writes it."""
        return print_dotted(self.path(parse_dotted(text)))

    def slashed(self, text: str) -> str:
        """Fold a field as CDAP writes it."""
        return print_slashed(self.path(parse_slashed(text)))

    def to_json(self) -> dict[str, str]:
        """Render the `fields` of a rule, as in the file of rules: `{"quotes": "drop", "case": "lower"}`."""
        return {**({"quotes": "drop"} if self.quotes else {}), **({"case": self.case} if self.case else {})}

    def _name(self, name: str) -> str:
        while self.quotes and name[:1] + name[-1:] in _QUOTES and name[1:-1].strip():
            name = name[1:-1]
        return name if self.case is None else name.lower() if self.case == "lower" else name.upper()
