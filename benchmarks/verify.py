"""verify: bytes a second of one core over an archive in a folder, beside mere hashing programs.

Coreutils' `sha256sum` of the same files; ours lists the folder, reads the digest, hashes and compares. Bytes for a
second of CPU, on one core, files in the system's cache. OpenSSL uses the processor's instructions for SHA-256, and so
does Python's hashlib by OpenSSL; not every build of coreutils does, so `openssl dgst` stands beside.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.processes import PROJECT, Report, in_turns, run
from benchmarks.rows import Row, more, without_goal

_OBJECTS, _QUICK_OBJECTS = 400, 4
_ROUNDS = 7
_RATIO = 0.8
_WHAT = "verify: objects of 1 to 8 MB in a folder, one core"


def measure(report: Report, *, quick: bool) -> list[Row]:
    """Measure ours and the programs in turns; the files stay in the system's cache."""
    objects = _QUICK_OBJECTS if quick else _OBJECTS
    with TemporaryDirectory() as temporary:
        folder = Path(temporary) / "archive"
        report(f"writing {objects} objects")
        command = [sys.executable, "-m", "benchmarks.verify_work", "make", str(folder), str(objects)]
        subprocess.run(command, cwd=PROJECT, check=True)  # noqa: S603 - our own module
        names = [name for name in ("ours", "sha256sum", "openssl") if name == "ours" or shutil.which(name)]
        works = {name: partial(run, "verify_work", name, str(folder)) for name in names}
        figures = in_turns(1 if quick else _ROUNDS, works, report)
    speed = {name: program["per_cpu_s"] for name, program in figures.items()}
    rows = [more(_WHAT, speed["ours"], speed["sha256sum"], at_least=_RATIO, show=megabytes_per_second)]
    if "openssl" in speed:
        rows.append(
            without_goal("verify: beside openssl dgst", speed["ours"], speed["openssl"], show=megabytes_per_second)
        )
    return rows


def megabytes_per_second(value: float) -> str:
    """Render bytes as decimal megabytes a second.

    >>> megabytes_per_second(1_234_567_890)
    '1,235 MB/s'
    """
    return f"{value / 1e6:,.0f} MB/s"
