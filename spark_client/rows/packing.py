"""Rows as JSON records, one a line of an Arrow column, packed into bodies: vectors at a time, never row by row."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from spark_client.requests import BODY_MAX_BYTES, HEAD_MAX_BYTES, RECORDS_MAX

if TYPE_CHECKING:
    import pyarrow as pa

# Four messages of four of the chunks that SQS bills (64 KiB) fill a call (1 MiB), and the event of the load function.
MESSAGE_BYTES_MAX = 4 * 64 * 1024
# Bodies that are filled side by side where no node may be in one twice; each has at most `BODY_MAX_BYTES`.
_OPEN_MAX = 8
# Non-characters of XML 1.0, which SQS refuses in a body; they may only stand within strings of JSON.
_NO_XML = (("\ufffe", "\\ufffe"), ("\uffff", "\\uffff"))


class Pack(NamedTuple):
    """Body of one request or message, and its number of rows: more than its records, if rows are the same."""

    body: str
    rows: int


@dataclass(frozen=True)
class Form:
    """Form of the bodies that lines are packed into.

    Attributes:
        opening: the text before the lines.
        room_bytes: limit of the lines and the commas between them, so that the body is within its bound.
        distinct: True if no node may be in a body twice.
    """

    opening: str
    room_bytes: int
    distinct: bool


def message_form() -> Form:
    """Return the form of the packed queue's messages: `{"records": [...]}`, each record in Carbonlake's form."""
    opening = '{"records":['
    return Form(opening, MESSAGE_BYTES_MAX - len(opening) - len("]}"), distinct=False)


def request_form(shared: Mapping[str, object]) -> Form:
    """Return the form of a request: `shared` (its time, its run), and records that each name their own location."""
    opening = json.dumps(shared)[:-1] + ', "records": ['
    return Form(opening, BODY_MAX_BYTES - HEAD_MAX_BYTES, distinct=True)


class Packer:
    """Packer of lines into bodies; at most `_OPEN_MAX` bodies are open, only one if nodes may repeat."""

    def __init__(self, form: Form) -> None:
        self._form = form
        self._open = [_Body(form)]

    def add(self, lines: pa.Array, nodes: Sequence[str] = ()) -> Iterator[Pack]:
        """Yield the bodies that these lines fill.

        `lines` are records in JSON, none of them null; `nodes` name the node of each, if the form wants them distinct.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        lines = lines.cast(pa.string())  # of large strings, if Spark is set to use them
        for forbidden, escape in _NO_XML:
            lines = pc.replace_substring(lines, forbidden, escape)
        # With the comma before the next line.
        sizes = pc.add(pc.binary_length(lines), 1).cast(pa.int64())
        if self._form.distinct:
            for line, size_bytes, node in zip(lines.to_pylist(), sizes.to_pylist(), nodes, strict=True):
                if full := self._spread(line, size_bytes, node):
                    yield from full
        else:
            ends = memoryview(pc.cumulative_sum(sizes).buffers()[1]).cast("b").cast("q")
            yield from self._fill(lines, ends)

    def close(self) -> Iterator[Pack]:
        """Yield the bodies that are left."""
        for body in self._open:
            yield from body.close()

    def _fill(self, lines: pa.Array, ends: Sequence[int]) -> Iterator[Pack]:
        """Put lines into the one open body, as many at once as fit; an empty body takes at least one."""
        import pyarrow as pa
        import pyarrow.compute as pc

        body, start = self._open[0], 0
        while start < len(lines):
            stop = bisect_right(ends, _before(ends, start) + body.room_bytes, start, len(lines))
            stop = min(stop, start + body.room_lines)
            stop = stop if body.rows else max(stop, start + 1)
            if stop > start:
                text = pc.binary_join(pa.ListArray.from_arrays([start, stop], lines), ",")[0].as_py()
                body.take(text, stop - start, ends[stop - 1] - _before(ends, start))
            if stop < len(lines):
                yield from body.close()
            start = stop

    def _spread(self, line: str, size_bytes: int, node: str) -> Iterable[Pack]:
        """Put a line into the first open body without its node; the same line again is a row of the same record.

        Returns bodies that were full. Nodes that repeat, as after a join, fill a few bodies side by side, instead of a
        body for each repetition.
        """
        full: Iterable[Pack] = ()
        for body in self._open:
            known = body.lines.get(node)
            if known == line:
                body.rows += 1
                return full
            if known is None:
                if body.rows and (size_bytes > body.room_bytes or not body.room_lines):
                    full = list(body.close())
                break
        else:
            if len(self._open) == _OPEN_MAX:
                fullest = min(self._open, key=lambda candidate: candidate.room_bytes)
                full = list(fullest.close())
                self._open.remove(fullest)
            body = _Body(self._form)
            self._open.append(body)
        body.take(line, 1, size_bytes)
        body.lines[node] = line
        return full


class _Body:
    """Body that is being filled; `lines` has each node's line, where no node may be in a body twice."""

    def __init__(self, form: Form) -> None:
        self._form = form
        self._empty()

    def take(self, text: str, rows: int, size_bytes: int) -> None:
        """Add lines, joined already, of so many bytes with their commas."""
        self._texts.append(text)
        self.rows += rows
        self.room_lines -= rows
        self.room_bytes -= size_bytes

    def close(self) -> Iterator[Pack]:
        """Yield the content, if there is any, and begin again."""
        if self.rows:
            yield Pack(self._form.opening + ",".join(self._texts) + "]}", self.rows)
        self._empty()

    def _empty(self) -> None:
        self._texts: list[str] = []
        self.lines: dict[str, str] = {}
        self.rows = 0
        self.room_lines = RECORDS_MAX
        self.room_bytes = self._form.room_bytes


def _before(ends: Sequence[int], start: int) -> int:
    return ends[start - 1] if start else 0
