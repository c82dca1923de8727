"""The stages of a long command on the terminal, with their progress and duration."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.progress import Progress as ProgressBars
from rich.progress import ProgressColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Task

Report = Callable[[str], None]


class _Count(ProgressColumn):
    """A number that changes while the stage runs, read at each refresh."""

    def render(self, task: Task) -> Text:
        count: Callable[[], str] = task.fields["count"]
        return Text(count(), "green")


class Progress:
    """Stages one below the other; the last stage is running."""

    def __init__(self, console: Console) -> None:
        columns = (SpinnerColumn(finished_text="[green]✓"), TextColumn("{task.description}"), _Count())
        self._progress = ProgressBars(
            *columns, TextColumn("[dim]{task.fields[detail]}"), TimeElapsedColumn(), console=console
        )

    def __enter__(self) -> Progress:
        self._progress.start()
        return self

    def __exit__(self, *_raised: object) -> None:
        self._progress.stop()

    @contextmanager
    def stage(self, title: str, count: Callable[[], str] = str) -> Iterator[Report]:
        """Show a stage while the block runs; yield a function that sets its detail. `count` is its finished work."""
        task = self._progress.add_task(title, total=1, detail="", count=count)
        try:
            yield lambda detail: self._progress.update(task, detail=detail)
        except BaseException:
            self._progress.update(task, description=f"[red]{title}")
            raise
        self._progress.update(task, completed=1, detail="")
