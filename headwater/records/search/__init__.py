"""Search over live and archived records: each record once, page by page, bounded, never a scan.

The last published day divides them. The archive's tables hold the records of objects of that day or before
(`archive.py`). All other records are found in roots that got records since (`live.py`): in their rows, in expired
images that are staged, and in their objects of later days. Both parts use the same day, which travels in the cursor: a
day that is published while a caller pages changes nothing for that caller.
"""
