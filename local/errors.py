"""Every error the local stack raises on purpose.

LocalError
├── UnknownInTemplate   the template says something that the local stack would not do
├── PortInUse           another process listens there
├── ChildFailed         a child process died, or did not answer in time
│   └── ChildTimedOut
├── NotDrained          messages were still in the queues when the time was up
├── MachineFailed       an execution ended in anything but success
└── ToolMissing         Java or Node is neither on this machine nor to be had
"""

from __future__ import annotations


class LocalError(Exception):
    """The root of the tree; never raised itself."""


class UnknownInTemplate(LocalError):
    """A resource, property or value of the template that has no local meaning; the message names all three."""


class PortInUse(LocalError):
    """The asked port is taken."""

    def __init__(self, port: int, option: str) -> None:
        super().__init__(f"port {port} on 127.0.0.1 is in use; choose another with {option}, or 0 for any free one")


class ChildFailed(LocalError):
    """A child process ended before it answered."""


class ChildTimedOut(ChildFailed):
    """A child process was killed because it had not answered in time."""


class NotDrained(LocalError, TimeoutError):
    """The queues did not run empty in the time given."""


class MachineFailed(LocalError):
    """An execution failed, timed out or was stopped; `error` and `cause` as Step Functions gives them."""

    def __init__(self, status: str, error: str, cause: str) -> None:
        self.status = status
        self.error = error
        self.cause = cause
        super().__init__(f"execution {status}: {error}: {cause}")


class ToolMissing(LocalError):
    """A program that we need is not here; the message says what to install."""
