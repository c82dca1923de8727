"""The release of the tests (tests/stack/assemblies.py)."""

from __future__ import annotations

from pathlib import Path

FOLDER = "release"


def make(folder: Path) -> None:
    """Write the zip of a release, and its assembly, into a folder of their own."""
    from tests.features.release.releases import make_release_of_one_variant

    (folder / FOLDER).mkdir()
    make_release_of_one_variant(folder / FOLDER)
