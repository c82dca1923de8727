"""Fixtures for every test: Java and Node on the PATH, the synthesized templates, and the stack they describe."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from botocore.loaders import JSONFileLoader
from hypothesis import HealthCheck, settings

from local_stack.aws.endpoint import without_proxies
from local_stack.errors import ToolMissing
from local_stack.toolchain import with_java, with_node

pytest_plugins = ["tests.costs"]

# No deadline an example: machines differ, and `timeout` stops a slow test. Where a person waits, examples are the same
# in each run; `HYPOTHESIS_PROFILE=thorough` draws many more, and new examples each time. See tests/examples.py.
_ANY_MACHINE = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("ci", **_ANY_MACHINE, max_examples=100, derandomize=True, database=None)
settings.register_profile("fast", settings.get_profile("ci"), max_examples=10)
settings.register_profile("thorough", **_ANY_MACHINE, max_examples=1_000, derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

# A worker reads the descriptions of AWS's services once, not for each session of a test: up to 0.3 s.
_load_file = JSONFileLoader.load_file
_load_once = cache(lambda path: _load_file(JSONFileLoader(), path))
JSONFileLoader.load_file = lambda _, path: _load_once(path)

# Folders of tests are markers, too, as are levels in `tests/features/<name>/<level>`. The rest are unit tests.
_FOLDERS = ("unit", "stack", "aws", "explorer", "e2e", "spark")
ROOT = Path(__file__).resolve().parents[1]
# The sources of a synthesized stack, or of a release.
_SOURCES = ("app.py", "cdk.json", "pyproject.toml", "explorer/dist", "headwater", "headwater_model", "infra", "jobs")
_SOURCES += ("lambdas", "local_stack", "packaging", "requirements", "scripts", "spark_client")
_SOURCES += ("tests/stack", *(str(file.relative_to(ROOT)) for file in ROOT.glob("tests/features/*/stacks.py")))
_KEPT_S = 24 * 3600

# Every request of a test goes to this machine; tests of proxies name their own.
for _name in os.environ.keys() - without_proxies(os.environ).keys():
    del os.environ[_name]
# Where Java or Node is missing, its tests say so; all else runs.
with contextlib.suppress(ToolMissing):
    os.environ.update(with_node(os.environ))
with contextlib.suppress(ToolMissing):
    os.environ.update(with_java(os.environ))


def pytest_configure(config: pytest.Config) -> None:
    """Name each failing test when it fails: pytest lists them at its end, too late for a stopped run."""
    config.pluginmanager.register(_Failures(config))


class _Failures:
    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if report.failed and reporter:
            reporter.write(f"\nfailed: {report.nodeid}\n")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test by its folder."""
    for item in items:
        item.add_marker(_folder_of(item.path.relative_to(item.config.rootpath)))


def _folder_of(path: Path) -> str:
    level = 3 if path.parts[1] == "features" else 1
    return path.parts[level] if path.parts[0] == "tests" and path.parts[level] in _FOLDERS else _FOLDERS[0]


@pytest.fixture(autouse=True)
def restored_environment():
    """Restore the environment after each test: OpenLineage's client leaves names in it for its next client."""
    before = dict(os.environ)
    yield
    for name in {name for name, _ in before.items() ^ os.environ.items()} - {"PYTEST_CURRENT_TEST"}:
        if name in before:
            os.environ[name] = before[name]
        else:
            del os.environ[name]


@pytest.fixture(scope="session")
def made_once():
    """`made_once("dist", make)`: the folder filled by `make`, once for the same sources."""
    from filelock import FileLock

    kept = ROOT / "build" / "tests" / _digest_of_sources()
    kept.mkdir(parents=True, exist_ok=True)
    for other in kept.parent.iterdir():
        if other != kept and time.time() - other.stat().st_mtime > _KEPT_S:
            shutil.rmtree(other, ignore_errors=True)

    def made_once(name: str, make: Callable[[Path], object]) -> Path:
        folder, stamp = kept / name, kept / f"{name}.made"
        with FileLock(kept / f"{name}.lock"):
            if not stamp.exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                make(folder)
                stamp.touch()
        return folder

    return made_once


def _digest_of_sources() -> str:
    digest = hashlib.sha256()
    for source in map(ROOT.joinpath, _SOURCES):
        for file in sorted(source.rglob("*")) if source.is_dir() else [source]:
            if file.is_file() and "__pycache__" not in file.parts:
                digest.update(f"{file.relative_to(ROOT)}\0{file.stat().st_size}\0".encode())
                digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


@pytest.fixture(scope="session")
def assembly(made_once):
    """`assembly(auth="token")`: the template's path in the cloud assembly of the context values."""
    from local_stack.template.synthesis import synthesize_into
    from tests.stack.assemblies import CONTEXTS, make_assemblies, name_of

    def assembly(**context: str) -> Path:
        if context in CONTEXTS:
            folder = made_once("assemblies", make_assemblies) / name_of(context)
        else:
            folder = made_once(name_of(context), lambda folder: synthesize_into(folder, **context))
        [template] = folder.glob("*.template.json")
        return template

    return assembly


@pytest.fixture(scope="session")
def synthesized(assembly):
    """`synthesized(auth="token")`: the template of the context values."""
    from local_stack.template.template import load_template

    return lambda **context: load_template(assembly(**context))


@pytest.fixture(scope="session")
def template(synthesized):
    """The deployed stack's template, as CDK writes it."""
    return synthesized()


@pytest.fixture(scope="session")
def local_stack(template, tmp_path_factory):
    """The whole stack, running, shared by all tests of a worker: let each test use roots of its own.

    Move time only in a stack of the test's own (`LocalStack(template)`, 3 s): it moves for all tests.
    """
    from local_stack.stack import LocalStack

    with LocalStack(template, window_cap_s=0.5, logs=tmp_path_factory.mktemp("logs")) as stack:
        yield stack
