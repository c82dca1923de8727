"""The functions, a module each: event in, a call, response out.

A cold start makes some 500,000 objects and no garbage. A search for garbage each 50,000 new objects takes about an
eighth of its CPU time (measured; Python's default is each 700). So the first search comes late, and passes over the
objects of the start; later searches are rarer than the default.
"""

import gc

_FIRST_SEARCH, _LATER_SEARCHES = 1_000_000, 50_000


def _leave_out_the_start(phase: str, _info: object) -> None:
    if phase == "start":
        gc.callbacks.remove(_leave_out_the_start)
        gc.freeze()
        gc.set_threshold(_LATER_SEARCHES)


gc.callbacks.append(_leave_out_the_start)
gc.set_threshold(_FIRST_SEARCH)
