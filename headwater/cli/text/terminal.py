"""Output for a terminal, and for a file or a pipe.

A terminal gets trees, tables and colours, folded at its width. A file or pipe gets plain lines of any length, ASCII but
for data: of a tree a node each, indented by two spaces a level; of a table a row each, with tabs between its cells.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from threading import Event

from rich.console import Console, Group, RenderableType
from rich.logging import RichHandler
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

# Longer than any line: Rich folds at a width, and has no word for none.
_UNFOLDED = 100_000
_CTRL_C = b"\x03"


def output_console() -> Console:
    """Open a console for standard output; `headwater graph NODE > file` has no colours, whatever FORCE_COLOR says."""
    if sys.stdout.isatty():
        return Console(force_terminal=True)
    return Console(force_terminal=False, width=_UNFOLDED)


def progress_console() -> Console:
    """Open a console for standard error: bars and spinners belong on a terminal alone, never in a file (`2> log`)."""
    return Console(stderr=True, force_terminal=sys.stderr.isatty())


def log_handler(console: Console) -> logging.Handler:
    """Build a handler that prints warnings above moving output on a terminal, elsewhere to standard error."""
    return RichHandler(console=console) if console.is_terminal else logging.StreamHandler()


def print_part(console: Console, part: RenderableType) -> None:
    """Print `Text("orders")`, a tree, a table or a group: formatted on a terminal, elsewhere as plain lines."""
    if console.is_terminal:
        console.print(part, highlight=False)
        return
    for line in _plain_lines(part):
        print(line, file=console.file)  # Rich would make spaces of tabs


def print_json(document: object) -> None:
    r"""Print a document as JSON in ASCII, `"\u001b"` for an escape: no character of it moves a terminal's cursor."""
    print(json.dumps(document, indent=2))


def wait_for_interrupt() -> None:
    """Wait for Ctrl-C, SIGINT or SIGTERM.

    If this process reads the terminal, Ctrl-C is a key and no signal. The terminal would send a signal to every process
    in front, also to the `make` above this process, whose exit status would be lost.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        if _reads_terminal():
            _wait_for_key(sys.stdin.fileno())
        else:
            Event().wait()


def _reads_terminal() -> bool:
    """True if standard input is a terminal with this process in front: in the background, a change would stop us."""
    try:
        return os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    except (OSError, ValueError):  # no terminal, not this process's, or a closed file
        return False


def _wait_for_key(terminal: int) -> None:
    """Wait for Ctrl-C as a key, or for the end of the terminal; leave the terminal as it was."""
    import termios

    before, now = termios.tcgetattr(terminal), termios.tcgetattr(terminal)
    now[3] &= ~(termios.ICANON | termios.ECHO)
    now[6][termios.VINTR] = b"\0"  # no key interrupts
    termios.tcsetattr(terminal, termios.TCSANOW, now)
    try:
        while os.read(terminal, 1) not in (_CTRL_C, b""):
            pass
    finally:
        termios.tcsetattr(terminal, termios.TCSANOW, before)


def _plain_lines(part: RenderableType) -> Iterator[str]:
    if isinstance(part, Group):
        for renderable in part.renderables:
            yield from _plain_lines(renderable)
    elif isinstance(part, Tree):
        yield from _tree_lines(part)
    elif isinstance(part, Table):
        if part.show_header:
            yield "\t".join(_plain(column.header) for column in part.columns)
        for row in zip(*(column.cells for column in part.columns), strict=True):
            yield "\t".join(map(_plain, row))
    else:
        yield _plain(part)


def _tree_lines(tree: Tree) -> Iterator[str]:
    pending = [(child, 0) for child in reversed(tree.children)] if tree.hide_root else [(tree, 0)]
    while pending:
        branch, level = pending.pop()
        yield "  " * level + _plain(branch.label)
        pending += [(child, level + 1) for child in reversed(branch.children)]


def _plain(label: RenderableType) -> str:
    text = label if isinstance(label, Text) else Text.from_markup(str(label))
    return "  ".join(text.plain.split("\n"))
