"""The progress of long commands: bars of objects, and stages with their duration.

A terminal shows it as it goes on. Elsewhere there are no bars, and a stage is a line when it ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as ProgressBars
from rich.text import Text

from headwater.cli.text.terminal import progress_console

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Task

Report = Callable[[str], None]


def object_bars(*more: ProgressColumn) -> ProgressBars:
    """Build bars on standard error, such as `2/9 objects`, with more columns behind them; none without a terminal."""
    console = progress_console()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("objects"))
    return ProgressBars(*columns, *more, console=console, disable=not console.is_terminal)


class _Count(ProgressColumn):
    """A number that grows while the stage runs, read at each refresh."""

    def render(self, task: Task) -> Text:
        count: Callable[[], str] = task.fields["count"]
        return Text(count(), "green")


class Progress:
    """Stages, line by line, perhaps in threads of their own."""

    def __init__(self, console: Console) -> None:
        columns = (SpinnerColumn(finished_text="[green]✓"), TextColumn("{task.description}"), _Count())
        detail = TextColumn("[dim]{task.fields[detail]}")
        self._console = console
        self._bars = ProgressBars(
            *columns, detail, TimeElapsedColumn(), console=console, disable=not console.is_terminal
        )

    def __enter__(self) -> Progress:
        self._bars.start()
        return self

    def __exit__(self, *_raised: object) -> None:
        self._bars.stop()

    @contextmanager
    def stage(self, title: str, count: Callable[[], str] = str) -> Iterator[Report]:
        """Show a stage during the block; yield a function to set its detail.

        `count` is its finished work. It may grow on behind the next stages: a terminal shows it, a pipe does not.
        """
        task, started = self._bars.add_task(title, total=1, detail="", count=count), monotonic()
        try:
            yield lambda detail: self._bars.update(task, detail=detail)
        except BaseException:
            self._bars.update(task, description=f"[red]{title}")
            self._print_end(f"{title}  failed", monotonic() - started)
            raise
        self._bars.update(task, completed=1, detail="")
        self._print_end(title, monotonic() - started)

    def show(self, line: str) -> None:
        """Print a line above the stages, unbroken."""
        self._console.print(line, highlight=False, markup=False, soft_wrap=True)

    def _print_end(self, title: str, elapsed_s: float) -> None:
        """Print a line unless a bar shows the same."""
        if not self._console.is_terminal:
            print(f"{title}  {elapsed_s:.0f} s", file=self._console.file, flush=True)
