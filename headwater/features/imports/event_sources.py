"""Events to import, each with its place: from files, folders, S3, standard input and a running Marquez.

    for source in sources_of(["events/", "s3://lake/openlineage/"]):
        for event in source.events(start=0):
            event.place, event.body, event.fault     # "events/a.jsonl:17", b"{...}", ""

A file may hold JSON lines, one JSON document, or an array, gzipped or not. OpenLineage's file and S3 transports write
such files, and `psql -At -c "SELECT event FROM lineage_events"` prints the table of a Marquez as lines.
"""

from __future__ import annotations

import gzip
import io
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias, cast

import orjson

from headwater.cli.service import NoResponse, fetch_json
from headwater.times import EARLIEST, LATEST
from headwater_model.errors import HeadwaterError
from headwater_model.times import parse_time

STANDARD_INPUT = "-"
# A longer line, or document, is no event: the service takes 4 MB.
_LINE_MAX_BYTES = 16_000_000
_DOCUMENT_MAX_BYTES = 64_000_000
_GZIP_MAGIC = b"\x1f\x8b"
# Names of files with events in a folder; the file transport puts a time behind the name.
_NAMED_JSON = re.compile(r"\.(json|jsonl|ndjson)(\W|$)")
# Events of a page of Marquez, and the most to request at once if they have the same time.
_PAGE = 100
_PAGE_MAX = 100_000
# Makes events of an object.
Convert: TypeAlias = Callable[[Mapping[str, Any]], Iterable[Mapping[str, Any]]]
# Errors of converters at objects with unexpected parts, or too deep.
UNEXPECTED = (ValueError, LookupError, TypeError, AttributeError, RecursionError)


@dataclass(frozen=True, slots=True)
class FoundEvent:
    """A JSON object at its place, or the fault at the place."""

    place: str
    body: bytes = b""
    fault: str = ""


@dataclass(frozen=True, slots=True)
class EventSource:
    """A place of events; `read` yields them in the same order each time. The name is the same in each import.

    Its version changes with its content, and is empty if unknown.
    """

    name: str
    read: Callable[[], Iterable[FoundEvent]]
    version: str = ""

    def events(self, start: int) -> Iterator[FoundEvent]:
        """Yield the events from this position on, in order.

        Raises:
            OSError: the source cannot be read.
            NoResponse: the service sends no events.
        """
        return islice(self.read(), start, None)


def file_source(path: Path) -> EventSource:
    """Make the source of a file, or of standard input; its version is the size and the time of the last change."""
    if path == Path(STANDARD_INPUT):
        return EventSource(STANDARD_INPUT, lambda: read_events(sys.stdin.buffer, STANDARD_INPUT))

    def read() -> Iterator[FoundEvent]:
        with path.open("rb") as stream:
            yield from read_events(stream, str(path))

    version = ""
    with suppress(OSError):
        version = f"{path.stat().st_size} {path.stat().st_mtime_ns}"
    return EventSource(str(path.resolve()), read, version)


def marquez_source(url: str) -> EventSource:
    """Make the source of a running Marquez, by its list of received run events, the oldest first.

    Marquez orders the list by time alone: events of the same time come in a different order in each request. So a page
    ends before its last time, and the next page begins with that time. A page of a single time is requested again,
    longer.
    """
    return EventSource(
        url,
        lambda: (_event_of(event, f"{url} event {number}") for number, event in enumerate(_events_of_marquez(url), 1)),
    )


def _events_of_marquez(url: str) -> Iterator[object]:
    after, limit = EARLIEST, _PAGE
    while True:
        page = _page_of_marquez(url, after, limit)
        if len(page) < limit:
            yield from _in_order(page)
            return
        last = max(map(_time_of, page))
        whole = [event for event in page if _time_of(event) < last]
        if whole and last <= after != EARLIEST:
            raise NoResponse(f"{url}: lists events of before {after}, though it was to begin there")
        if whole:
            yield from _in_order(whole)
            after, limit = last, _PAGE
        elif limit < _PAGE_MAX:
            limit *= 10
        else:
            raise NoResponse(f"{url}: has more than {limit:,} events of the time {last}; read its database")


def _page_of_marquez(url: str, after: str, limit: int) -> list[object]:
    # Without `before`, Marquez shows nothing later than 2029.
    query = {"limit": limit, "offset": 0, "sortDirection": "asc", "after": after, "before": LATEST}
    match fetch_json(url, "/api/v1/events/lineage", query, on_host=True):
        case {"events": list(events)}:
            return events
        case _:
            raise NoResponse(f"{url}: not a list of events")


def _in_order(events: Iterable[object]) -> list[object]:
    """Sort events by time, then by content: the same order in each import."""
    return sorted(events, key=lambda event: (_time_of(event), _json_of(event) or b""))


def _time_of(event: object) -> str:
    """Read the time of an event; an event without a time is refused later, wherever it stands."""
    try:
        return parse_time(event["eventTime"]) if isinstance(event, dict) else EARLIEST
    except (KeyError, TypeError, ValueError, HeadwaterError):
        return EARLIEST


def converted(source: EventSource, begin: Callable[[], Convert]) -> EventSource:
    """Make a source of another catalog's lineage: an object without a conversion to events is a fault.

    `begin` makes the converter for the objects of a reading, from the first on. An object may have no events.
    """

    def read() -> Iterator[FoundEvent]:
        convert = begin()
        for entry in source.read():
            if entry.fault:
                yield entry
                continue
            try:
                for event in convert(orjson.loads(entry.body)):
                    yield FoundEvent(entry.place, orjson.dumps(event))
            except UNEXPECTED as error:
                known = isinstance(error, ValueError)
                fault = str(error) if known else f"must be as its catalog writes it ({type(error).__name__}: {error})"
                yield FoundEvent(entry.place, fault=fault)

    return EventSource(source.name, read, source.version)


def sources_of(names: Iterable[str], named: re.Pattern[str] | None = None) -> Iterator[EventSource]:
    """Yield the sources of files, folders, `-` and `s3://bucket/prefix`, in order of their names.

    Read are, of a folder, files with `named` names, else JSON files; of a prefix, objects with `named` names, else
    all objects.

    Raises:
        OSError: a file is missing.
    """
    pattern = named or _NAMED_JSON
    for name in names:
        if name.startswith("s3://"):
            yield from _objects(*name.removeprefix("s3://").partition("/")[::2], named)
        elif name != STANDARD_INPUT and Path(name).is_dir():
            paths = sorted(path for path in Path(name).rglob("*") if pattern.search(path.name) and path.is_file())
            yield from map(file_source, paths)
        else:
            if name != STANDARD_INPUT:
                Path(name).stat()
            yield file_source(Path(name))


def _objects(bucket: str, prefix: str, named: re.Pattern[str] | None) -> Iterator[EventSource]:
    import boto3

    s3 = boto3.client("s3")
    for page in s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix):
        for entry in page.get("Contents", ()):
            if entry["Size"] and (named is None or named.search(entry["Key"].rpartition("/")[2])):
                yield EventSource(
                    f"s3://{bucket}/{entry['Key']}", partial(_read_object, s3, bucket, entry["Key"]), entry["ETag"]
                )


def _read_object(s3: Any, bucket: str, key: str) -> Iterator[FoundEvent]:
    body = s3.get_object(Bucket=bucket, Key=key)["Body"]
    return read_events(cast(BinaryIO, io.BufferedReader(body)), f"s3://{bucket}/{key}")


def read_events(stream: BinaryIO, name: str) -> Iterator[FoundEvent]:
    """Yield the events of a stream: JSON lines, one document, or an array; gzipped or not.

    A document of several lines is read whole, up to 64 MB. The rest is read line by line.
    """
    buffered = stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(cast(io.RawIOBase, stream))
    if buffered.peek(2)[:2] == _GZIP_MAGIC:
        buffered = io.BufferedReader(cast(io.RawIOBase, gzip.GzipFile(fileobj=buffered)))
    try:
        yield from _parsed(buffered, name)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        yield FoundEvent(name, fault=f"must be whole gzip ({error})")


def _parsed(stream: BinaryIO, name: str) -> Iterator[FoundEvent]:
    first = stream.readline(_LINE_MAX_BYTES + 1)
    if _is_json(first):
        yield from _lines(stream, name, [first])
        return
    rest = stream.read(_DOCUMENT_MAX_BYTES)
    if not stream.peek(1) and _is_json(first + rest):  # type: ignore[attr-defined]  # BufferedReader has it
        yield from _events_in(first + rest, name)
        return
    *whole, last = (first + rest).split(b"\n")
    yield from _lines(stream, name, whole, last)


def _lines(stream: BinaryIO, name: str, before: Sequence[bytes], begun: bytes = b"") -> Iterator[FoundEvent]:
    """Yield the events of these lines, and of the stream's; `begun` is the beginning of the stream's first line."""

    def lines() -> Iterator[bytes]:
        yield from before
        yield _read_line(stream, begun)
        while line := _read_line(stream):
            yield line

    for number, line in enumerate(lines(), 1):
        if line.strip():
            yield from _events_in(line, f"{name}:{number}")


def _read_line(stream: BinaryIO, begun: bytes = b"") -> bytes:
    """Read the next line; of a longer line, read the beginning and skip the rest."""
    line = rest = begun + stream.readline(_LINE_MAX_BYTES + 1)
    while len(rest) > _LINE_MAX_BYTES and not rest.endswith(b"\n"):
        rest = stream.readline(_LINE_MAX_BYTES + 1)
    return line


def _events_in(text: bytes, place: str) -> Iterator[FoundEvent]:
    """Yield the event, or the events of the array, in a text."""
    if len(text) > _DOCUMENT_MAX_BYTES:
        yield FoundEvent(place, fault=f"must be at most {_DOCUMENT_MAX_BYTES} bytes")
        return
    try:
        document = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        yield FoundEvent(place, fault=f"must be JSON ({error})")
        return
    if isinstance(document, list):
        for number, event in enumerate(document, 1):
            yield _event_of(event, f"{place}[{number}]")
    else:
        yield _event_of(document, place, text.strip())


def _event_of(event: object, place: str, text: bytes | None = None) -> FoundEvent:
    if not isinstance(event, dict):
        return FoundEvent(place, fault="must be a JSON object")
    body = _json_of(event) if text is None else text
    return FoundEvent(place, body) if body else FoundEvent(place, fault="must not be nested so deep")


def _json_of(event: object) -> bytes | None:
    """Render an event as JSON; None if it is too deep."""
    try:
        return orjson.dumps(event, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return None


def _is_json(text: bytes) -> bool:
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    return True
