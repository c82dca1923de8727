"""The explorer's build: what pins it, and what makes it anew."""

import json
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def build():
    """The script, which no package holds."""
    spec = spec_from_file_location("explorer_build", ROOT / "scripts" / "explorer.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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


def test_no_script_starts_npm():
    """Of the Node that PyPI has, only `npm-cli.js` runs: its `npm` on the PATH looks for the rest beside itself."""
    package = json.loads((ROOT / "explorer" / "package.json").read_text(encoding="utf-8"))
    assert {"build", "check"} <= package["scripts"].keys()
    assert [script for script in package["scripts"].values() if "npm" in script.split()] == []


def test_every_version_is_pinned_exactly():
    package = json.loads((ROOT / "explorer" / "package.json").read_text(encoding="utf-8"))
    versions = {**package["dependencies"], **package["devDependencies"], **package["overrides"]}
    assert [name for name, version in versions.items() if not version[0].isdigit()] == []


def test_another_source_makes_another_digest(build, tmp_path, monkeypatch):
    monkeypatch.setattr(build, "ROOT", tmp_path)
    file = tmp_path / "a.ts"
    file.write_text("1")
    first = build.digest_of([file])
    file.write_text("2")
    assert first != build.digest_of([file])
    file.write_text("1")
    assert first == build.digest_of([file])


def test_the_digest_reads_document_sources_lock_and_settings_alone(build):
    names = {path.relative_to(build.ROOT).as_posix() for path in build.sources()}
    assert {"openapi.json", "package-lock.json", "vite.config.ts", "index.html", "src/main.tsx"} <= names
    assert "src/api/schema.ts" not in names
    assert not any(name.startswith(("node_modules/", "dist/")) for name in names)
