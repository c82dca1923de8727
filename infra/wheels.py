"""Locked dependencies for another machine than this machine: wheels alone, each with the hash in its lock file."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

# Part of the build's folder name: raise it when the build changes.
_RECIPE = "1"
_PIP = (sys.executable, "-m", "pip")
_QUIET = ("--quiet", "--disable-pip-version-check")


@dataclass(frozen=True, slots=True)
class Target:
    """The target machine: its platforms as wheels name them, best first, and its minor version of Python."""

    platforms: Sequence[str]
    python_version: str

    def install(self, lock_file: Path, folder: Path) -> None:
        """Put the packages into the folder, importable.

        Raises:
                subprocess.CalledProcessError: if a wheel is missing or its hash is not the locked hash; pip says which.
        """
        run([*_PIP, "install", *_QUIET, "--no-compile", *self._of(lock_file), "--target", str(folder)])

    def download(self, lock_file: Path, folder: Path) -> None:
        """Put the wheels into the folder, as they are; raises as `install`."""
        run([*_PIP, "download", *_QUIET, *self._of(lock_file), "--dest", str(folder)])

    def _of(self, lock_file: Path) -> list[str]:
        wheels = ("--only-binary", ":all:", "--implementation", "cp", "--python-version", self.python_version)
        platforms = [argument for platform in self.platforms for argument in ("--platform", platform)]
        return [*wheels, *platforms, "--requirement", str(lock_file), "--require-hashes", "--no-deps"]


def built_once(parts: Sequence[str], lock_file: Path, folders: Path, build: Callable[[Path], None]) -> Path:
    """Fill a folder by `build`, once for each lock file; `parts` name everything else its content depends on."""
    named = "\0".join((_RECIPE, *parts, lock_file.read_text(encoding="utf-8")))
    folder = folders / hashlib.sha256(named.encode()).hexdigest()
    if folder.is_dir():
        return folder
    folders.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folders) as scratch:
        unfinished = Path(scratch) / "unfinished"
        unfinished.mkdir()
        build(unfinished)
        unfinished.replace(folder)
    return folder


def run(command: Sequence[str]) -> None:
    """Run a command of our own; its output goes to standard error."""
    subprocess.run(command, check=True, stdout=sys.stderr)  # noqa: S603  # our own words, no shell
