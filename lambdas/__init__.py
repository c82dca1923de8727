"""The functions, a module each: event in, a call, response out.

Cold starts and large queries make up to a million objects, and no garbage. A search each 50,000 objects took an eighth
of a cold start's CPU time, and up to half of a query's. So searches are rare, and pass over the objects of the start.
"""

import gc

_SEARCH_EACH = 1_000_000


def _leave_out_the_start(phase: str, _info: object) -> None:
    if phase == "start":
        gc.callbacks.remove(_leave_out_the_start)
        gc.freeze()


gc.callbacks.append(_leave_out_the_start)
gc.set_threshold(_SEARCH_EACH)
