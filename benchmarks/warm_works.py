"""Works of benchmarks in forks of one process that has everything imported: for `--quick`, whose figures nobody keeps.

`processes.warm` starts it. It answers one line of JSON with another:

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
_WORKS = tuple(f"benchmarks.{name}_work" for name in ("trace", "load", "events", "graph", "fields", "verify"))


def answer(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Run a work in a fork of this process, which has one thread; its exit status, and what it printed."""
    # No pipe: a Java that the work started may hold it open for longer than the work lives.
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        child = os.fork()
        if child == 0:
            _become(asked, output.fileno())
        _, status = os.waitpid(child, 0)
        output.seek(0)
        return {"status": os.waitstatus_to_exitcode(status), "printed": output.read()}


def _become(asked: Mapping[str, Any], output: int) -> None:
    """Be the work, and end with it."""
    status = 0
    os.dup2(output, 1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # Spark and its like; our own tracebacks are printed
    os.environ.update(asked["environment"])
    try:
        if "code" in asked:
            exec(asked["code"], {})  # noqa: S102 - a benchmark's own
        else:
            sys.argv[1:] = asked["arguments"]
            runpy.run_module(f"benchmarks.{asked['module']}", run_name="__main__", alter_sys=True)
    except BaseException:  # noqa: BLE001 - whatever it is, whoever asked is told
        traceback.print_exc(file=sys.stdout)
        status = 1
    sys.stdout.flush()
    os._exit(status)


if __name__ == "__main__":
    for name in _IMPORTED:
        importlib.import_module(name)
    for name in _WORKS:
        importlib.import_module(name)
        del sys.modules[name]  # only what it imports stays: the work itself is run as a program
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)
