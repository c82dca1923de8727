"""Tables in Markdown: the format of printed and written results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

_ALIGNMENTS = {"l": "---", "r": "--:"}


def render_table(columns: Sequence[str], alignment: str, rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table; `alignment` has `l` or `r` for each column.

    >>> list(render_table(("what", "calls"), "lr", [("a", "3")]))
    ['| what | calls |', '| --- | --: |', '| a | 3 |']
    """
    yield render_row(columns)
    yield render_row([_ALIGNMENTS[letter] for letter in alignment])
    yield from map(render_row, rows)


def render_row(cells: Sequence[str]) -> str:
    """Render a line of a table."""
    return f"| {' | '.join(cells)} |"
