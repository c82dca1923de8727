"""Remove features from a copy of the tree, and check the copy: `scripts/without_features.py [NAME...] [--tests]`.

    scripts/without_features.py                   # without any feature: import contracts and types
    scripts/without_features.py --tests           # ... the template and the fast tests, too
    scripts/without_features.py alerts mcp        # a copy without alerts, then a copy without mcp
    scripts/without_features.py --each --tests    # each feature in turn

A feature is a folder of `headwater/features`, of `tests/features`, and perhaps of `explorer/src/features`, and
an element of `FEATURES`. The core names no feature, so the copy is whole. Exits with 1 if a check fails.
"""

from __future__ import annotations

import argparse
import ast
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_BIN = Path(sys.executable).parent
_LIST = Path("headwater/features/__init__.py")
_FOLDERS = ("headwater/features", "tests/features", "explorer/src/features")
# Made by set-up or a build, and the same without features.
_LINKED = (".tools", ".venv", ".venv-spark35", "explorer/dist", "explorer/node_modules")
_CHECKS = (
    (str(_BIN / "lint-imports"), "--no-cache"),
    (str(_BIN / "mypy"),),
)
_TESTS = (
    (str(_BIN / "headwater"), "cdk", "synth", "--quiet"),
    (sys.executable, "scripts/test.py", "fast"),
)


def main(arguments: Sequence[str]) -> int:
    """Run the command line; return 1 if a check of a copy failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="a feature, or several: a copy without each of them")
    parser.add_argument("--each", action="store_true", help="a copy without each feature in turn")
    parser.add_argument("--tests", action="store_true", help="synthesize the template and run the fast tests, too")
    parsed = parser.parse_args(arguments)
    features = list(_elements((ROOT / _LIST).read_text(encoding="utf-8")))
    if unknown := set(parsed.names) - set(features):
        parser.error(f"no feature {', '.join(sorted(unknown))}; the features are {', '.join(features)}")
    names = features if parsed.each else parsed.names
    removals = [[name] for name in names] or [features]
    failed = [removed for removed in removals if not _check(removed, _CHECKS + _TESTS * parsed.tests)]
    return int(bool(failed))


def _check(removed: Sequence[str], checks: Sequence[tuple[str, ...]]) -> bool:
    """Check a copy without these features; True if all checks pass. The output of a failed check is printed."""
    passed = True
    with tempfile.TemporaryDirectory(prefix="headwater-without-") as folder:
        copy = Path(folder)
        _copy_tree(copy)
        _remove(removed, copy)
        for command in checks:
            began_s = time.monotonic()
            result = subprocess.run(  # noqa: S603 - our own checks
                command, cwd=copy, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
            )
            name = " ".join([Path(command[0]).name, *command[1:]])
            outcome = "failed" if result.returncode else "passed"
            sys.stdout.write(f"without {', '.join(removed)}: {name} {outcome}, {time.monotonic() - began_s:.0f} s\n")
            if result.returncode:
                passed = False
                sys.stdout.write(result.stdout)
            sys.stdout.flush()
    return passed


def _copy_tree(copy: Path) -> None:
    """Copy the files that git knows or would add, and mypy's cache; link to the folders of set-up and builds."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    files = subprocess.run(listing, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")  # noqa: S603
    for name in filter(None, files):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
    if (ROOT / ".mypy_cache").is_dir():
        try:
            shutil.copytree(ROOT / ".mypy_cache", copy / ".mypy_cache")
        except shutil.Error:  # mypy runs beside us, and its files come and go
            shutil.rmtree(copy / ".mypy_cache", ignore_errors=True)
    for name in _LINKED:
        if (ROOT / name).exists() and not (copy / name).exists():
            (copy / name).symlink_to((ROOT / name).resolve())


def _remove(names: Sequence[str], copy: Path) -> None:
    source = (copy / _LIST).read_text(encoding="utf-8")
    lines, elements = source.splitlines(keepends=True), _elements(source)
    for first, last in sorted((elements[name] for name in names), reverse=True):
        del lines[first - 1 : last]
    (copy / _LIST).write_text("".join(lines), encoding="utf-8")
    for folder in _FOLDERS:
        for name in names:
            shutil.rmtree(copy / folder / name, ignore_errors=True)


def _elements(source: str) -> dict[str, tuple[int, int]]:
    """Find the first and last line of each element of `FEATURES` by the feature's name."""
    return dict(_calls(ast.parse(source)))


def _calls(tree: ast.Module) -> Iterator[tuple[str, tuple[int, int]]]:
    for statement in tree.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.value, ast.Tuple):
            for call in statement.value.elts:
                if isinstance(call, ast.Call) and isinstance(call.args[0], ast.Constant):
                    yield str(call.args[0].value), (call.lineno, call.end_lineno or call.lineno)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
