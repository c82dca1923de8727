"""Look up known vulnerabilities of all locked packages: `python3 scripts/audit.py FOLDER_WITH_PIP_AUDIT`.

Every pin of requirements/*.txt is looked up on PyPI, for every machine and Python, and both package-lock.json in npm's
registry. Exit code 1 if a package is vulnerable or could not be looked up. `uv audit` (0.13, experimental) could not
take its place: it reads uv.lock and scripts, and no requirements files.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_PIN = re.compile(r"^([\w.-]+)(?:\[[^]]*\])?==([^\s;\\]+)", re.MULTILINE)
_PIP_AUDIT = ("--strict", "--disable-pip", "--no-deps", "--progress-spinner", "off", "--requirement")


def main(arguments: Sequence[str]) -> int:
    """Run the command line."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python3 scripts/audit.py FOLDER_WITH_PIP_AUDIT\n")
        return 2
    good = audit_python(Path(arguments[0]) / "pip-audit", pins(ROOT / "requirements"))
    return 0 if audit_node() and good else 1


def pins(folder: Path) -> set[tuple[str, str]]:
    """Collect every package and version in the lock files of the folder, for every Python and machine."""
    return {pin for path in folder.glob("*.txt") for pin in _PIN.findall(path.read_text(encoding="utf-8"))}


def audit_python(pip_audit: Path, pinned: Iterable[tuple[str, str]]) -> bool:
    """True if pip-audit knows every pin, and no vulnerability of it."""
    good = True
    for part in each_name_once(pinned):
        sys.stdout.write(f"audit: {len(part)} packages of Python\n")
        with tempfile.TemporaryDirectory() as scratch:
            file = Path(scratch) / "requirements.txt"
            file.write_text("".join(f"{name}=={version}\n" for name, version in part), encoding="utf-8")
            good = _succeeds(str(pip_audit), *_PIP_AUDIT, str(file)) and good
    return good


def each_name_once(pinned: Iterable[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    """Share pins out: pip-audit refuses two versions of a package.

    >>> list(each_name_once([("numpy", "1.26"), ("moto", "5.2"), ("numpy", "2.3")]))
    [[('moto', '5.2'), ('numpy', '1.26')], [('numpy', '2.3')]]
    """
    left = sorted(pinned)
    while left:
        part = dict(reversed(left))
        yield sorted(part.items())
        left = [pin for pin in left if part[pin[0]] != pin[1]]


def audit_node() -> bool:
    """True if npm's registry knows no vulnerability of the packages of the CDK and of the explorer."""
    npm = shutil.which("npm")
    if npm is None:
        sys.stderr.write("audit: there is no npm, so no package-lock.json was looked up\n")
        return False
    good = True
    for folder in (".", "explorer"):
        sys.stdout.write(f"audit: {Path(folder) / 'package-lock.json'}\n")
        good = _succeeds(npm, "audit", "--package-lock-only", "--prefix", folder) and good
    return good


def _succeeds(*command: str) -> bool:
    sys.stdout.flush()
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0  # noqa: S603 - our own command


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
