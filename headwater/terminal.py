"""Output for a terminal of some width, or for a file or a pipe, which has none."""

from __future__ import annotations

import logging
import os

from rich.console import Console
from rich.logging import RichHandler

# More than any line: Rich folds at a width, and has no word for none.
UNFOLDED = 100_000


def output_console() -> Console:
    """Return a console for standard output: it folds lines at the width of a terminal, or at COLUMNS, and nowhere else.

    Rich by itself takes 80 columns for what is no terminal, or the width of the terminal that is standard input.
    """
    console = Console()
    if not console.file.isatty() and not os.environ.get("COLUMNS"):
        console.width = UNFOLDED
    return console


def log_handler(console: Console) -> logging.Handler:
    """Return a handler that prints warnings above moving output on a terminal, elsewhere to standard error."""
    return RichHandler(console=console) if console.width < UNFOLDED else logging.StreamHandler()
