"""The errors raised by the local stack on purpose.

LocalError
├── UnknownInTemplate   the template has something unknown to the local stack
├── PortInUse           a foreign process listens there
├── DataInUse           a foreign stack has the folder of data
├── DataUnusable        no state can be kept in the folder, or its state cannot be read
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
    """A resource, property or value of the template without a local meaning; the message names all three."""


class PortInUse(LocalError):
    """A requested port in use."""

    def __init__(self, port: int, option: str) -> None:
        super().__init__(f"port {port} on 127.0.0.1 is in use; choose another with {option}, or 0 for any free one")


class DataInUse(LocalError):
    """A folder of data in use by a foreign stack."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"--data {folder}: another stack has it; stop that one, or name another folder")


class DataUnusable(LocalError):
    """A folder that can hold no state, or with an unreadable state."""

    def __init__(self, folder: Path, reason: object) -> None:
        super().__init__(f"--data {folder}: {reason}; name another folder")


class ChildFailed(LocalError):
    """A child process that ended without a response."""


class ChildTimedOut(ChildFailed):
    """A child process killed for a late response."""


class NotDrained(LocalError, TimeoutError):
    """Queues not empty in the given time."""


class MachineFailed(LocalError):
    """An execution that failed, timed out or was stopped; `error` and `cause` are Step Functions'."""

    def __init__(self, status: str, error: str, cause: str) -> None:
        self.status = status
        self.error = error
        self.cause = cause
        super().__init__(f"execution {status}: {error}: {cause}")


class ToolMissing(LocalError):
    """A missing program; the message names the installation."""
