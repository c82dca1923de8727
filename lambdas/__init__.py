"""The functions: one module each, event in, one call, response out.

Imports make hundreds of thousands of objects and no garbage. With Python's default of a search for garbage each 700 new
objects, such searches are a tenth of a cold start's CPU time (measured); so they are rarer here.
"""

import gc

gc.set_threshold(50_000)
