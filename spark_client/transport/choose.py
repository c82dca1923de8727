"""Choice of a transport, by argument or environment, and the transport into a file."""

from __future__ import annotations

import errno
import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from headwater_model.errors import Invalid, TooLarge
from headwater_model.times import normalize
from spark_client.errors import Misconfigured, Refused, Undelivered
from spark_client.record_requests import check_request
from spark_client.transport.destination import Destination, Json, Transport

if TYPE_CHECKING:
    from spark_client.transport.retry import RetryPolicy

# Environment variables of the fields.
VARIABLES = {
    "url": "HEADWATER_URL",
    "function": "HEADWATER_FUNCTION",
    "file": "HEADWATER_FILE",
    "token": "HEADWATER_TOKEN",
    "auth": "HEADWATER_AUTH",
}
_PLACES = ("url", "function", "file")
# Temporary errors of a file's disk: no space, a fault, too many open files.
_MAY_PASS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.ESTALE, errno.EMFILE, errno.ENFILE, errno.EAGAIN)


def choose_destination(given: Destination, environment: Mapping[str, str]) -> Destination:
    """Complete a given destination from the environment.

    A location given by argument overrides all locations of the environment.

    Raises:
        Misconfigured: several locations, or none, or a location that is no text; the message names them.

    >>> choose_destination(Destination(file="lineage.jsonl"), {"HEADWATER_URL": "http://127.0.0.1:8080"}).url
    >>> choose_destination(Destination(), {"HEADWATER_URL": "http://h", "HEADWATER_FILE": "f"})
    Traceback (most recent call last):
    spark_client.errors.Misconfigured: HEADWATER_URL and HEADWATER_FILE are both set: keep one of them
    """
    for field in fields(given):
        if not isinstance(value := getattr(given, field.name), (str, type(None))):
            raise Misconfigured(f"{field.name}: must be a string, got {value!r}")
    placed = [name for name in _PLACES if getattr(given, name) is not None]
    variables = {name: environment[VARIABLES[name]] for name in VARIABLES if environment.get(VARIABLES[name])}
    names = placed or [name for name in _PLACES if name in variables]
    shown = names if placed else [VARIABLES[name] for name in names]
    if not names:
        raise Misconfigured("nowhere to send lineage to: set HEADWATER_URL, HEADWATER_FUNCTION or HEADWATER_FILE")
    if len(names) > 1:
        both = "both" if len(names) == 2 else "all"
        raise Misconfigured(f"{' and '.join(shown)} are {both} set: keep one of them")
    ignored = set(_PLACES) - set(names)
    merged = {field.name: getattr(given, field.name) or variables.get(field.name) for field in fields(given)}
    return Destination(**{name: None if name in ignored else value for name, value in merged.items()})


def open_transport(destination: Destination, policy: RetryPolicy) -> Transport:
    """Open the transport of a destination; only its own heavy modules, such as `HttpTransport`'s, are loaded."""
    if destination.file is not None:
        return FileTransport(Path(destination.file))
    if destination.function is not None:
        from spark_client.transport.function import LambdaTransport

        return LambdaTransport(destination.function, policy)
    from spark_client.transport.http import HttpTransport

    return HttpTransport(destination, policy)


class FileTransport:
    """Transport into a file, a line of JSON for each request or event: for tests, and jobs without a network.

    A broken rule is refused as by the service: try a job with a file first. Each request is a single write in append
    mode, so several processes of a machine may share the file. A line cut off by a full disk is taken back: the last
    line is whole. Only the owner may read a new file, whatever the umask; an existing file keeps its mode.
    """

    def __init__(self, path: Path, now: Callable[[], float] = time.time) -> None:
        self._path = path
        self._now = now
        self._lock = threading.Lock()

    def send(self, body: bytes, timeout_s: float) -> Json:  # noqa: ARG002 - a file is written at once or not at all
        """Append the request; temporary OSErrors are `Undelivered`, the rest `Misconfigured`."""
        check_request(json.loads(body), self._now())
        self._append_all([body])
        return {}

    def send_event(self, event: bytes, timeout_s: float) -> None:  # noqa: ARG002 - as in `send`
        """Append the event."""
        if error := self._broken(event):
            raise Refused(type(error).__name__, str(error))
        self._append_all([event])

    def send_events(self, events: Sequence[bytes], timeout_s: float) -> Json:  # noqa: ARG002 - as in `send`
        """Append the valid events, and return the failures in the service's form."""
        errors = [self._broken(event) for event in events]
        self._append_all([event for event, error in zip(events, errors, strict=True) if not error])
        failed = [
            {"index": index, "reason": str(error), "retriable": False} for index, error in enumerate(errors) if error
        ]
        return {"failed_events": failed}

    def close(self) -> None:
        """Do nothing: no file stays open between requests."""

    def _broken(self, event: bytes) -> Invalid | TooLarge | None:
        """Check an event; return the error of a broken rule."""
        from headwater_model.events import check_event  # only a file needs it

        try:
            check_event(json.loads(event), now=normalize(datetime.fromtimestamp(self._now(), timezone.utc)))
        except (Invalid, TooLarge) as error:
            return error
        return None

    def _append_all(self, bodies: Sequence[bytes]) -> None:
        try:
            with self._lock:
                self._append(b"".join(body + b"\n" for body in bodies))
        except OSError as error:
            kind = Undelivered if error.errno in _MAY_PASS else Misconfigured
            raise kind(f"{self._path}: {error.strerror}") from error

    def _append(self, line: bytes) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            with _locked(descriptor):
                size, written = os.fstat(descriptor).st_size, 0
                try:
                    while written < len(line):
                        written += os.write(descriptor, line[written:])
                except OSError:
                    if os.fstat(descriptor).st_size == size + written:  # else a process without locks wrote after it
                        os.ftruncate(descriptor, size)
                    raise
        finally:
            os.close(descriptor)


@contextmanager
def _locked(descriptor: int) -> Iterator[None]:
    """Lock out writes of a second process, where the platform and the file system can: not on Windows."""
    try:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX)
    except (ImportError, OSError):
        pass
    yield
