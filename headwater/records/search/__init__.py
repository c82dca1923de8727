"""Search over live and archived records: each record once, page by page, bounded, never a scan.

The last published day divides them. The archive's tables hold the records of objects of that day or before
(`archive.py`). Later records are found by their roots (`live.py`): in rows, in staged images, and in objects of later
days. Both parts use the day in the cursor: a day published between two pages changes nothing for the caller.
"""
