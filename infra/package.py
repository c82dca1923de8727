"""What the functions are made of: one asset for our code, one layer for the locked dependencies. No Docker anywhere."""

from __future__ import annotations

import logging
import shutil
import subprocess
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
_LAMBDA = Target(("manylinux_2_28_aarch64", "manylinux2014_aarch64"), PYTHON_VERSION)

_log = logging.getLogger(__name__)


def code_asset() -> lam.Code:
    """`lambdas/` and `lineage/`, and nothing else of the project."""
    return lam.Code.from_asset(
        str(PROJECT),
        ignore_mode=cdk.IgnoreMode.GIT,
        exclude=["/*", "!/lambdas", "!/lineage", "__pycache__", "*.pyc"],
    )


def layer_version(scope: Construct, construct_id: str, folder: Path) -> lam.LayerVersion:
    """The layer in a folder that `build_layer` made; the folder's name is the asset's hash."""
    return lam.LayerVersion(
        scope,
        construct_id,
        description="The locked dependencies of the functions.",
        code=lam.Code.from_asset(str(folder), asset_hash=folder.name, asset_hash_type=cdk.AssetHashType.CUSTOM),
        compatible_runtimes=[RUNTIME],
        compatible_architectures=[ARCHITECTURE],
    )


def build_layer(lock_file: Path = LOCK_FILE, layers: Path = LAYERS) -> Path:
    """The folder of the layer for this lock file, built if it is not there yet; building needs the package index.

    The wheels are those of Lambda's platform, whatever machine builds. Where its minor version of Python is installed
    the modules are compiled as well: a layer is read-only, so that else every cold start would compile them anew.

    Raises:
        subprocess.CalledProcessError: if a wheel is missing or its hash is not the locked one; pip says which.
    """
    compiler = _find_compiler()

    def build(folder: Path) -> None:
        _LAMBDA.install(lock_file, folder / "python")
        if compiler:
            _compile(compiler, folder)
        else:
            _log.warning("python%s is not installed: the layer is not compiled, cold starts are slower", PYTHON_VERSION)

    return built_once((ARCHITECTURE.name, PYTHON_VERSION, str(compiler is not None)), lock_file, layers, build)


def _find_compiler() -> str | None:
    """Lambda's minor version of Python on this machine; a version manager's stand-in for one it lacks is none."""
    found = shutil.which(f"python{PYTHON_VERSION}")
    if found and subprocess.run([found, "-c", ""], check=False, capture_output=True).returncode == 0:  # noqa: S603
        return found
    return None


def _compile(python: str, folder: Path) -> None:
    """Bytecode that holds whatever the files' times are, and names them as Lambda does: layers are unpacked in /opt."""
    compileall = (python, "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash")
    run([*compileall, "-s", str(folder), "-p", "/opt", str(folder / "python")])
