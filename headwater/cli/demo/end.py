"""The end of a demo: the stack stays up with the address to open as the last line, or a line says how that is done."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console, Group
from rich.text import Text

from headwater.cli.explorer_build import is_built
from headwater.cli.program import command
from headwater.cli.text.terminal import print_part, wait_for_interrupt
from local_stack.stack import LocalStack

_TO_BUILD = "install Node.js 20 or newer with npm, then start again"


def end_demo(
    console: Console, stack: LocalStack, about: str, address: str, *, keep: bool, log: Path, options: str = "--keep"
) -> None:
    """Leave the stack up until Ctrl-C, or print the options that do; `log` is that of the explorer's build."""
    if not keep:
        print_part(console, Text(f"To see it in a browser: {command(f'demo {options}')}"))
        return
    if not is_built():
        about, address = f"No explorer ({log}): {_TO_BUILD}. The HTTP API, until Ctrl-C:", stack.api_url
    print_part(console, Group(Text(), Text(about)))
    # Unbroken, for a terminal that opens what is clicked.
    console.print(address, highlight=False, markup=False, soft_wrap=True)
    wait_for_interrupt()
