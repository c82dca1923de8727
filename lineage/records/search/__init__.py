"""Searching records over what is in the table and what is archived: each once, page by page, bounded, never a scan.

The last published day divides them. What some object of that day or before holds, its tables tell (`archive.py`); what
none holds is told by the roots that have got records since (`live.py`): by their rows, by images that expired and
are staged, and by their objects of later days. Both sides look at the same day, which travels in the place to go on
from: a day that is published while somebody pages changes nothing for them.
"""
