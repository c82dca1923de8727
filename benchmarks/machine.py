"""The machine of a run, as in docs/benchmarks.json."""

from __future__ import annotations

import os
import platform
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path

_LIBRARIES = ("boto3", "botocore", "orjson", "pydantic", "aws-lambda-powertools", "moto", "pyspark", "pyarrow")


def describe() -> list[tuple[str, str]]:
    """Name and describe everything with an effect on figures."""
    libraries = ", ".join(f"{name} {version(name)}" for name in _LIBRARIES)
    return [
        ("date", f"{datetime.now(timezone.utc):%Y-%m-%d %H:%M} UTC"),
        ("processor", f"{os.cpu_count()} cores, {_processor()}"),
        ("memory", f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 1e9:.0f} GB"),
        ("system", platform.platform()),
        ("Python", platform.python_version()),
        ("libraries", libraries),
    ]


def load() -> str:
    """Read the load averages (1, 5, 15 minutes): above the number of cores, figures measure foreign processes, too."""
    return ", ".join(f"{average:.1f}" for average in os.getloadavg())


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
