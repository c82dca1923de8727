"""Make a virtual environment that the Makefile's targets use: `python3 scripts/setup.py .venv`.

`python3 scripts/setup.py .venv-spark35 spark35.txt` makes the one in which the Spark tests meet the oldest Spark.
Only the standard library and Python 3.10 are needed. Everything is pinned, with hashes, in requirements/. Java and Node
come from PyPI too, and only where this machine has none that is new enough. What is there already is left alone.
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
_DEV = "dev.txt"
# What must be found from inside the environment; only the whole one synthesizes.
_FIND_JAVA = ("java", "from local.toolchain import find_java; find_java()")
_FIND_NODE = ("node", "from local.toolchain import find_node; find_node()")


class SetupFailed(Exception):
    """A step did not succeed; the message says which and what to do."""


def main(arguments: Sequence[str]) -> int:
    """The command line."""
    folder = Path(arguments[0] if arguments else ".venv").resolve()
    try:
        set_up(folder, arguments[1] if len(arguments) > 1 else _DEV)
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
        _say(f"making {folder.name}/")
        _make_environment(folder)
    stamp, wanted = folder / ".installed", _digest(lock)
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        _say(f"installing what requirements/{lock} pins (a few minutes the first time)")
        _install(python, "--require-hashes", "-r", f"requirements/{lock}")
        if lock == _DEV:
            _install_ours(python, folder)
        stamp.write_text(wanted, encoding="utf-8")
    for tool, question in (_FIND_JAVA, _FIND_NODE) if lock == _DEV else (_FIND_JAVA,):
        if not _succeeds(python, question):
            _say(f"bringing {tool} from PyPI, for this machine has none that is new enough")
            _install(python, "--require-hashes", "-r", f"requirements/{tool}.txt")
            _prove(python, question)


def _digest(lock: str) -> str:
    """Of everything that says what is installed."""
    names = ("requirements/dev.txt", "requirements/marquez.txt", "pyproject.toml")
    sources = names if lock == _DEV else (f"requirements/{lock}",)
    return hashlib.sha256(b"".join((ROOT / source).read_bytes() for source in sources)).hexdigest()


def _make_environment(folder: Path) -> None:
    try:
        venv.create(folder, with_pip=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise SetupFailed(
            f"{folder} could not be made ({error}); on Debian and Ubuntu, `apt-get install python3-venv` helps"
        ) from error


def _install(python: Path, *what: str) -> None:
    """pip, quiet unless it fails."""
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", *what]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603 - our own
    if done.returncode != 0:
        raise SetupFailed(f"pip install {' '.join(what)} failed:\n{done.stdout}{done.stderr}")


def _install_ours(python: Path, folder: Path) -> None:
    _install_marquez(python, folder / "marquez")
    _say("installing headwater itself")
    _install(python, "--no-build-isolation", "-e", ".")


def _install_marquez(python: Path, folder: Path) -> None:
    """The client that tests read with, without the packages `tests` and `examples` that its wheel brings: ours are."""
    _install(python, "--require-hashes", "--upgrade", "--target", str(folder), "-r", "requirements/marquez.txt")
    for stray in ("tests", "examples"):
        shutil.rmtree(folder / stray, ignore_errors=True)


def _succeeds(python: Path, code: str) -> bool:
    command = [str(python), "-c", code]
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 0  # noqa: S603 - our own


def _prove(python: Path, code: str) -> None:
    done = subprocess.run(  # noqa: S603 - our own
        [str(python), "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SetupFailed(done.stderr.strip().splitlines()[-1])


def _say(what: str) -> None:
    sys.stdout.write(f"setup: {what}\n")
    sys.stdout.flush()


def _dotted(version: Sequence[int]) -> str:
    return ".".join(map(str, version))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
