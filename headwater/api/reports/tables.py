"""Reports as CSV (RFC 4180): one table, whose column `section` names the subject of a row, `query` first.

Cells that do not apply to a row's section are empty. Cells hold several values with `; ` between them.
Every cell is quoted, so that no separator in a value begins a cell that a spreadsheet would compute.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias
from unicodedata import normalize

Row: TypeAlias = Mapping[str, str]

# Spreadsheets compute a cell that begins so, in any width of the character (OWASP, "CSV Injection"; East Asian locales
# read the full-width forms as their ASCII ones); an apostrophe before it makes it text.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
# A cell of a spreadsheet holds 32,767 characters.
LISTED_MAX = 500


def cut(truncated: bool) -> list[Row]:
    """Return a last row that marks the table as cut, if there was more."""
    return [{"section": "truncated"}] if truncated else []


def flag(value: bool) -> str:
    """Return a cell of a condition."""
    return "true" if value else "false"


def join_words(values: Iterable[str]) -> str:
    """Join several values to one cell; the first of them, where there are more than a cell may hold."""
    texts = list(values)
    more = [f"… and {len(texts) - LISTED_MAX} more"] if len(texts) > LISTED_MAX else []
    return "; ".join([*texts[:LISTED_MAX], *more])


def table(names: Sequence[str], rows: Iterable[Row]) -> str:
    """Return a table with these columns."""
    return "".join(map(_line, (names, *([_cell(row.get(name, "")) for name in names] for row in rows))))


def _line(cells: Iterable[str]) -> str:
    r"""Return a line of RFC 4180, every cell quoted; the csv module of Python 3.10 refuses a NUL in a cell.

    >>> _line(["say", 'say "hi", please'])
    '"say","say ""hi"", please"\r\n'
    """
    quoted = (cell.replace('"', '""') for cell in cells)
    return ",".join(f'"{cell}"' for cell in quoted) + "\r\n"


def _cell(text: str) -> str:
    """Return the text as a cell that no spreadsheet computes.

    >>> _cell("=HYPERLINK(0)"), _cell("＝HYPERLINK(0)"), _cell("flight")
    ("'=HYPERLINK(0)", "'＝HYPERLINK(0)", 'flight')
    """
    return f"'{text}" if normalize("NFKC", text[:1]).startswith(_FORMULA) else text
