"""Reports as CSV (RFC 4180): a table; its column `section` names the subject of a row, `query` first.

A cell outside its row's section is empty. A cell of several values has `; ` between them.
All cells are quoted: a separator in a value cannot begin a new cell, which a spreadsheet might compute.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias
from unicodedata import normalize

Row: TypeAlias = Mapping[str, str]

# Spreadsheets compute a cell with such a beginning (OWASP, "CSV Injection"). East Asian locales read the full-width
# forms as ASCII. An apostrophe before it makes the cell text.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
# A cell of a spreadsheet holds 32,767 characters.
LISTED_MAX = 500


def cut(truncated: bool) -> list[Row]:
    """List the last row of a cut table, `{"section": "truncated"}`; no row for a whole table."""
    return [{"section": "truncated"}] if truncated else []


def flag(value: bool) -> str:
    """Print a condition: `true` or `false`."""
    return "true" if value else "false"


def join_words(values: Iterable[str]) -> str:
    """Join values in a cell; of more than `LISTED_MAX` the first, and their number.

    >>> join_words(["a", "b"]), join_words(["a"] * 502)[-18:]
    ('a; b', 'a; a; … and 2 more')
    """
    texts = list(values)
    more = [f"… and {len(texts) - LISTED_MAX} more"] if len(texts) > LISTED_MAX else []
    return "; ".join([*texts[:LISTED_MAX], *more])


def table(names: Sequence[str], rows: Iterable[Row]) -> str:
    r"""Render a table with these columns.

    >>> table(("job", "hops"), [{"job": "check"}])
    '"job","hops"\r\n"check",""\r\n'
    """
    return "".join(map(_line, (names, *([_cell(row.get(name, "")) for name in names] for row in rows))))


def _line(cells: Iterable[str]) -> str:
    r"""Render a line of RFC 4180, all cells quoted; the csv module of Python 3.10 refuses a NUL in a cell.

    >>> _line(["say", 'say "hi", please'])
    '"say","say ""hi"", please"\r\n'
    """
    quoted = (cell.replace('"', '""') for cell in cells)
    return ",".join(f'"{cell}"' for cell in quoted) + "\r\n"


def _cell(text: str) -> str:
    """Mark a text with an apostrophe if a spreadsheet would compute it.

    >>> _cell("=HYPERLINK(0)"), _cell("＝HYPERLINK(0)"), _cell("flight")
    ("'=HYPERLINK(0)", "'＝HYPERLINK(0)", 'flight')
    """
    return f"'{text}" if normalize("NFKC", text[:1]).startswith(_FORMULA) else text
