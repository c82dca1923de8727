"""The lock files and every other committed file: pinned, hashed, and silent about where packages come from."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOCKS = sorted(path.name for path in (ROOT / "requirements").glob("*.txt"))
# Spelled in parts, so that this file is not found itself.
INDEX_HOSTS = [
    "pypi" + ".org/simple",
    "files.python" + "hosted.org",
    "registry.npm" + "js.org",
    "registry.yarn" + "pkg.com",
]
INDEX_OPTIONS = re.compile(r"^\s*--?(index-url|extra-index-url|find-links|trusted-host|i|f)\b", re.MULTILINE)


def committed_files():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def test_there_is_a_lock_file_for_each_environment():
    assert LOCKS == [
        "audit.txt",
        "dev.txt",
        "docs.txt",
        "java.txt",
        "java17.txt",
        "jobs.txt",
        "lambda.txt",
        "local.txt",
        "marquez.txt",
        "ministack.txt",
        "node.txt",
        "sign_in.txt",
        "spark35.txt",
        "uv.txt",
    ]


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_file_pins_every_package_with_hashes_and_names_no_index(name):
    text = (ROOT / "requirements" / name).read_text(encoding="utf-8")
    requirements = re.split(r"\n(?=\S)", text.strip())
    loose = [requirement for requirement in requirements if not re.match(r"(#|[\w.\[\]-]+==\S+)", requirement)]
    unhashed = [
        requirement
        for requirement in requirements
        if not requirement.startswith("#") and "--hash=sha256:" not in requirement
    ]
    assert (loose, unhashed) == ([], [])
    assert "://" not in text
    assert INDEX_OPTIONS.search(text) is None


@pytest.mark.large
def test_what_the_local_stack_and_the_demo_import_is_what_they_install():
    folders = ("examples", "headwater", "infra", "jobs", "lambdas", "headwater_model", "local_stack", "spark_client")
    imported = {
        name
        for folder in folders
        for path in (ROOT / folder).rglob("*.py")
        if path != ROOT / "infra" / "check.py"  # `make check`'s
        if path != ROOT / "headwater" / "features" / "mcp" / "server.py"  # of the extra `mcp`
        and path.parent != ROOT / "examples" / "platforms"  # Glue's, Airflow's
        for name in imports_of(path)
    } - {*sys.stdlib_module_names, *folders}
    pinned = set(
        re.findall(r"^([\w.-]+)==", (ROOT / "requirements/local.txt").read_text(encoding="utf-8"), re.MULTILINE)
    )
    known = packages_distributions()
    assert {name for name in imported if not {each.lower().replace("_", "-") for each in known[name]} & pinned} == set()


def imports_of(path):
    """The top-level packages that a file imports, but for what only a type checker sees."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for_types = [
        node for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
    ]
    skipped = {id(node) for block in for_types for node in ast.walk(block)}
    for node in ast.walk(tree):
        if id(node) not in skipped and isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        if id(node) not in skipped and isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def test_no_committed_file_names_a_package_index():
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    naming = [
        (name, host)
        for name in committed_files()
        for host in INDEX_HOSTS
        if host.encode() in (ROOT / name).read_bytes()
    ]
    assert naming == []


def pinned(name: str) -> dict[str, str]:
    text = (ROOT / "requirements" / name).read_text(encoding="utf-8")
    return dict(re.findall(r"^([\w.-]+)==([\w.]+)", text, re.MULTILINE))


@pytest.mark.parametrize("name", ["lambda.txt", "jobs.txt"])
def test_what_is_deployed_has_the_version_that_development_uses(name):
    """The orjson of functions and jobs above all: the name of an archive object ends in the SHA-256 of its bytes."""
    of_development = pinned("dev.txt")
    assert {package: of_development.get(package) for package in pinned(name)} == pinned(name)
