"""The explorer's build: what pins it, and what makes it anew."""

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_a_lock_names_versions_and_hashes_and_no_registry():
    packages = json.loads((ROOT / "explorer" / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    packages.pop("")
    assert packages
    assert [name for name, package in packages.items() if "resolved" in package] == []
    assert [name for name, package in packages.items() if not {"version", "integrity"} <= package.keys()] == []


def test_a_lock_has_the_bundler_of_every_common_machine():
    """npm leaves out what a registry lacks, and then installs on no other machine than the one that locked."""
    packages = json.loads((ROOT / "explorer" / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    machines = ["darwin-arm64", "darwin-x64", "linux-arm64-gnu", "linux-x64-gnu", "linux-x64-musl", "win32-x64-msvc"]
    assert [name for name in machines if f"node_modules/@rollup/rollup-{name}" not in packages] == []


def test_every_version_is_pinned_exactly():
    package = json.loads((ROOT / "explorer" / "package.json").read_text(encoding="utf-8"))
    versions = {**package["dependencies"], **package["devDependencies"], **package["overrides"]}
    assert [name for name, version in versions.items() if not version[0].isdigit()] == []
