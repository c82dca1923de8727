"""Rows as records in JSON, one a line of an Arrow column, packed into bodies: vectors at a time, never row by row."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from spark_client.requests import BODY_MAX_BYTES, HEAD_MAX_BYTES, RECORDS_MAX

if TYPE_CHECKING:
    import pyarrow as pa

# Four messages of four of the chunks that SQS bills (64 KiB) fill a call (1 MiB), and the event of the load function.
MESSAGE_BYTES_MAX = 4 * 64 * 1024
# Non-characters of XML 1.0, which SQS refuses in a body; they may only stand within strings of JSON.
_NO_XML = (("\ufffe", "\\ufffe"), ("\uffff", "\\uffff"))


class Pack(NamedTuple):
    """A body that is sent as one, and the number of rows in it."""

    body: str
    rows: int


@dataclass(frozen=True)
class Form:
    """How lines become a body.

    Attributes:
        opening: all that stands before the lines.
        room_bytes: for the lines and the commas between them, so that the body is within its bound.
        distinct: whether no node may be in a body twice.
    """

    opening: str
    room_bytes: int
    distinct: bool


def message_form() -> Form:
    """A message of the packed queue: `{"records": [...]}`, each record as the seed has it."""
    opening = '{"records":['
    return Form(opening, MESSAGE_BYTES_MAX - len(opening) - len("]}"), distinct=False)


def request_form(shared: Mapping[str, object]) -> Form:
    """A request to the service: `shared` (its time, its run), and records that each name their own place."""
    opening = json.dumps(shared)[:-1] + ', "records": ['
    return Form(opening, BODY_MAX_BYTES - HEAD_MAX_BYTES, distinct=True)


class Packer:
    """Fills bodies with lines, in their order; holds at most one body that is not full yet."""

    def __init__(self, form: Form) -> None:
        self._form = form
        self._empty()

    def add(self, lines: pa.Array, nodes: Sequence[str] = ()) -> Iterator[Pack]:
        """Yield the bodies that these lines fill.

        `lines` are records in JSON, none of them null; `nodes` name the node of each, if the form wants them distinct.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        lines = lines.cast(pa.string())  # of large strings, if Spark is told to use them
        for forbidden, escape in _NO_XML:
            lines = pc.replace_substring(lines, forbidden, escape)
        # With the comma before the next line.
        sizes = pc.add(pc.binary_length(lines), 1)
        ends = memoryview(pc.cumulative_sum(sizes.cast(pa.int64())).buffers()[1]).cast("b").cast("q")
        start = 0
        while start < len(lines):
            stop = self._reach(ends, start, len(lines), nodes)
            if stop > start:
                text = pc.binary_join(pa.ListArray.from_arrays([start, stop], lines), ",")[0].as_py()
                self._take(text, stop - start, ends[stop - 1] - _before(ends, start))
            if stop < len(lines):
                yield from self.close()
            start = stop

    def close(self) -> Iterator[Pack]:
        """Yield what is left, if anything is."""
        if self._rows:
            yield Pack(self._form.opening + ",".join(self._texts) + "]}", self._rows)
        self._empty()

    def _empty(self) -> None:
        self._texts: list[str] = []
        self._rows = self._bytes = 0
        self._nodes: set[str] = set()

    def _take(self, text: str, rows: int, size_bytes: int) -> None:
        self._texts.append(text)
        self._rows += rows
        self._bytes += size_bytes

    def _reach(self, ends: Sequence[int], start: int, count: int, nodes: Sequence[str]) -> int:
        """Where the lines from `start` on stop that still go into the open body; an empty body takes one at least."""
        room = self._form.room_bytes - self._bytes
        stop = bisect_right(ends, _before(ends, start) + room, start, count)
        stop = min(stop, start + RECORDS_MAX - self._rows)
        if not self._rows:
            stop = max(stop, start + 1)
        return self._repeat(nodes, start, stop) if self._form.distinct else stop

    def _repeat(self, nodes: Sequence[str], start: int, stop: int) -> int:
        """The first place whose node is in the body already, or `stop`."""
        for place in range(start, stop):
            if nodes[place] in self._nodes:
                return place
            self._nodes.add(nodes[place])
        return stop


def _before(ends: Sequence[int], start: int) -> int:
    return ends[start - 1] if start else 0
