"""The archive bucket: immutable gzip objects of trace lines, named by root and content.

    traces/year=2026/month=11/day=20/<sha256 of root_id>.<sha256 of the object>.jsonl.gz

The root id itself is in each line and, as base64, in the object's metadata (root ids may be longer than S3 keys).
"""

from __future__ import annotations

import hashlib
import zlib
from base64 import b64encode
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, TypeVar

from headwater.aws.objects import put_once
from headwater.records.lines import parse_lines
from headwater.records.pointers import ArchiveObject
from headwater.records.record import LineageRecord
from headwater.times import hive_prefix
from headwater_model.errors import TooLarge
from headwater_model.ids import sha256_hex

# zlib-ng takes less than half of zlib's time for objects as large: an object is written once and kept for years
# (benchmarks/trace.py). Spark's engines have zlib alone; the object's name is the hash of its bytes, so both may write
# a root.
try:
    from zlib_ng.zlib_ng import compressobj

    _LEVEL = 7
except ImportError:
    from zlib import compressobj  # type: ignore[assignment]

    _LEVEL = 6

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

# zlib's gzip format carries no name and no time: the same lines give the same bytes, of the same library.
_GZIP = 31
# Compresses to less than zlib's first buffer (16 KiB), so that its thread takes Python's lock once a block.
_CHUNK_BYTES = 256 * 1024
# With a single block, its thread would only get that lock once the renderer waits: the two would take turns.
_BLOCKS_UNDER_WAY = 2
# One PutObject takes 5 GB.
_OBJECT_BYTES_MAX = 5 * 1024**3
# S3 keeps 2 KB of user metadata; longer root ids are in the lines alone.
_METADATA_BYTES_MAX = 1536

T = TypeVar("T")


def prefix_of(day: str) -> str:
    """Name the folder of a day's objects, in the form of Hive's partitions.

    >>> prefix_of("2026-11-20")
    'traces/year=2026/month=11/day=20/'
    """
    return f"traces/{hive_prefix(day)}"


@dataclass(frozen=True, slots=True)
class CompressedLines:
    """The result of `compress_lines`: hash and size of the compressed bytes, and the number of lines."""

    sha256: str
    size_bytes: int
    lines: int


def compress_lines(blocks: Iterable[bytes], file: IO[bytes]) -> CompressedLines:
    """Write blocks of whole lines as gzip, while more are rendered: zlib's `compress` releases Python's lock."""
    compressor = compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
    digest = hashlib.sha256()
    size = lines = 0

    def write(compressed: bytes) -> None:
        nonlocal size
        size += len(compressed)
        if size > _OBJECT_BYTES_MAX:
            raise TooLarge(f"a trace of more than {_OBJECT_BYTES_MAX} bytes, compressed, is left to the Spark tracer")
        digest.update(compressed)
        file.write(compressed)

    with ThreadPoolExecutor(1) as pool:
        under_way: deque[Future[bytes]] = deque()
        for block in blocks:
            # JSON escapes the line feeds of its strings.
            lines += block.count(b"\n")
            under_way.append(pool.submit(compressor.compress, block))
            if len(under_way) > _BLOCKS_UNDER_WAY:
                write(under_way.popleft().result())
        for last in under_way:
            write(last.result())
    write(compressor.flush())
    return CompressedLines(digest.hexdigest(), size, lines)


@dataclass(frozen=True, slots=True)
class Archive:
    """The archive bucket."""

    s3: S3Client
    bucket: str

    def put(
        self,
        root_id: str,
        day: str,
        file: IO[bytes],
        written: CompressedLines,
        *,
        records: int,
        version: int,
        base: str | None,
    ) -> ArchiveObject:
        """Upload a written file; it belongs to the archive only once its pointer is committed.

        An equal object in the bucket is as good. Raises `Conflict` if the key holds other bytes.
        """
        key = f"{prefix_of(day)}{sha256_hex(root_id)}.{written.sha256}.jsonl.gz"
        name = b64encode(root_id.encode()).decode()
        file.seek(0)
        put_once(
            self.s3,
            self.bucket,
            key,
            file,
            sha256=written.sha256,
            content_type="application/x-ndjson",
            content_encoding="gzip",
            metadata={"root-id-base64": name} if len(name) <= _METADATA_BYTES_MAX else None,
        )
        return ArchiveObject(key, written.sha256, written.size_bytes, records, written.lines, version, base)

    def remove(self, key: str) -> None:
        """Put a delete marker over an object without a commit; its bytes stay, as a version."""
        self.s3.delete_object(Bucket=self.bucket, Key=key)

    def lines(self, key: str, seen: Callable[[bytes], object] | None = None) -> Iterator[bytes]:
        """Yield the lines of an object, decompressed as they arrive; `seen` gets the stored bytes."""
        body = self.s3.get_object(Bucket=self.bucket, Key=key)["Body"]
        with closing(body):
            chunks = body.iter_chunks(_CHUNK_BYTES)
            stored = chunks if seen is None else observe(chunks, seen)
            yield from _split(inflate(stored))

    def records(self, key: str) -> Iterator[LineageRecord]:
        """Read the records of an object, each once."""
        return parse_lines(self.lines(key))


def observe(chunks: Iterable[T], seen: Callable[[T], object]) -> Iterator[T]:
    """Yield the chunks, each after `seen(chunk)`, such as a hash's `update`.

    >>> sha256 = hashlib.sha256()
    >>> b"".join(observe([b"a", b"bc"], sha256.update)), sha256.hexdigest()[:4]
    (b'abc', 'ba78')
    """
    for chunk in chunks:
        seen(chunk)
        yield chunk


class NotOneStream(zlib.error):
    """Bytes that are not exactly one gzip stream."""


def inflate(chunks: Iterable[bytes | memoryview]) -> Iterator[bytes]:
    """Decompress a gzip stream, block by block. Raises `zlib.error`, for a cut or continued stream too."""
    inflator = zlib.decompressobj(_GZIP)
    for chunk in chunks:
        yield inflator.decompress(chunk, _CHUNK_BYTES)
        while inflator.unconsumed_tail:
            yield inflator.decompress(inflator.unconsumed_tail, _CHUNK_BYTES)
        if inflator.unused_data:
            raise NotOneStream("something follows the end of its gzip stream")
    yield inflator.flush()
    if not inflator.eof:
        raise NotOneStream("its gzip stream breaks off")


def _split(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines of a stream of bytes, without their line feeds; a line may be longer than many chunks."""
    parts: list[bytes] = []
    for chunk in chunks:
        first, *rest = chunk.split(b"\n")
        parts.append(first)
        for part in rest:
            yield b"".join(parts)
            parts = [part]
    if last := b"".join(parts):
        yield last
