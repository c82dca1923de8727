"""Files of the explorer, built by `make explorer` into `explorer/dist`.

The folder has the same path in a checkout and in the function's asset; the wheel has the files as `headwater/page`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

INDEX = "index.html"
_HERE = Path(__file__).resolve()
_IN_WHEEL = _HERE.parents[1] / "page"
DIST = _IN_WHEEL if (_IN_WHEEL / INDEX).is_file() else _HERE.parents[2] / "explorer" / "dist"
HTML = "text/html; charset=utf-8"
# Text alone: bytes would be sent as base64, a third larger.
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": HTML,
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml; charset=utf-8",
}
# The build puts a hash of the content into every name but the page's own.
_FOREVER = "public, max-age=31536000, immutable"
REVALIDATE = "no-cache"


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file of the build, with its headers."""

    text: str
    content_type: str
    cache_control: str


@cache
def built_files() -> Mapping[str, Path]:
    """List the files that may be served, `{"index.html": path}`; they do not change while a process lives."""
    return list_files(DIST)


def list_files(folder: Path) -> Mapping[str, Path]:
    """List the files of a build by name, `{"index.html": path}`; empty without a build."""
    files = folder.iterdir() if (folder / INDEX).is_file() else ()
    return {path.name: path for path in files if path.suffix in _TYPES}


def find_file(files: Mapping[str, Path], name: str) -> PageFile | None:
    """Read a file of the build; the page for a view, `jobs` or `a.b`: its name has none of the build's suffixes.

    None for an unknown file, and without a build.
    """
    path = files.get(name if PurePosixPath(name).suffix in _TYPES else INDEX)
    if path is None:
        return None
    return PageFile(_read(path), _TYPES[path.suffix], REVALIDATE if path.name == INDEX else _FOREVER)


@cache
def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")
