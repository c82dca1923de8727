"""Why a lineage request did not arrive; raised into the job only by a `strict` client.

    LineageError
    ├── Misconfigured   the client does not know where to send, or with which credentials
    ├── Refused         the service answered that the request breaks a rule; trying again cannot help
    └── Undelivered     the service could not be reached, or kept failing; trying again may help

They are not `lineage_model.errors`: those are the service's, these are what a job sees of it from outside.
"""

from __future__ import annotations

_MESSAGE_CHARS = 500


class LineageError(Exception):
    """The root of the tree; never raised itself."""


class Misconfigured(LineageError):
    """Nowhere to send to, several places at once, or no credentials."""


class Refused(LineageError):
    """The service's own error: its `code` (`Invalid`, or an HTTP status), and its message with field and rule."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(f"{code}: {message[:_MESSAGE_CHARS]}")


class Undelivered(LineageError):
    """An attempt, in the end all of them, failed in a way that may pass; `retry_after_s` if the service named it."""

    def __init__(self, message: str, retry_after_s: float = 0.0) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(message[:_MESSAGE_CHARS])
