"""The company against a running Headwater: `python -m examples.company URL [--nights N]`.

It sends the events of the company's nights until now, and the records of its last day; the service shows them as it
loads them. The last line is the address of the explorer.

Exit code: 0 when all was sent; else 1, and the reason is the last line on standard error.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time

from examples.company.send import NIGHTS, SEED, send_company
from spark_client import LineageClient
from spark_client.errors import LineageError


def main() -> int:
    """Send the company's lineage to a URL."""
    parser = argparse.ArgumentParser(
        prog="python -m examples.company",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("url", help="of the HTTP API; HEADWATER_TOKEN is its token, where it needs one")
    parser.add_argument("--nights", type=int, default=NIGHTS, metavar="N", help=f"nights of runs (default {NIGHTS})")
    parser.add_argument("--seed", type=int, default=SEED, help=f"of the random choices (default {SEED})")
    given = parser.parse_args()
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    try:
        with LineageClient(url=given.url.rstrip("/"), strict=True) as lineage:
            sent = send_company(
                lineage,
                now_s=time.time(),
                nights=given.nights,
                seed=given.seed,
                report=lambda events: print(f"{events:,} events", flush=True),
            )
    except (LineageError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1
    print(f"{sent:,} events and records are sent; in the explorer seconds from now:")
    print(f"{given.url.rstrip('/')}/explore/", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
