"""Both wheels: what is in them, the client in an empty environment, the commands without a checkout."""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
import zipfile

import pytest

from headwater.api.page_files import DIST, list_files
from infra.package import PROJECT

pytestmark = pytest.mark.large
CLIENT = PROJECT / "packaging" / "client"


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    """Build both wheels; return their paths by distribution."""
    folder = tmp_path_factory.mktemp("wheels")
    subprocess.run([sys.executable, PROJECT / "scripts" / "dist.py", folder], check=True, capture_output=True)
    return {path.name.partition("-")[0].replace("_", "-"): path for path in folder.glob("*.whl")}


def test_a_second_build_has_the_same_bytes(wheels, tmp_path):
    subprocess.run([sys.executable, PROJECT / "scripts" / "dist.py", tmp_path], check=True, capture_output=True)
    first = (wheels["headwater"].parent / "SHA256SUMS").read_text("utf-8")
    assert (tmp_path / "SHA256SUMS").read_text("utf-8") == first
    assert [line.partition("  ")[2] for line in first.splitlines()] == [wheels[name].name for name in sorted(wheels)]


def top_levels(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = {name.partition("/")[0] for name in archive.namelist()}
    return sorted(name for name in names if not name.endswith(".dist-info"))


def run(code, *paths, cwd):
    """Run code in a Python that sees nothing but its standard library and these paths."""
    start = f"import sys; sys.path[:0] = {list(map(str, paths))!r}\n"
    return subprocess.run([sys.executable, "-I", "-S", "-c", start + code], cwd=cwd, capture_output=True, text=True)


def test_each_wheel_has_its_packages_and_nothing_else(wheels):
    assert top_levels(wheels["headwater"]) == ["headwater"]
    assert top_levels(wheels["headwater-client"]) == ["headwater_model", "spark_client"]


def test_the_explorer_is_in_the_wheel_as_it_is_built(wheels):
    with zipfile.ZipFile(wheels["headwater"]) as archive:
        names = {name.rpartition("/")[2] for name in archive.namelist() if name.startswith("headwater/page/")}
    assert names == set(list_files(DIST))


def test_the_client_is_imported_and_used_where_nothing_else_is_installed(wheels, tmp_path):
    code = """
from spark_client import LineageClient, LineageRecorder
from spark_client.version import PRODUCER
with LineageClient(file="lineage.jsonl") as lineage:
    lineage.record("flights", "flights", "READ", "s3://raw/flights.csv")
print(PRODUCER)
"""
    done = run(code, wheels["headwater-client"], cwd=tmp_path)
    version = wheels["headwater-client"].name.split("-")[1]
    assert (done.returncode, done.stdout, done.stderr) == (0, f"urn:headwater:spark_client:{version}\n", "")
    assert "s3://raw/flights.csv" in (tmp_path / "lineage.jsonl").read_text(encoding="utf-8")


def test_the_java_sources_of_capture_are_in_the_wheel(wheels):
    with zipfile.ZipFile(wheels["headwater-client"]) as archive:
        sources = {name.rpartition("/")[2] for name in archive.namelist() if name.endswith(".java")}
    assert sources == {path.name for path in (PROJECT / "spark_client/capturing/java").iterdir()}


@pytest.mark.parametrize("command", [["serve"], ["demo"], ["cdk", "synth"]], ids=" ".join)
def test_a_command_that_needs_a_checkout_says_so(wheels, tmp_path, command):
    code = f"from headwater.cli.main import main; sys.exit(main({command!r}))"
    # The libraries of this environment without its link to the checkout, which only `site` would follow.
    done = run(code, *wheels.values(), sysconfig.get_path("purelib"), cwd=tmp_path)
    assert done.returncode == 2
    assert "needs a checkout" in done.stderr


def test_the_version_is_printed_where_nothing_but_the_wheels_is_installed(wheels, tmp_path):
    done = run("from headwater.cli.main import main; main(['--version'])", *wheels.values(), cwd=tmp_path)
    (version,) = re.findall(r'^version = "(.+)"$', (PROJECT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"headwater {version}\n", "")


def test_both_distributions_have_one_version():
    root, client = ((place / "pyproject.toml").read_text("utf-8") for place in (PROJECT, CLIENT))
    (version,) = re.findall(r'^version = "(.+)"$', client, re.MULTILINE)
    assert f'\nversion = "{version}"\n' in root
    assert f'"headwater-client=={version}"' in root
