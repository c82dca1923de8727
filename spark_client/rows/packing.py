"""Rows as JSON records in lines of an Arrow column, packed into bodies: vectors at a time, never row by row."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from headwater_model.record_requests import RECORDS_MAX
from spark_client.record_requests import BODY_MAX_BYTES, HEAD_MAX_BYTES

if TYPE_CHECKING:
    import pyarrow as pa

# Four chunks of 64 KiB, as SQS bills them, fill a message. Four messages fill a call (1 MiB), and the event of the load
# function.
MESSAGE_BYTES_MAX = 4 * 64 * 1024
# Bodies filled side by side where no node may be in a body twice; each has at most `BODY_MAX_BYTES`.
_OPEN_MAX = 8
# Non-characters of XML 1.0, refused by SQS in a body; they may only stand within strings of JSON.
_NO_XML = (("\ufffe", "\\ufffe"), ("\uffff", "\\uffff"))
# First byte of their UTF-8; few further characters (U+F000 to U+FFFF) share it.
_NO_XML_START = b"\xef"


class Pack(NamedTuple):
    """Body of a request or message, and its number of rows: more than its records, if rows are the same."""

    body: str
    rows: int


@dataclass(frozen=True)
class Form:
    """Form of the bodies for packed lines.

    Attributes:
        opening: the text before the lines.
        room_bytes: limit of the lines and the commas between them; keeps the body within its bound.
        distinct: True if no node may be in a body twice.
    """

    opening: str
    room_bytes: int
    distinct: bool


def message_form() -> Form:
    """Make the form of the packed queue's messages: `{"records": [...]}`, each record in Carbonlake's form."""
    opening = '{"records":['
    return Form(opening, MESSAGE_BYTES_MAX - len(opening) - len("]}"), distinct=False)


def request_form(shared: Mapping[str, object]) -> Form:
    """Make the form of a request: `shared` (its time, its run), and records with a location each."""
    opening = json.dumps(shared)[:-1] + ', "records": ['
    return Form(opening, BODY_MAX_BYTES - HEAD_MAX_BYTES, distinct=True)


class Packer:
    """Packer of lines into bodies; at most `_OPEN_MAX` bodies are open, a single body if nodes may repeat."""

    def __init__(self, form: Form) -> None:
        self._form = form
        self._open = [_Body(form)]

    def add(self, lines: pa.Array, nodes: pa.Array | None = None) -> Iterator[Pack]:
        """Yield the bodies filled by the lines.

        `lines` are records in JSON, none of them null; `nodes` name the node of each, if the form wants them distinct.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        lines = _escape(lines.cast(pa.string()))  # of large strings, if Spark is set to use them
        # With the comma before the next line.
        sizes = pc.add(pc.binary_length(lines), 1).cast(pa.int64())
        if nodes is None or self._are_new(nodes := nodes.cast(pa.string())):
            ends = memoryview(pc.cumulative_sum(sizes).buffers()[1]).cast("b").cast("q")
            yield from self._fill(lines, ends, nodes)
        else:
            for line, size_bytes, node in zip(lines.to_pylist(), sizes.to_pylist(), nodes.to_pylist(), strict=True):
                if full := self._spread(line, size_bytes, node):
                    yield from full

    def _are_new(self, nodes: pa.Array) -> bool:
        """True if the only open body may take all the nodes: each is given once, and none is in the body."""
        import pyarrow.compute as pc

        alone = len(self._open) == 1 and pc.count_distinct(nodes).as_py() == len(nodes)
        return alone and not self._open[0].holds_any(nodes)

    def close(self) -> Iterator[Pack]:
        """Yield the bodies still open."""
        for body in self._open:
            yield from body.close()

    def _fill(self, lines: pa.Array, ends: Sequence[int], nodes: pa.Array | None) -> Iterator[Pack]:
        """Put lines into the only open body, as many at once as fit; an empty body takes at least a line."""
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
                if nodes is not None:
                    body.note(nodes[start:stop], lines[start:stop])
            if stop < len(lines) or not body.room_lines:
                yield from body.close()
            start = stop

    def _spread(self, line: str, size_bytes: int, node: str) -> Iterable[Pack]:
        """Put a line into the first open body without its node; the same line again is a row of the same record.

        Returns full bodies. Repeated nodes, as after a join, fill a few bodies side by side, instead of a body for each
        repetition.
        """
        full: Iterable[Pack] = ()
        for body in self._open:
            known = body.find_line(node)
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
        body.note_line(node, line)
        return full


class _Body:
    """Unfinished body; it knows each node's line, where no node may be in a body twice."""

    def __init__(self, form: Form) -> None:
        self._form = form
        self._empty()

    def take(self, text: str, rows: int, size_bytes: int) -> None:
        """Add lines, joined already, of so many bytes with their commas."""
        self._texts.append(text)
        self.rows += rows
        self.room_lines -= rows
        self.room_bytes -= size_bytes

    def note(self, nodes: pa.Array, lines: pa.Array) -> None:
        """Note the nodes of the added lines; `find_line` looks at single nodes only if a node is there again."""
        self._noted.append((nodes, lines))

    def note_line(self, node: str, line: str) -> None:
        """Note the line of a node."""
        self._lines[node] = line

    def find_line(self, node: str) -> str | None:
        """Find the node's line in the body."""
        for nodes, lines in self._noted:
            self._lines.update(zip(nodes.to_pylist(), lines.to_pylist(), strict=True))
        self._noted.clear()
        return self._lines.get(node)

    def holds_any(self, nodes: pa.Array) -> bool:
        """True if the body has a line of any given node."""
        import pyarrow as pa
        import pyarrow.compute as pc

        held = [*(noted for noted, _ in self._noted), pa.array(self._lines, pa.string())]
        return self.rows > 0 and any(pc.any(pc.is_in(nodes, value_set=each)).as_py() for each in held)

    def close(self) -> Iterator[Pack]:
        """Yield the content, if there is any, and begin again."""
        if self.rows:
            yield Pack(self._form.opening + ",".join(self._texts) + "]}", self.rows)
        self._empty()

    def _empty(self) -> None:
        self._texts: list[str] = []
        self._noted: list[tuple[pa.Array, pa.Array]] = []
        self._lines: dict[str, str] = {}
        self.rows = 0
        self.room_lines = RECORDS_MAX
        self.room_bytes = self._form.room_bytes


def _escape(lines: pa.Array) -> pa.Array:
    """Escape characters forbidden in a body; a search for their first byte takes a tenth of the time."""
    import pyarrow.compute as pc

    data = lines.buffers()[2]
    if data is not None and _NO_XML_START in data.to_pybytes():
        for forbidden, escape in _NO_XML:
            lines = pc.replace_substring(lines, forbidden, escape)
    return lines


def _before(ends: Sequence[int], start: int) -> int:
    return ends[start - 1] if start else 0
