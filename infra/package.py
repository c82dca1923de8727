"""The code of the functions: an asset for our code, a layer for the locked dependencies. No Docker anywhere."""

from __future__ import annotations

import logging
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import aws_cdk as cdk
from aws_cdk import aws_lambda as lam
from constructs import Construct

from infra.function import ARCHITECTURE, PYTHON_VERSION, RUNTIME
from infra.wheels import Target, built_once, run

PROJECT = Path(__file__).resolve().parent.parent
LOCK_FILE = PROJECT / "requirements" / "lambda.txt"
LAYERS = PROJECT / "build" / "layers"
# Newest first; Lambda's Python 3.13 runs on Amazon Linux 2023, glibc 2.34.
_PLATFORMS = ("manylinux_2_28_aarch64", "manylinux2014_aarch64")
_VERSION = "import sys; print('%d.%d' % sys.version_info[:2])"
# Measured for the clients, pydantic and powertools on x86 with Python 3.11: 288 ms without bytecode, 135 ms with it.
_NOT_COMPILED = (
    "no Python %s is on this machine: the layer is shipped without bytecode, which costs each cold start about 0.15 s; "
    "`uv python install %s` brings one"
)

_log = logging.getLogger(__name__)


# The service, without its commands, constructs and pages.
SERVICE = (
    *("!/headwater", "/headwater/cli", "/headwater/__main__.py"),
    *(f"/headwater/features/*/{name}" for name in ("README.md", "command.py", "construct.py", "context.py")),
    *("!/headwater_model", "__pycache__", "*.pyc"),
)
# The built explorer alone, of its folder.
_PAGE = ("!/explorer", "/explorer/*", "!/explorer/dist")


def code_asset() -> lam.Code:
    """Pack `lambdas/`, the service and its model, the explorer if it is built, and nothing else of the project."""
    return lam.Code.from_asset(
        str(PROJECT),
        ignore_mode=cdk.IgnoreMode.GIT,
        exclude=[
            "/*",
            *("!/lambdas", *SERVICE),
            *(_PAGE if (PROJECT / "explorer" / "dist").is_dir() else ()),
        ],
    )


def layer_version(scope: Construct, construct_id: str, folder: Path) -> lam.LayerVersion:
    """Make the layer of a folder of `build_layer`; the folder's name is the asset's hash."""
    return lam.LayerVersion(
        scope,
        construct_id,
        description="The locked dependencies of the functions.",
        code=lam.Code.from_asset(str(folder), asset_hash=folder.name, asset_hash_type=cdk.AssetHashType.CUSTOM),
        compatible_runtimes=[RUNTIME],
        compatible_architectures=[ARCHITECTURE],
    )


def build_layer(lock_file: Path = LOCK_FILE, layers: Path = LAYERS, python_version: str = PYTHON_VERSION) -> Path:
    """Build the layer's folder for this lock file, `requirements/lambda.txt`, if missing, from the package index.

    The wheels are for Lambda's platform, whatever machine builds. The modules are compiled, too, by any Python of
    Lambda's minor version. A layer is read-only: without bytecode, every cold start would compile the modules anew.

    Raises:
            subprocess.CalledProcessError: if a wheel is missing or its hash is not the locked hash; pip says which.
    """
    compiler = _find_compiler(python_version)
    if compiler is None:
        _log.warning(_NOT_COMPILED, python_version, python_version)

    def build(folder: Path) -> None:
        Target(_PLATFORMS, python_version).install(lock_file, folder / "python")
        if compiler:
            _compile(compiler, folder)

    return built_once((ARCHITECTURE.name, python_version, str(compiler is not None)), lock_file, layers, build)


def _find_compiler(version: str) -> str | None:
    """Find a Python of this minor version: the running Python, a Python on the PATH, or uv's.

    A version manager's stand-in for a missing version does not count.
    """
    uv = shutil.which("uv")
    brought = _output_of([uv, "python", "find", "--no-project", "--offline", version]) if uv else None
    for python in (sys.executable, shutil.which(f"python{version}"), brought):
        if python and _output_of([python, "-c", _VERSION]) == version:
            return python
    return None


def _output_of(command: Sequence[str]) -> str | None:
    """Run a command, and read its output; None if it fails."""
    done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603 - our own words, no shell
    return done.stdout.strip() if done.returncode == 0 else None


def _compile(python: str, folder: Path) -> None:
    """Compile bytecode that is valid for any file times, with paths in /opt, where Lambda unpacks layers."""
    compileall = (python, "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash")
    run([*compileall, "-s", str(folder), "-p", "/opt", str(folder / "python")])
