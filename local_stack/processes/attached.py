"""A module as a child process that ends with its parent: `python -m local_stack.processes.attached MODULE [...]`.

The child exits at once when its stdin ends: the parent closes it, or has ended itself, for any reason. The child's
stdout holds the module's prints; the module's own children, such as Spark's JVM, print to stderr.
"""

from __future__ import annotations

import os
import runpy
import sys
import threading


def main() -> None:
    """Run the module as `python -m` does."""
    sys.stdout = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)
    threading.Thread(target=_end_with_stdin, daemon=True).start()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


def _end_with_stdin() -> None:
    while os.read(0, 4096):
        pass
    os._exit(1)


if __name__ == "__main__":
    main()
