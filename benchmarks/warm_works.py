"""Works of benchmarks in forks of a process with all imports done: for `--quick`, with figures to drop.

`processes.warm` starts it. For each line of JSON it prints a line of JSON:

    {"module", "arguments", "environment"}  or  {"code", "environment"}  ->  {"status", "printed"}
"""

from __future__ import annotations

import importlib
import json
import os
import runpy
import sys
import tempfile
import traceback
from collections.abc import Mapping
from typing import Any

_IMPORTED = ("boto3", *(f"lambdas.{name}" for name in ("api", "compact", "expired", "input", "trace")))
_WORKS = tuple(f"benchmarks.{name}_work" for name in ("trace", "events", "graph", "fields"))


def run_work(work: Mapping[str, Any]) -> dict[str, Any]:
    """Run a work in a fork of this process, of a single thread; return its exit status and output."""
    # No pipe: a Java of the work may hold it open for longer than the work lives.
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        child = os.fork()
        if child == 0:
            _become(work, output.fileno())
        _, status = os.waitpid(child, 0)
        output.seek(0)
        return {"status": os.waitstatus_to_exitcode(status), "printed": output.read()}


def _become(work: Mapping[str, Any], output: int) -> None:
    """Run the work in place of this process, and end with it."""
    status = 0
    os.dup2(output, 1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # from Spark and other programs; our own tracebacks are printed
    os.environ.update(work["environment"])
    try:
        if "code" in work:
            exec(work["code"], {})  # noqa: S102 - a benchmark's own
        else:
            sys.argv[1:] = work["arguments"]
            runpy.run_module(work["module"], run_name="__main__", alter_sys=True)
    except BaseException:  # noqa: BLE001 - every error is reported to the parent
        traceback.print_exc(file=sys.stdout)
        status = 1
    sys.stdout.flush()
    os._exit(status)


if __name__ == "__main__":
    for name in _IMPORTED:
        importlib.import_module(name)
    for name in _WORKS:
        importlib.import_module(name)
        del sys.modules[name]  # only its imports stay: the work itself is run as a program
    for line in sys.stdin:
        print(json.dumps(run_work(json.loads(line))), flush=True)
