"""Errors of delivery; only a `strict` client raises them into the job.

    LineageError
    ├── Misconfigured   the destination, the credentials or the proxy are wrong: no request gets through
    ├── Refused         the service refused a request for a broken rule; trying again cannot help
    └── Undelivered     the service could not be reached, or kept failing; trying again may help

The errors of the service itself are in `headwater_model.errors`; a job sees the errors of this file.
"""

from __future__ import annotations

_MESSAGE_CHARS = 500


class LineageError(Exception):
    """Root of the error tree; never raised itself."""


class Misconfigured(LineageError):
    """No destination, several at once, no credentials, or a proxy that refuses them."""


class Refused(LineageError):
    """Refusal by the service's rules: its `code` (`Invalid`, or an HTTP status), and a message with field and rule.

    `responded` is False if the client found the broken rule before it sent anything.
    """

    def __init__(self, code: str, message: str, *, responded: bool = True) -> None:
        self.code = code
        self.responded = responded
        super().__init__(f"{code}: {message[:_MESSAGE_CHARS]}")


class Undelivered(LineageError):
    """Temporary failure of an attempt, or at last of all attempts; `retry_after_s` if the service named it.

    `timed_out` is True if there was no response at all within the attempt's time.
    """

    def __init__(self, message: str, retry_after_s: float = 0.0, *, timed_out: bool = False) -> None:
        self.retry_after_s = retry_after_s
        self.timed_out = timed_out
        super().__init__(message[:_MESSAGE_CHARS])
