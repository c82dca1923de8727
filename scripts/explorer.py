"""Build the explorer into explorer/dist/: `scripts/explorer.py [--optional | --check | --format | --test]`.

The types of the API come from its OpenAPI document: a page for an older API is not built. It is built again only after
a change of the document, the sources or the lock. npm belongs to the Node that the CDK command line gets. The API needs
no page: without npm the script prints so and succeeds, and with --optional a failed build succeeds, too. In CI (the
variable CI) both fail. --check builds nothing: it checks types, format, lint and the rules of the source; --format
formats, and mends with Biome; --test runs the unit tests.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from local_stack.errors import ToolMissing
from local_stack.toolchain import find_node, npm_command, with_node

ROOT = Path(__file__).resolve().parent.parent / "explorer"
DIST = ROOT / "dist"
DOCUMENT = ROOT / "openapi.json"
_STAMP = DIST / ".built-from"
_INSTALLED = ROOT / "node_modules" / ".installed-from"
_GENERATED = ROOT / "src" / "api" / "schema.ts"
_FILES = ("package.json", "package-lock.json", "tsconfig.json", "vite.config.ts", "index.html")


def main(arguments: Sequence[str]) -> int:
    """Run the command line."""
    _write_document()
    digest = digest_of(sources())
    script = next((name for name in ("check", "format", "test") if f"--{name}" in arguments), "build")
    if _is(_STAMP, digest) and script == "build":
        return 0
    is_needed = bool(os.environ.get("CI"))
    try:
        npm = npm_command(find_node())
    except ToolMissing as error:
        _print(f"no {script}, the API works without it: {error}")
        return int(is_needed)
    failure = _install(npm) or _run(npm, "run", script)
    if failure:
        _print(f"{script} failed:\n{failure}")
        return int(is_needed or "--optional" not in arguments)
    if script == "build":
        _STAMP.write_text(digest, encoding="utf-8")
    return 0


def sources() -> Iterator[Path]:
    """Yield every file of the build, in a fixed order; the generated types follow from the document."""
    yield from (DOCUMENT, *(ROOT / name for name in _FILES))
    yield from sorted(path for path in (ROOT / "src").rglob("*") if path.is_file() and path != _GENERATED)


def _write_document() -> None:
    from headwater.api.app import render_document

    DOCUMENT.write_text(render_document(), encoding="utf-8")


def digest_of(files: Iterable[Path]) -> str:
    """Hash the files' names and contents."""
    digest = hashlib.sha256()
    for path in files:
        digest.update(f"{path.relative_to(ROOT).as_posix()}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _install(npm: Sequence[str]) -> str:
    """Install the locked packages, unless they are installed; return the output of a failure."""
    digest = digest_of([ROOT / "package-lock.json"])
    if _is(_INSTALLED, digest):
        return ""
    _print("installing what explorer/package-lock.json pins")
    failure = _run(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
    if not failure:
        _INSTALLED.write_text(digest, encoding="utf-8")
    return failure


def _run(npm: Sequence[str], *arguments: str) -> str:
    """Run npm in the explorer's folder; return its output if it failed."""
    command = [*npm, *arguments]
    done = subprocess.run(  # noqa: S603 - npm, with constant arguments
        command, cwd=ROOT, env=with_node(os.environ), capture_output=True, text=True, check=False
    )
    return "" if done.returncode == 0 else f"{' '.join(command)}\n{done.stdout}{done.stderr}".rstrip()


def _is(stamp: Path, digest: str) -> bool:
    return stamp.exists() and stamp.read_text(encoding="utf-8") == digest


def _print(text: str) -> None:
    sys.stdout.write(f"explorer: {text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
