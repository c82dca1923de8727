"""Make a virtual environment that the Makefile's targets use: `python3 scripts/setup.py .venv dev.txt`.

`local.txt` is what the local stack and the demo need, `dev.txt` that and what tests need, `spark35.txt` what the Spark
tests need to meet the oldest Spark. Only the standard library and Python 3.10 are needed. Everything is pinned, with
hashes, in requirements/. uv installs it, or pip where uv cannot. Java and Node come from PyPI too, and only where this
machine has none that is new enough. Existing installations stay as they are.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON_MIN = (3, 10)
_DEV, _LOCAL, _MARQUEZ, _UV = "dev.txt", "local.txt", "marquez.txt", "uv.txt"
# What must be found from inside the environment, and the file that brings it; only our own environments synthesize.
_JAVA = ("java.txt", "from local.toolchain import find_java; find_java()")
_NODE = ("node.txt", "from local.toolchain import find_node; find_node()")
_TOOLS = ROOT / ".tools" / "uv"


class SetupFailed(Exception):
    """A failed step; the message names it and what to do."""


def main(arguments: Sequence[str]) -> int:
    """Run the command line."""
    try:
        folder, lock = arguments
        set_up(Path(folder).resolve(), lock)
    except ValueError:
        sys.stderr.write("usage: python3 scripts/setup.py FOLDER FILE_OF_REQUIREMENTS\n")
        return 2
    except SetupFailed as error:
        sys.stderr.write(f"setup: {error}\n")
        return 1
    return 0


def set_up(folder: Path, lock: str) -> None:
    """Bring `folder` up to date with a file of requirements/.

    Raises:
        SetupFailed: Python is too old, or a step failed.
    """
    if sys.version_info < PYTHON_MIN:
        raise SetupFailed(
            f"Python {_dotted(PYTHON_MIN)} or newer is needed, this is {_dotted(sys.version_info[:2])}; "
            "name another with `make PYTHON=python3.11 ...`"
        )
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not python.exists():
        _print_step(f"making {folder.name}/")
        _make_environment(folder)
    stamp, wanted = folder / f".installed-{lock}", _digest(lock)
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return
    tools = (_JAVA, _NODE) if lock in (_LOCAL, _DEV) else (_JAVA,)
    missing = [tool for tool in tools if not _succeeds(python, tool[1])]
    _print_step(f"installing what requirements/{lock} pins{''.join(f', and {name}' for name, _ in missing)}")
    _install(python, "--require-hashes", *(f"-rrequirements/{name}" for name in (lock, *(name for name, _ in missing))))
    for _, code in missing:
        _prove(python, code)
    if lock == _DEV:
        _install_marquez(python, folder / "marquez")
    if lock in (_LOCAL, _DEV):
        _install(python, "--no-build-isolation", "-e", ".")
    stamp.write_text(wanted, encoding="utf-8")


def _digest(lock: str) -> str:
    """Return the hash of everything that decides what is installed."""
    names = {_LOCAL: (lock, "../pyproject.toml"), _DEV: (lock, _MARQUEZ, "../pyproject.toml")}.get(lock, (lock,))
    return hashlib.sha256(b"".join((ROOT / "requirements" / name).read_bytes() for name in names)).hexdigest()


def _make_environment(folder: Path) -> None:
    try:
        venv.create(folder, with_pip=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise SetupFailed(
            f"{folder} could not be made ({error}); on Debian and Ubuntu, `apt-get install python3-venv` helps"
        ) from error


def _install(python: Path, *what: str) -> None:
    """Install with uv (ten times as fast); with pip where uv is missing or fails, as behind a mirror of pip's."""
    uv = find_uv(python)
    options = ("--quiet", "--python", str(python), "--no-deps", "--compile-bytecode")
    if uv and _run(str(uv), "pip", "install", *options, *what).returncode == 0:
        return
    _print_step("uv cannot install here; pip does, which takes minutes")
    done = _run(str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", *what)
    if done.returncode != 0:
        raise SetupFailed(f"pip install {' '.join(what)} failed:\n{done.stdout}{done.stderr}")


def find_uv(python: Path) -> Path | None:
    """Return the pinned uv in .tools/, which pip brings; None where there is none for this machine."""
    lock = ROOT / "requirements" / _UV
    stamp = _TOOLS / hashlib.sha256(lock.read_bytes()).hexdigest()
    if not stamp.exists():
        target = ("--require-hashes", "--upgrade", "--target", str(_TOOLS), "-r", str(lock))
        if _run(str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *target).returncode != 0:
            return None
        stamp.touch()
    return _TOOLS / "bin" / ("uv.exe" if os.name == "nt" else "uv")


def _install_marquez(python: Path, folder: Path) -> None:
    """Install the client that tests read with, without the packages `tests` and `examples` of its wheel: ours are."""
    _install(python, "--require-hashes", "--upgrade", "--target", str(folder), f"-rrequirements/{_MARQUEZ}")
    for stray in ("tests", "examples"):
        shutil.rmtree(folder / stray, ignore_errors=True)


def _succeeds(python: Path, code: str) -> bool:
    return _run(str(python), "-c", code).returncode == 0


def _prove(python: Path, code: str) -> None:
    done = _run(str(python), "-c", code)
    if done.returncode != 0:
        raise SetupFailed(done.stderr.strip().splitlines()[-1])


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603 - our own


def _print_step(what: str) -> None:
    sys.stdout.write(f"setup: {what}\n")
    sys.stdout.flush()


def _dotted(version: Sequence[int]) -> str:
    return ".".join(map(str, version))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
