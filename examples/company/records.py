"""Records of the company: files of invoices, split into rows that are checked and booked."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from spark_client import Step

_FILES = 12
_ROWS = 32


def roots_of(end: datetime) -> list[str]:
    """List the ids of the files of the day of `end`."""
    return [f"invoices-{end:%Y-%m-%d}-{number:02}.csv" for number in range(1, _FILES + 1)]


def records_of(end: datetime) -> Iterator[Step]:
    """Yield the steps of each file, by file and action: 12 files of 32 rows, with every tenth row rejected."""
    for root in roots_of(end):
        read, lake = f"{root}#read", "s3://nordwind-lake"
        rows = {number: f"{root}#{number:04}" for number in range(1, _ROWS + 1)}
        yield Step(root, root, "READ", f"{lake}/bronze/erp/invoices/{root}", read)
        for number, row in rows.items():
            yield Step(root, read, "SPLIT", f"{lake}/bronze/erp/bkpf/{root}/{number:04}.json", row)
        for number, row in rows.items():
            action, place = ("REJECTED", "quarantine") if number % 10 == 0 else ("CHECKED", "silver")
            yield Step(root, row, action, f"{lake}/{place}/erp/bkpf/{root}/{number:04}.json", f"{row}/{action.lower()}")
        for number, row in rows.items():
            if number % 10:
                place = f"snowflake://nordwind.eu-central-1/gold/fct_postings/{root}/{number:04}"
                yield Step(root, f"{row}/checked", "BOOKED", place, f"{row}/booked")
