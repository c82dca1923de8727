"""Trace lines: a root's forest as JSON lines, a line for each leaf, and the records read from lines.

    {"record_id", "root_id", "lineage": [step, ..., leaf, compaction step]}

`record_id` is the leaf's node id. An incomplete line says `"complete": false` with `"missing": [parent id]` or
`"cycle": [node ids]` before its lineage. A field's values of many records are rendered together: that takes less time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from sys import intern
from typing import Any, TypeAlias

import orjson

from headwater.records.forest import Forest
from headwater.records.record import LineageRecord

# A part for each row, or a single part for all rows.
Column: TypeAlias = bytes | Sequence[bytes]
# A character that JSON does not escape, of a single byte, and hardly ever in a text: delete.
_SEPARATOR = "\x7f"
COMPACTION_ACTION = "DATA_COMPACTION"
_BLOCK_BYTES = 512 * 1024
_BLOCK_LINES = 256


def render_texts(texts: Sequence[str]) -> list[bytes]:
    r"""Render each text as between the quotes of JSON.

    >>> render_texts(["a", "", "ü"])
    [b'a', b'', b'\xc3\xbc']
    """
    rendered = orjson.dumps(_SEPARATOR.join(texts))[1:-1].split(_SEPARATOR.encode())
    if len(rendered) != len(texts):
        # A text has the separator.
        return [orjson.dumps(text)[1:-1] for text in texts]
    return rendered


def as_column(parts: Sequence[bytes]) -> Column:
    """Fold the parts of all rows into a single part if they are equal."""
    return parts[0] if len(set(parts)) == 1 else parts


def render_mostly_equal(texts: Sequence[str]) -> Column:
    """Render the texts as `render_texts` does, as a single part if all are equal."""
    return render_texts(texts[:1])[0] if len(set(texts)) == 1 else render_texts(texts)


def render_numbers(numbers: Sequence[int]) -> list[bytes]:
    """Render each number as JSON."""
    return orjson.dumps(numbers)[1:-1].split(b",")


def join_rows(columns: Sequence[Column], rows: int) -> bytes:
    """Join the parts of all columns, row by row.

    >>> join_rows([b"<", [b"a", b"b"], b">"], 2)
    b'<a><b>'
    """
    merged: list[Column] = []
    for column in columns:
        if merged and isinstance(column, bytes) and isinstance(merged[-1], bytes):
            merged[-1] += column
        else:
            merged.append(column)
    parts = [column if isinstance(column, bytes) else b"" for column in merged] * rows
    for number, column in enumerate(merged):
        if not isinstance(column, bytes):
            parts[number :: len(merged)] = column
    return b"".join(parts)


@dataclass(frozen=True, slots=True)
class Compaction:
    """The compaction that archives a trace, as the last step of every line. The time is seconds since 1970."""

    node_id: str
    recorded_at: int
    storage_location: str


def render_step(record: LineageRecord) -> bytes:
    """Render a record as a step: Carbonlake's JSON without `root_id`, a member of the line."""
    form: dict[str, object] = {
        "node_id": record.node_id,
        "parent_id": record.parent_id,
        "action_taken": record.action_taken,
        "recordedAt": record.recorded_at,
        "storage_location": record.storage_location,
    }
    return orjson.dumps(form)[:-1] + _render_optional(record) + b"}"


def _render_optional(record: LineageRecord) -> bytes:
    """Render the members of a step that most records lack, each after a comma."""
    form: dict[str, object] = {}
    if record.run_id is not None:
        form["run_id"] = record.run_id
    if record.metadata:
        form["metadata"] = dict(record.metadata)
    return b"," + orjson.dumps(form)[1:-1] if form else b""


def parse_step(root_id: str, form: Mapping[str, Any]) -> LineageRecord:
    """Parse a step of `render_step`; repeated texts are shared, as in `parse_item`."""
    return LineageRecord(
        root_id=intern(root_id),
        node_id=form["node_id"],
        parent_id=intern(form["parent_id"]),
        action_taken=intern(form["action_taken"]),
        storage_location=form["storage_location"],
        recorded_at=form["recordedAt"],
        run_id=form.get("run_id"),
        metadata=tuple(sorted(form.get("metadata", {}).items())),
    )


def parse_lines(lines: Iterable[bytes]) -> Iterator[LineageRecord]:
    """Yield the records of archived lines, `{"record_id": "b", ...}`, each node once, without the compaction steps."""
    seen: set[str] = set()
    for line in lines:
        trace = orjson.loads(line)
        for form in trace["lineage"][:-1]:
            if form["node_id"] not in seen:
                seen.add(form["node_id"])
                yield parse_step(trace["root_id"], form)


def render_lines(
    forest: Forest, compaction: Compaction | None, check: Callable[[], None] = lambda: None
) -> Iterator[bytes]:
    """Yield the lines of the forest, each with its line feed, in an order given by the records alone.

    They come in blocks of whole lines; `check` is called before each block and may raise. Leaves of a parent share a
    part, rendered once. A live trace has no compaction step.
    """
    renderer = Renderer(forest.root_id, compaction)
    for shared, leaves in _blocks(forest, renderer):
        check()
        yield renderer.lines(shared, leaves)


def _blocks(forest: Forest, renderer: Renderer) -> Iterator[tuple[Sequence[bytes], Sequence[LineageRecord]]]:
    """Yield leaves with the shared part of each: some hundred, or about 512 KiB, or a single longer line."""
    inner = _Inner(forest)
    shared_parts: list[bytes] = []
    records: list[LineageRecord] = []
    size = 0
    for path, leaves in forest.families():
        shared = renderer.shared(map(inner.__getitem__, path.nodes), path.missing, path.cycle)
        together = max(1, min(_BLOCK_LINES, _BLOCK_BYTES // len(shared)))
        for start in range(0, len(leaves), together):
            block = leaves[start : start + together]
            shared_parts += [shared] * len(block)
            records += block
            size += len(shared) * len(block)
            if len(records) >= _BLOCK_LINES or size >= _BLOCK_BYTES:
                yield shared_parts, records
                shared_parts, records, size = [], [], 0
    if records:
        yield shared_parts, records


def in_blocks(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield blocks of whole lines, of about 512 KiB: `[b"a", b"b"]` as `[b"ab"]`."""
    block: list[bytes] = []
    room = _BLOCK_BYTES
    for line in lines:
        block.append(line)
        room -= len(line)
        if room <= 0:
            yield b"".join(block)
            block, room = [], _BLOCK_BYTES
    if block:
        yield b"".join(block)


class Renderer:
    """A renderer of a root's lines from the steps of `render_step`."""

    def __init__(self, root_id: str, compaction: Compaction | None) -> None:
        self._root = b',"root_id":' + orjson.dumps(root_id)
        self._names_leaf = compaction is not None
        self._before, self._after = _render_compaction(compaction)

    def shared(self, steps: Iterable[bytes], missing: str | None, cycle: Sequence[str]) -> bytes:
        """Render the shared part of the lines of a parent's leaves: faults, and the steps above, root first.

        A comma follows each step. For `missing` and `cycle` see `Path`.
        """
        return b"".join((self._root, _render_faults(missing, cycle), b',"lineage":[', *steps))

    def line(self, shared: bytes, leaf_id: str, step: bytes) -> bytes:
        """Render the line of a leaf, with its line feed."""
        leaf = orjson.dumps(leaf_id)
        parent = leaf if self._names_leaf else b""
        return b"".join((b'{"record_id":', leaf, shared, step, self._before, parent, self._after))

    def lines(self, shared: Sequence[bytes], leaves: Sequence[LineageRecord]) -> bytes:
        """Render the lines of leaves, each after its shared part, equal to `line` with `render_step`."""
        ids = render_texts([leaf.node_id for leaf in leaves])
        quote, parents = (b'"', ids) if self._names_leaf else (b"", b"")
        columns: Sequence[Column] = (
            *(b'{"record_id":"', ids, b'"', as_column(shared), b'{"node_id":"', ids),
            *(b'","parent_id":"', render_mostly_equal([leaf.parent_id for leaf in leaves])),
            *(b'","action_taken":"', render_mostly_equal([leaf.action_taken for leaf in leaves])),
            *(b'","recordedAt":', render_numbers([leaf.recorded_at for leaf in leaves])),
            *(b',"storage_location":"', render_texts([leaf.storage_location for leaf in leaves]), b'"'),
            _optional_column(leaves),
            *(b"}" + self._before + quote, parents, quote + self._after),
        )
        return join_rows(columns, len(leaves))


def _optional_column(leaves: Sequence[LineageRecord]) -> Column:
    filled = [leaf for leaf in leaves if leaf.metadata or leaf.run_id is not None]
    return list(map(_render_optional, leaves)) if filled else b""


class _Inner(dict[str, bytes]):
    """A cache of rendered nodes above the leaves, each with a comma behind it."""

    def __init__(self, forest: Forest) -> None:
        self._records = forest.inner

    def __missing__(self, node: str) -> bytes:
        # Appending also copies: orjson's own result keeps its working buffer (4 GB for a million steps, measured).
        rendered = self[node] = render_step(self._records[node]) + b","
        return rendered


def _render_faults(missing: str | None, cycle: Sequence[str]) -> bytes:
    if missing is not None:
        return b',"complete":false,"missing":' + orjson.dumps([missing])
    if cycle:
        return b',"complete":false,"cycle":' + orjson.dumps(cycle)
    return b""


def _render_compaction(compaction: Compaction | None) -> tuple[bytes, bytes]:
    """Render the compaction step in two parts: up to its parent (the leaf), and the rest."""
    if compaction is None:
        return b"", b"]}\n"
    before = b',{"node_id":' + orjson.dumps(compaction.node_id) + b',"parent_id":'
    rest = {
        "action_taken": COMPACTION_ACTION,
        "recordedAt": compaction.recorded_at,
        "storage_location": compaction.storage_location,
    }
    return before, b"," + orjson.dumps(rest)[1:] + b"]}\n"
