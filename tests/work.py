"""Work of a call, without the clock on the wall: a busy machine does not change it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import FrameType, FunctionType


def calls_of(work: Callable[[], object], *functions: FunctionType) -> int:
    """Count the calls that the work makes in this thread: of these functions, or of all in Python and in C.

    >>> calls_of(lambda: (abs(1), abs(2))) - calls_of(lambda: abs(1))
    1
    """
    calls, before = 0, sys.getprofile()
    codes = {function.__code__ for function in functions}

    def count(frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += frame.f_code in codes and event == "call" if codes else event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return calls


def growth_of(work: Callable[[str], object], text: str, *, times: int = 8) -> float:
    """Return what a text that is repeated costs beside its parts one by one: 1 if linear, `times` if quadratic.

    The cost is CPU time of this thread, the least of three: a regular expression makes no calls to count.
    """
    repeated = text * times
    whole_s, parts_s = [], []
    for _ in range(3):
        whole_s.append(_cpu_s(lambda: work(repeated)))
        parts_s.append(_cpu_s(lambda: [work(text) for _ in range(times)]))
    return min(whole_s) / min(parts_s)


def _cpu_s(work: Callable[[], object]) -> float:
    started_s = time.thread_time()
    work()
    return time.thread_time() - started_s
