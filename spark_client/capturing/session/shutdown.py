"""End of the program, and what is done then: an uncaught exception, `sys.exit`, or its last line.

`os._exit`, a signal that kills, and the status of a `raise SystemExit(3)` go unnoticed (`sys.exit(3)` and `exit(3)` do
not; `run_captured` notices all three).
"""

from __future__ import annotations

import atexit
import builtins
import dis
import os
import sys
import threading
import traceback
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeAlias

from spark_client.capturing.model import Failure

# A function to call at the end, with the program's failure, if it failed.
Closing: TypeAlias = Callable[[Failure | None], None]

_STACK_MAX_CHARS = 20_000
_MESSAGE_MAX_CHARS = 2_000


class Program:
    """Program that knows how it ends, and then calls its closings, the last one first.

    It wraps `sys.exit` and the interpreter's `exit` and `quit`.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._closings: list[Closing] = []
        self._failure: Failure | None = None
        # Of the frames that the exception went through, the outermost.
        self._left: FrameType | None = None
        self._installed = False
        self._pid = os.getpid()

    def at_end(self, closing: Closing) -> None:
        """Call the closing once the program has ended, before the interpreter goes."""
        with self._lock:
            self._closings.append(closing)
            if self._installed:
                return
            self._installed = True
        self._pid = os.getpid()
        atexit.register(self._end)
        sys.exit = self._seen(sys.exit)
        if not _is_interactive():  # a person may print `exit` to learn how to leave
            for name in {"exit", "quit"} & set(vars(builtins)):
                setattr(builtins, name, self._seen(getattr(builtins, name)))

    def forget(self, closing: Closing) -> None:
        """Remove a closing."""
        with self._lock:
            self._closings = [known for known in self._closings if known != closing]

    def failed(self, error: BaseException) -> None:
        """Note the exception that ends the program, unless it is caught after all."""
        self._failure = failure_of(error)
        self._left = error.__traceback__.tb_frame if error.__traceback__ else None

    @property
    def failure(self) -> Failure | None:
        """Reason why the program failed, now that it is over; an exception that was caught is no failure."""
        return None if self._left is not None and _returned(self._left) else self._failure

    def _end(self) -> None:
        if os.getpid() != self._pid:
            return  # a fork: the captures are its parent's
        error = getattr(sys, "last_value", None)
        if error is not None and _ended_the_program(error):
            self.failed(error)
        failure = self.failure
        while self._closings:
            with self._lock:
                closing = self._closings.pop()
            closing(failure)

    def _seen(self, leave: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that ends the program and remembers the status."""

        def leave_and_remember(*status: Any, **named: Any) -> Any:
            if threading.current_thread() is threading.main_thread():
                self._failure = failure_of(SystemExit(*status, *named.values()))
                self._left = _outermost(sys._getframe())
            return leave(*status, **named)

        return leave_and_remember


program = Program()


def failure_of(error: BaseException) -> Failure | None:
    """Return the exception that ended the program as a failure; None for an exit with success.

    >>> failure_of(SystemExit(3)).message
    'exit status 3'
    >>> failure_of(SystemExit(0))
    """
    if isinstance(error, SystemExit):
        status = error.code
        if not status:
            return None
        return Failure((f"exit status {status}" if isinstance(status, int) else str(status))[:_MESSAGE_MAX_CHARS])
    message = "".join(traceback.format_exception_only(type(error), error)).strip()
    stack = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    # Whole lines: a secret is found by the text before it.
    end = stack if len(stack) <= _STACK_MAX_CHARS else stack[-_STACK_MAX_CHARS:].partition("\n")[2]
    return Failure(message[:_MESSAGE_MAX_CHARS], end)


def _ended_the_program(error: BaseException) -> bool:
    """True if the interpreter printed the exception because it was not caught.

    Notebooks and test runners set `sys.last_value`, too, but catch the exception before it leaves the outermost frame.
    """
    trace = error.__traceback__
    return trace is not None and trace.tb_frame.f_back is None and not _is_interactive()


def _is_interactive() -> bool:
    """True if a person types lines, each of which may fail."""
    return hasattr(sys, "ps1") or bool(sys.flags.interactive)


def _outermost(frame: FrameType) -> FrameType:
    while frame.f_back is not None:
        frame = frame.f_back
    return frame


def _returned(frame: FrameType) -> bool:
    """True if a finished frame ran to its end, and not out by an exception."""
    last = dis.opname[frame.f_code.co_code[frame.f_lasti]]
    return last.startswith("RETURN_")
