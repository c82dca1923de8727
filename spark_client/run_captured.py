"""Run a job's script with its writes captured, without a line in it.

    python -m spark_client.run_captured job.py arguments...
    spark-submit .../spark_client/run_captured.py job.py arguments...

The configuration names the destination of events and all other settings (`spark_client.capture`).
"""

from __future__ import annotations

import os
import runpy
import sys
from typing import Any

_USAGE = "usage: python -m spark_client.run_captured job.py [argument ...]"


def main() -> None:
    """Run the script in `sys.argv[1]` as Python would; the capture is on with its first session."""
    if len(sys.argv) < 2:
        sys.exit(_USAGE)
    del sys.argv[0]
    _use_folder_of(sys.argv[0])
    _capture_sessions()
    from spark_client.capturing.session.shutdown import program

    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except BaseException as error:
        program.ended(error)
        raise
    program.ended(None)


def _use_folder_of(script: str) -> None:
    """Put the script's folder first on the path, and remove this file's: there, `requests` is another module."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != here]
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    sys.path.append(os.path.dirname(here))


def _capture_sessions() -> None:
    from pyspark.sql import SparkSession

    from spark_client.capturing.session.start import capture

    make = SparkSession.Builder.getOrCreate

    def make_captured(builder: Any) -> Any:
        session = make(builder)
        capture(session)
        return session

    SparkSession.Builder.getOrCreate = make_captured  # type: ignore[assignment,method-assign]


if __name__ == "__main__":
    main()
