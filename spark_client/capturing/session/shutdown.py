"""End of the program, and the calls then: an uncaught exception, `sys.exit`, its last line, or SIGTERM.

`os._exit`, other deadly signals, and the status of a `raise SystemExit(3)` go unnoticed; `sys.exit(3)` and `exit(3)`
are noticed. A caught exit is no failure, once its exception is freed. `run_captured` notices any `SystemExit`, and
whether it was caught.
"""

from __future__ import annotations

import atexit
import builtins
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any, TypeAlias

from spark_client.capturing.model import Failure

# A function to call at the end, with the program's failure, if it failed.
Closing: TypeAlias = Callable[[Failure | None], None]

_STACK_MAX_CHARS = 20_000
_MESSAGE_MAX_CHARS = 2_000


class Program:
    """Program with closings, called at its end with its failure, the newest first.

    It wraps `sys.exit` and the interpreter's `exit` and `quit`, and handles SIGTERM where nobody else does.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # Each with SIGTERM's wait for it, in seconds.
        self._closings: list[tuple[Closing, float | None]] = []
        self._failure: Failure | None = None
        self._installed = False
        self._is_ending = False
        self._is_terminated = False
        self._pid = os.getpid()

    def at_end(self, closing: Closing, sigterm_s: float | None = None) -> None:
        """Call the closing once the program has ended, before the interpreter goes.

        SIGTERM waits for it up to `sigterm_s` seconds before it kills; with None SIGTERM is left as it is.
        """
        with self._lock:
            self._closings.append((closing, sigterm_s))
        if sigterm_s is not None:
            self._handle_sigterm()
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
            self._closings = [known for known in self._closings if known[0] != closing]

    def ended(self, error: BaseException | None) -> None:
        """Note the exception at the end of the program; None forgets an exit noted before."""
        self._failure = failure_of(error) if error is not None else None

    def _end(self) -> None:
        if os.getpid() != self._pid:
            return  # a fork: the captures are its parent's
        self._is_ending = True
        error = getattr(sys, "last_value", None)
        if error is not None and _ended_the_program(error):
            self.ended(error)
        self._close_all(self._failure)
        if self._is_terminated:
            _terminate()

    def _close_all(self, failure: Failure | None) -> None:
        while self._closings:
            with self._lock:
                closing, _ = self._closings.pop()
            closing(failure)

    def _seen(self, leave: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap an exit function to remember the status."""

        def leave_and_remember(*status: Any, **named: Any) -> Any:
            try:
                return leave(*status, **named)
            except SystemExit as error:
                if threading.current_thread() is threading.main_thread():
                    self.ended(error)
                    error.__dict__["_headwater"] = _Freed(self._caught, self._failure)
                raise

        return leave_and_remember

    def _caught(self, failure: Failure | None) -> None:
        """Forget the failure of an exit, unless a later exit has its own."""
        if self._failure is failure:
            self._failure = None

    def _handle_sigterm(self) -> None:
        """Handle SIGTERM, unless the program does; only the main thread can."""
        in_main = threading.current_thread() is threading.main_thread()
        if in_main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, self._terminated)

    def _terminated(self, *_: object) -> None:
        """Call the closings registered for SIGTERM, within their time; then let the signal kill.

        They run in a thread of their own: the main thread may hold a lock they need.
        """
        if self._is_ending and os.getpid() == self._pid:
            self._is_terminated = True  # the end is under way, in this thread
            return
        if os.getpid() == self._pid:
            self._closings = [known for known in self._closings if known[1] is not None]
            seconds = sum(bound or 0.0 for _, bound in self._closings)
            failure = Failure("terminated by SIGTERM", is_abort=True)
            closing = threading.Thread(target=self._close_all, args=(failure,), daemon=True)
            closing.start()
            closing.join(seconds)
        _terminate()


class _Freed:
    """Attribute of an exit's exception. If running code frees it, the exit was caught."""

    def __init__(self, caught: Callable[[Failure | None], None], failure: Failure | None) -> None:
        self._caught, self._failure = caught, failure

    def __del__(self) -> None:
        if sys._getframe().f_back is not None:
            self._caught(self._failure)


program = Program()


def failure_of(error: BaseException) -> Failure | None:
    """Describe the exception at the program's end as a failure; None for an exit with success.

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
    # Whole lines: secrets are recognized by the text before them.
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


def _terminate() -> None:
    """End this process as SIGTERM does without a handler."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGTERM)
