"""The errors that the local stack raises on purpose.

LocalError
├── UnknownInTemplate   the template has something that the local stack would not do
├── PortInUse           another process listens there
├── DataInUse           another stack has the folder of data
├── DataUnusable        no state can be kept in the folder, or the one in it cannot be read
├── ChildFailed         a child process died, or did not respond in time
│   └── ChildTimedOut
├── NotDrained          messages were still in the queues when the time was up
├── MachineFailed       an execution did not end in success
└── ToolMissing         Java or Node is missing on this machine
"""

from __future__ import annotations

from pathlib import Path


class LocalError(Exception):
    """The root of the tree; never raised itself."""


class UnknownInTemplate(LocalError):
    """A resource, property or value of the template that has no local meaning; the message names all three."""


class PortInUse(LocalError):
    """A requested port that is taken."""

    def __init__(self, port: int, option: str) -> None:
        super().__init__(f"port {port} on 127.0.0.1 is in use; choose another with {option}, or 0 for any free one")


class DataInUse(LocalError):
    """A folder of data that another stack has."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"--data {folder}: another stack has it; stop that one, or name another folder")


class DataUnusable(LocalError):
    """A folder that can hold no state, or whose state cannot be read."""

    def __init__(self, folder: Path, reason: object) -> None:
        super().__init__(f"--data {folder}: {reason}; name another folder")


class ChildFailed(LocalError):
    """A child process that ended before it responded."""


class ChildTimedOut(ChildFailed):
    """A child process killed because it did not respond in time."""


class NotDrained(LocalError, TimeoutError):
    """Queues that did not run empty in the given time."""


class MachineFailed(LocalError):
    """An execution that failed, timed out or was stopped; `error` and `cause` are those of Step Functions."""

    def __init__(self, status: str, error: str, cause: str) -> None:
        self.status = status
        self.error = error
        self.cause = cause
        super().__init__(f"execution {status}: {error}: {cause}")


class ToolMissing(LocalError):
    """A required program that is missing; the message names what to install."""
