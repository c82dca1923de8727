"""Make a virtual environment of the Makefile's targets: `python3 scripts/setup.py .venv dev.txt`.

`local.txt` is for the local stack and the demo, `dev.txt` for them and the tests, `spark35.txt` for the Spark tests on
the oldest Spark. This script needs only the standard library and Python 3.10. Everything is pinned, with hashes, in
requirements/. uv installs it, or pip in place of a failing uv. Java and Node come from PyPI, too, if this machine lacks
a fitting version. Existing installations stay as they are.

Spark 3.5 needs an older Python, of the machine or fetched by uv. Without it, the environment holds the reason in the
file `.unavailable`, and the command succeeds: dependent tests are skipped.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON_MIN = (3, 10)
UNAVAILABLE = ".unavailable"
_UV = "uv.txt"
_TOOLS = ROOT / ".tools" / "uv"


@dataclass(frozen=True)
class Tool:
    """A program that must be found from inside the environment; `lock` brings it to a machine without it."""

    lock: str
    proof: str


@dataclass(frozen=True)
class Environment:
    """The contents of an environment besides its lock file: tools, the project itself, Marquez's client.

    `pythons` are the versions with wheels of its packages; all from 3.10 on if it is empty. Without an optional
    environment the rest of the project works.
    """

    tools: tuple[Tool, ...] = ()
    has_project: bool = False
    has_marquez: bool = False
    pythons: tuple[tuple[int, int], ...] = ()
    is_optional: bool = False


_FIND_JAVA = "from local_stack.toolchain import find_java; find_java()"
_JAVA, _JAVA_17 = Tool("java.txt", _FIND_JAVA), Tool("java17.txt", _FIND_JAVA)
_NODE = Tool("node.txt", "from local_stack.toolchain import find_node; find_node()")
_MARQUEZ = "marquez.txt"
ENVIRONMENTS = {
    "local.txt": Environment(tools=(_JAVA, _NODE), has_project=True),
    "dev.txt": Environment(tools=(_JAVA, _NODE), has_project=True, has_marquez=True),
    # PySpark 3.5 is for Python 3.8 to 3.11: 3.12 removed an import of it, and its arrays have no newer wheels.
    "spark35.txt": Environment(tools=(_JAVA_17,), pythons=((3, 10), (3, 11)), is_optional=True),
    "audit.txt": Environment(),
    "docs.txt": Environment(),
    "ministack.txt": Environment(),
}


class SetupFailed(Exception):
    """A failed step; the message names it and the remedy."""


class NotForThisMachine(Exception):
    """An environment impossible on this machine; the message is the reason."""


def main(arguments: Sequence[str]) -> int:
    """Run the command line."""
    try:
        name, lock = arguments
        folder, environment = Path(name).resolve(), ENVIRONMENTS[lock]
    except (ValueError, KeyError):
        sys.stderr.write(f"usage: python3 scripts/setup.py FOLDER {'|'.join(ENVIRONMENTS)}\n")
        return 2
    reason = folder / UNAVAILABLE
    reason.unlink(missing_ok=True)
    try:
        set_up(folder, lock, environment)
    except NotForThisMachine as error:
        if not environment.is_optional:
            sys.stderr.write(f"setup: {error}\n")
            return 1
        folder.mkdir(exist_ok=True)
        reason.write_text(f"{error}\n", encoding="utf-8")
        _print_step(f"no {folder.name}/: {error}")
    except SetupFailed as error:
        sys.stderr.write(f"setup: {error}\n")
        return 1
    return 0


def set_up(folder: Path, lock: str, environment: Environment) -> None:
    """Bring `folder` up to date with a file of requirements/.

    Raises:
        SetupFailed: Python is too old, or a step failed.
        NotForThisMachine: No Python or no Java fits the environment, of this machine or fetched.
    """
    if sys.version_info < PYTHON_MIN:
        raise SetupFailed(
            f"Python {_as_text(PYTHON_MIN)} or newer is needed, this is {_as_text(sys.version_info[:2])}; "
            "name another with `make PYTHON=python3.11 ...`"
        )
    python = _program(folder, "python")
    if not python.exists():
        _make_environment(folder, environment.pythons)
    stamp, digest = folder / f".installed-{lock}", _digest(lock, environment)
    if stamp.exists() and stamp.read_text(encoding="utf-8") == digest:
        return
    _print_step(f"installing what requirements/{lock} pins into {folder.name}/")
    _install(python, "--require-hashes", f"-rrequirements/{lock}")
    for tool in environment.tools:
        _bring(python, tool)
    if environment.has_marquez:
        _install_marquez(python, folder / "marquez")
    if environment.has_project:
        _install(python, "--no-build-isolation", "-e", ".")
    stamp.write_text(digest, encoding="utf-8")


def _digest(lock: str, environment: Environment) -> str:
    """Hash everything that decides the installation."""
    names = [lock]
    names += [_MARQUEZ] if environment.has_marquez else []
    names += ["../pyproject.toml"] if environment.has_project else []
    return hashlib.sha256(b"".join((ROOT / "requirements" / name).read_bytes() for name in names)).hexdigest()


def _make_environment(folder: Path, pythons: Sequence[tuple[int, int]]) -> None:
    _print_step(f"making {folder.name}/")
    if pythons and sys.version_info[:2] not in pythons:
        _make_with_another_python(folder, pythons)
        return
    try:
        venv.create(folder, with_pip=True)
    except (OSError, subprocess.CalledProcessError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise SetupFailed(
            f"{folder} could not be made ({error}); on Debian and Ubuntu, `apt-get install python3-venv` helps"
        ) from error


def _make_with_another_python(folder: Path, pythons: Sequence[tuple[int, int]]) -> None:
    """Let uv make the environment of a Python of this machine, or of a fetched Python."""
    versions = " or ".join(map(_as_text, pythons))
    uv = find_uv(_program(ROOT / ".venv", "python"))
    if uv is None:
        raise NotForThisMachine(f"Python {versions} is needed, this is {_as_text(sys.version_info[:2])}, without uv")
    failures = []
    for version in map(_as_text, sorted(pythons, reverse=True)):
        command = (str(uv), "venv", "--quiet", "--allow-existing", "--python", version, str(folder))
        done = _run(*command, path=[os.environ.get("PATH", ""), *_pythons_of_pyenv(version)])
        if done.returncode == 0:
            return
        failures.append(_last_line(done.stderr))
    shutil.rmtree(folder, ignore_errors=True)
    raise NotForThisMachine(f"Python {versions} is needed, and uv finds and fetches none ({failures[0]})")


def _pythons_of_pyenv(version: str) -> Iterable[str]:
    """List the folders of pyenv's Pythons of a version; its shims on the PATH run only selected versions."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    return map(str, sorted(root.glob(f"versions/{version}.*/bin")))


def _bring(python: Path, tool: Tool) -> None:
    """Install a tool that the environment does not find on this machine.

    Raises:
        NotForThisMachine: PyPI has no build for this machine.
    """
    done = _run(str(python), "-c", tool.proof)
    if done.returncode == 0:
        return
    _print_step(f"installing what requirements/{tool.lock} pins: {_last_line(done.stderr).partition(': ')[2]}")
    try:
        _install(python, "--require-hashes", f"-rrequirements/{tool.lock}")
    except SetupFailed as error:
        raise NotForThisMachine(_last_line(done.stderr).partition(": ")[2]) from error
    done = _run(str(python), "-c", tool.proof)
    if done.returncode != 0:
        raise SetupFailed(_last_line(done.stderr))


def _install(python: Path, *what: str) -> None:
    """Install with uv (ten times as fast); with pip where uv is missing or fails, as behind a mirror of pip's."""
    uv = find_uv(python)
    command = [str(uv), "pip", "install", "--python", str(python), "--no-deps", *what]
    # uv shows its progress, and the reason of a failure.
    if uv and subprocess.run(command, cwd=ROOT, check=False).returncode == 0:  # noqa: S603 - our own
        return
    _print_step("uv cannot install here; pip does, which takes minutes")
    done = _run(str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", *what)
    if done.returncode != 0:
        raise SetupFailed(f"pip install {' '.join(what)} failed:\n{done.stdout}{done.stderr}")


def find_uv(python: Path) -> Path | None:
    """Find the pinned uv in .tools/, installed by pip; None on a machine without a build of it."""
    lock = ROOT / "requirements" / _UV
    stamp = _TOOLS / hashlib.sha256(lock.read_bytes()).hexdigest()
    if not stamp.exists():
        target = ("--require-hashes", "--upgrade", "--target", str(_TOOLS), "-r", str(lock))
        if _run(str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *target).returncode != 0:
            return None
        stamp.touch()
    return _TOOLS / "bin" / ("uv.exe" if os.name == "nt" else "uv")


def _install_marquez(python: Path, folder: Path) -> None:
    """Install the client for tests to read with, without the packages `tests` and `examples` of its wheel: ours are."""
    _install(python, "--require-hashes", "--upgrade", "--target", str(folder), f"-rrequirements/{_MARQUEZ}")
    for stray in ("tests", "examples"):
        shutil.rmtree(folder / stray, ignore_errors=True)


def _program(folder: Path, name: str) -> Path:
    return folder / ("Scripts" if os.name == "nt" else "bin") / name


def _run(*command: str, path: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": os.pathsep.join(path)} if path else None
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)  # noqa: S603 - our own


def _last_line(text: str) -> str:
    """Find the last line with a text; nothing without any."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def _print_step(what: str) -> None:
    sys.stdout.write(f"setup: {what}\n")
    sys.stdout.flush()


def _as_text(version: Sequence[int]) -> str:
    return ".".join(map(str, version))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
