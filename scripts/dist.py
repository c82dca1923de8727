"""Build both distributions: `python scripts/dist.py [FOLDER]`, into dist/, with their SHA-256 in SHA256SUMS.

The same tree gives the same bytes, on any day: hatchling takes the times of files from SOURCE_DATE_EPOCH, which is that
of the commit. The explorer must have been built (`make explorer`), for it lies in the wheel of `headwater`.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The folder of each distribution's pyproject.toml.
SOURCES = {"headwater": ROOT, "headwater-client": ROOT / "packaging" / "client"}


def main(arguments: Sequence[str]) -> int:
    """Build into the folder, and print what was built."""
    folder = Path(arguments[0] if arguments else ROOT / "dist").resolve()
    built = [build(source, folder) for source in SOURCES.values()]
    sums = "".join(f"{hashlib.sha256(wheel.read_bytes()).hexdigest()}  {wheel.name}\n" for wheel in built)
    (folder / "SHA256SUMS").write_text(sums, encoding="utf-8")
    sys.stdout.write(sums)
    return 0


def build(source: Path, folder: Path) -> Path:
    """Build the wheel of a folder with a pyproject.toml."""
    code = f"from hatchling.build import build_wheel; print(build_wheel({str(folder)!r}))"
    environment = {**os.environ, "SOURCE_DATE_EPOCH": _commit_s()}
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=source, env=environment, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own code
    return folder / done.stdout.split()[-1]


def _commit_s() -> str:
    """Return the time of the commit in seconds since 1970; without git, hatchling's own constant."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        return given
    command = ["git", "log", "-1", "--format=%ct"]
    try:
        return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()  # noqa: S603 - our own command
    except (OSError, subprocess.CalledProcessError):
        return "1580601600"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
