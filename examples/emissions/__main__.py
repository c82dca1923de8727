"""The pipeline against a running Headwater: `python -m examples.emissions URL [--days N]`.

It lands the flights, starts Spark and runs the pipeline, captured. Every stage is a line on standard output; the last
line is the address of a column's path in the explorer, where the events are loaded seconds later. Its files are those
of `headwater demo`, in .headwater/demo, so that its datasets have the same names.

Exit code: 0 when all was sent; else 1, and the reason is the last line on standard error.
"""

from __future__ import annotations

import argparse
import logging
import shutil
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import urlencode

from examples.emissions.landing import DAYS_MAX, land_flights
from examples.emissions.session import FOLDER, start_spark
from local_stack.errors import LocalError
from spark_client import LineageClient
from spark_client.errors import LineageError


class PrintedStages:
    """A display of stages as plain lines."""

    @contextmanager
    def stage(self, title: str, count: Callable[[], str] = str) -> Iterator[Callable[[str], None]]:  # noqa: ARG002
        """Print the title, and again with each detail."""
        print(title, flush=True)
        yield lambda detail: print(f"{title}: {detail}", flush=True)


def main() -> int:
    """Run the pipeline over days of flights and send its lineage to a URL."""
    parser = argparse.ArgumentParser(
        prog="python -m examples.emissions",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("url", help="of the HTTP API; HEADWATER_TOKEN is its token, where it needs one")
    parser.add_argument(
        "--days", type=_days, default=1, metavar="N", help="days of flights (default 1, about 870 each)"
    )
    given = parser.parse_args()
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    try:
        send_lineage(given.url.rstrip("/"), given.days)
    except (LineageError, LocalError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1
    except Exception as error:  # noqa: BLE001 - Spark may raise anything, and Java's traces end in frames
        traceback.print_exception(error)
        print(f"{parser.prog}: {type(error).__name__}: {str(error).partition(chr(10))[0]}", file=sys.stderr)
        return 1
    return 0


def send_lineage(url: str, days: int) -> None:
    """Run the pipeline over the first `days` of flights, and send its lineage to `url`.

    Raises:
        LineageError: Some of it was not delivered.
        ToolMissing: There is no Java for Spark.
    """
    stages, landing = PrintedStages(), FOLDER / "landing"
    with stages.stage(f"Landing {days} {'day' if days == 1 else 'days'} of flights"):
        shutil.rmtree(landing, ignore_errors=True)
        land_flights(landing, days)
    with stages.stage("Starting Spark"):
        spark = start_spark()
        from examples.emissions.captured_run import run_captured
    try:
        with LineageClient(url=url, strict=True) as lineage:
            ran = run_captured(stages, spark, lineage, landing, FOLDER)
    finally:
        spark.stop()
    if ran.undelivered:
        raise LineageError(f"{ran.undelivered:,} records or events were not delivered to {url}")
    column = f"datasetField:file:{FOLDER.resolve()}/estimated:co2_kg"
    print(f"{ran.counts.records:,} records and the events of their runs are sent; in the explorer seconds from now:")
    print(f"{url}/explore/columns?{urlencode({'node': column, 'dir': 'up'})}", flush=True)


def _days(text: str) -> int:
    days = int(text)
    if not 1 <= days <= DAYS_MAX:
        raise argparse.ArgumentTypeError(f"must be 1 to {DAYS_MAX}, got {days}")
    return days


if __name__ == "__main__":
    sys.exit(main())
