"""The zip of a release: `release.json`, the templates, and the assets by their keys in the bucket.

The same cloud assembly gives the same bytes: entries are in order and of the same time, and folders of assets are
packed in the same way.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

_RELEASE = "release.json"
# The earliest time of a zip.
_TIME = (1980, 1, 1, 0, 0, 0)
_MODE = 0o644 << 16


def pack(assembly: Path, file: Path, release: Mapping[str, Any]) -> None:
    """Write the zip of a cloud assembly; `release` describes it, and gets the SHA-256 and size of each asset."""
    assets = dict(sorted(_assets(assembly)))
    described = {
        **release,
        "assets": {
            key: {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
            for key, content in assets.items()
        },
    }
    file.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(file, "w") as archive:
        _add(archive, _RELEASE, (json.dumps(described, indent=1) + "\n").encode())
        for name in sorted(release["templates"].values()):
            _add(archive, name, (assembly / name).read_bytes())
        for key, content in assets.items():
            # They are compressed already, all but a script of some lines.
            _add(archive, f"assets/{key}", content, compression=zipfile.ZIP_STORED)


def _assets(assembly: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the key and the content of each asset in the templates of the assembly."""
    for manifest in assembly.glob("*.assets.json"):
        for asset in json.loads(manifest.read_text(encoding="utf-8"))["files"].values():
            if asset["source"]["path"].endswith(".template.json"):
                continue
            [destination] = asset["destinations"].values()
            path = assembly / asset["source"]["path"]
            yield destination["objectKey"], _zipped(path) if path.is_dir() else path.read_bytes()


def _zipped(folder: Path) -> bytes:
    """Zip a folder with its files at the root, as the CDK uploads it."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            _add(archive, path.relative_to(folder).as_posix(), path.read_bytes())
    return content.getvalue()


def _add(archive: zipfile.ZipFile, name: str, content: bytes, *, compression: int = zipfile.ZIP_DEFLATED) -> None:
    entry = zipfile.ZipInfo(name, _TIME)
    entry.external_attr = _MODE
    entry.compress_type = compression
    archive.writestr(entry, content)
