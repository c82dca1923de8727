"""Families that Spark arranged, as the lines that the trace function would render."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pyspark.sql import Row

from headwater.records.lines import Compaction, Renderer


def render_rows(rows: Iterable[Row], root_ids: Sequence[str], compaction: Compaction | None) -> Iterator[bytes]:
    """Yield the lines of rows of `jobs.forest.arrange`, with steps of `render_step`, each with its line feed.

    Only a single family's path is held at a time.
    """
    family = None
    for row in rows:
        if (row.root, row.family) != family:
            family, path = (row.root, row.family), _Path(row.closed)
            renderer = Renderer(root_ids[row.root], compaction)
        if row.missing is not None:
            path.missing = row.missing
        if row.is_leaf:
            yield renderer.line(path.shared(renderer), row.node_id, row.step)
        else:
            path.add(row)


class _Path:
    """The path of a family as it arrives; put together once, when the first leaf is there."""

    def __init__(self, closed: bool) -> None:
        self.missing: str | None = None
        self._closed = closed
        self._cycle: list[str] = []
        self._steps: list[bytes] = []
        self._shared: bytes | None = None

    def add(self, row: Row) -> None:
        """Add the next step, root first."""
        self._steps.append(bytes(row.step) + b",")
        if row.node_id is not None:
            self._cycle.append(row.node_id)

    def shared(self, renderer: Renderer) -> bytes:
        """Render the shared part of the family's lines."""
        if self._shared is None:
            # The path of a cycle without a leaf begins with its smallest node, the leaf in the line.
            steps = self._steps[1:] if self._closed else self._steps
            self._shared = renderer.shared(steps, self.missing, self._cycle)
            self._steps = []
        return self._shared
