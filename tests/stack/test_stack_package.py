"""The uploaded assets: our code and nothing else, and a layer that is what the lock file says."""

import base64
import hashlib
import importlib.util
import marshal
import shutil
import subprocess
import sys
import zipfile
from fnmatch import fnmatch
from pathlib import Path

import pytest

from headwater.api.page_files import DIST, list_files
from tests.stack.assemblies import PROJECT

# Layers are built and compiled anew: a second or two each.
pytestmark = pytest.mark.large


@pytest.fixture
def lock_file(tmp_path):
    """A lock file of one wheel that is made here, so that installing it takes no network."""
    record = "tiny-1.0.dist-info/RECORD"
    files = {
        "tiny.py": "def answer() -> int:\n    return 42\n",
        "tiny-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n",
        "tiny-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    lines = [f"{name},sha256={_digest(text)},{len(text)}\n" for name, text in files.items()]
    wheel = tmp_path / "tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in {**files, record: "".join([*lines, f"{record},,\n"])}.items():
            archive.writestr(name, text)
    locked = tmp_path / "lambda.txt"
    locked.write_text(f"tiny @ {wheel.as_uri()} --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n")
    return locked


def build_layer(*arguments):
    from infra import package

    return package.build_layer(*arguments)


def _digest(text):
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()


def test_the_layer_holds_what_the_lock_file_names_where_lambda_looks_for_it(lock_file, tmp_path):
    folder = build_layer(lock_file, tmp_path / "layers")
    modules = [path.relative_to(folder).as_posix() for path in folder.rglob("*.py")]
    assert modules == ["python/tiny.py"]
    assert list((tmp_path / "layers").iterdir()) == [folder]


def test_a_layer_is_built_once_for_a_lock_file(lock_file, tmp_path):
    first = build_layer(lock_file, tmp_path / "layers")
    next(tmp_path.glob("*.whl")).unlink()
    assert build_layer(lock_file, tmp_path / "layers") == first


def test_a_layer_is_compiled_for_where_lambda_unpacks_it_whatever_the_times_of_its_files(lock_file, tmp_path):
    """By any Python of the target's minor version: here, the one that runs the tests is the target."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    folder = build_layer(lock_file, tmp_path / "layers", version)

    [compiled] = folder.rglob("*.pyc")
    data = compiled.read_bytes()
    assert compiled.relative_to(folder).as_posix() == f"python/__pycache__/tiny.{sys.implementation.cache_tag}.pyc"
    assert data[:4] == importlib.util.MAGIC_NUMBER
    assert int.from_bytes(data[4:8], "little") == 0b01, "by hash, and not checked against the source"
    assert marshal.loads(data[16:]).co_filename == "/opt/python/tiny.py"


def test_where_no_python_can_compile_a_layer_each_synth_warns_the_deployer(lock_file, tmp_path, caplog):
    for _ in range(2):
        folder = build_layer(lock_file, tmp_path / "layers", "3.99")
    assert list(folder.rglob("*.pyc")) == []
    assert [record.getMessage() for record in caplog.records] == [
        "no Python 3.99 is on this machine: the layer is shipped without bytecode, which costs each cold start about "
        "0.15 s; `uv python install 3.99` brings one"
    ] * 2


def test_another_lock_file_makes_another_layer(lock_file, tmp_path):
    first = build_layer(lock_file, tmp_path / "layers")
    lock_file.write_text(lock_file.read_text() + "# one more line\n")
    assert build_layer(lock_file, tmp_path / "layers") != first


def test_a_wheel_that_is_not_the_locked_one_is_refused_and_leaves_no_layer(lock_file, tmp_path):
    lock_file.write_text(lock_file.read_text().replace("--hash=sha256:", "--hash=sha256:0000")[:-5] + "\n")
    with pytest.raises(subprocess.CalledProcessError):
        build_layer(lock_file, tmp_path / "layers")
    assert list((tmp_path / "layers").iterdir()) == []


# The functions serve the explorer, where it is built.
_PAGE = ("explorer/dist",) if list_files(DIST) else ()
# Of a feature; no function and no job needs these.
LEFT = {"README.md", "command.py", "construct.py", "context.py"}


@pytest.mark.parametrize(
    "folders", [("lambdas", "headwater", "headwater_model", *_PAGE), ("jobs", "headwater", "headwater_model")]
)
def test_a_code_asset_is_its_folders_without_bytecode(assembly, folders):
    assets = [path for path in assembly().parent.glob("asset.*") if path.is_dir()]
    [asset] = [path for path in assets if (path / folders[0]).is_dir()]
    assert {path.name for path in asset.iterdir()} == {folder.partition("/")[0] for folder in folders}
    shipped = {path.relative_to(asset).as_posix() for path in asset.rglob("*") if path.is_file()}
    written = {
        path.relative_to(PROJECT).as_posix()
        for folder in folders
        for path in (PROJECT / folder).rglob("*")
        if path.is_file() and path.suffix != ".pyc" and not path.is_relative_to(PROJECT / "headwater" / "cli")
    }
    left = {name for name in written if fnmatch(name, "headwater/features/*/*.*") and Path(name).name in LEFT}
    assert shipped == written - {"headwater/__main__.py"} - left


def test_the_jobs_are_imported_from_their_archive_without_what_glue_lacks(assembly, tmp_path):
    [asset] = [path.parent for path in assembly().parent.glob("asset.*/jobs")]
    package = shutil.make_archive(str(tmp_path / "package"), "zip", asset)
    code = f"""
import sys
sys.modules.update(dict.fromkeys(("pydantic", "aws_lambda_powertools", "aws_cdk", "cryptography", "rich")))
sys.path[:] = [{package!r}, *(path for path in sys.path if path)]
import jobs.launch, jobs.compact_archive, jobs.trace_root
assert jobs.launch.__file__.startswith({package!r})
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)


def test_the_libraries_of_the_jobs_are_wheels_that_are_downloaded_once(lock_file, tmp_path):
    from infra.spark_code import build_libraries

    (tmp_path / "jobs.txt").write_text(lock_file.read_text())
    places = {"locks": tmp_path, "libraries": tmp_path / "jobs"}
    libraries = build_libraries(**places)
    assert [path.name for path in libraries.iterdir()] == ["tiny-1.0-py3-none-any.whl"]
    assert build_libraries(**places) == libraries
