"""Both wheels: what is in them, the client in an empty environment, the commands without a checkout."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys
import sysconfig
import zipfile

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from headwater.api.page_files import DIST, list_files
from infra.package import PROJECT
from tests.stack import releases

pytestmark = pytest.mark.large
CLIENT = PROJECT / "packaging" / "client"


@pytest.fixture(scope="session")
def release(made_once):
    """The zip of a release: synthesized once, for the tests of the template, too."""
    return made_once("release", releases.make_release_of_one_variant) / releases.FILE


def build(folder, release):
    command = [sys.executable, PROJECT / "scripts" / "dist.py", folder, "--template", release]
    subprocess.run(command, check=True, capture_output=True)


@pytest.fixture(scope="module")
def wheels(release, tmp_path_factory):
    """Build both wheels; return their paths by distribution."""
    folder = tmp_path_factory.mktemp("wheels")
    build(folder, release)
    return {path.name.partition("-")[0].replace("_", "-"): path for path in folder.glob("*.whl")}


def test_a_second_build_has_the_same_bytes(wheels, release, tmp_path):
    build(tmp_path, release)
    first = (wheels["headwater"].parent / "SHA256SUMS").read_text("utf-8")
    assert (tmp_path / "SHA256SUMS").read_text("utf-8") == first
    listed = [line.partition("  ")[2] for line in first.splitlines()]
    assert sorted(listed) == sorted(path.name for path in tmp_path.iterdir() if path.name != "SHA256SUMS")
    assert {wheel.name for wheel in wheels.values()} < set(listed)


@pytest.fixture(scope="module")
def bills(wheels):
    """Return the bills of materials by distribution, valid by CycloneDX's own schema."""
    texts = {path.stem.split("-")[0]: path.read_text("utf-8") for path in wheels["headwater"].parent.glob("*.cdx.json")}
    assert [JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) for text in texts.values()] == [None, None]
    return {name.replace("_", "-"): json.loads(text) for name, text in texts.items()}


@pytest.mark.parametrize("name", ["headwater", "headwater-client"])
def test_a_bill_names_the_wheel_and_each_file_in_it_with_their_hashes(wheels, bills, name):
    subject = bills[name]["metadata"]["component"]
    with zipfile.ZipFile(wheels[name]) as archive:
        contents = {file: sha256_of(archive.read(file)) for file in archive.namelist()}
    assert subject["purl"] == f"pkg:pypi/{name}@0.1.0"
    assert subject["hashes"] == sha256_of(wheels[name].read_bytes())
    assert {file["name"]: file["hashes"] for file in subject["components"]} == contents


def test_a_bill_names_what_the_wheel_requires_as_it_is_locked(wheels, bills):
    packages = {component["purl"]: component for component in bills["headwater"]["components"]}
    locks = ("local.txt", "lambda.txt", "jobs.txt")
    lock = "".join(f"{(PROJECT / 'requirements' / name).read_text('utf-8')}\n# end\n" for name in locks)
    names = {url.partition("/")[2].partition("@")[0] for url in packages if url.startswith("pkg:pypi/")}
    # Of boto3: botocore, jmespath, s3transfer, urllib3; of cryptography: cffi; of rich: pygments. No pyspark, no moto.
    expected = {"boto3", "botocore", "cffi", "cryptography", "jmespath", "orjson", "pydantic", "pygments", "rich"}
    assert expected <= names
    assert names.isdisjoint({"pyspark", "moto", "aws-cdk-lib", "pytest"})
    for name in names - {"headwater-client"}:
        for version, locked in re.findall(rf"^{name}==(\S+)(.*?)(?=^\S)", lock, re.MULTILINE | re.DOTALL):
            [reference] = packages[f"pkg:pypi/{name}@{version}"]["externalReferences"]
            assert {one["content"] for one in reference["hashes"]} >= set(re.findall(r"sha256:(\w+)", locked))
    # What the template in the wheel brings to the functions.
    assert {"aws-lambda-powertools", "httptools", "zlib-ng"} <= names
    client = packages["pkg:pypi/headwater-client@0.1.0"]
    assert client["hashes"] == sha256_of(wheels["headwater-client"].read_bytes())
    assert "components" not in bills["headwater-client"]


def test_a_bill_names_the_packages_in_the_built_page(bills):
    packages = {component["purl"]: component for component in bills["headwater"]["components"]}
    entries = json.loads((PROJECT / "explorer" / "package-lock.json").read_text("utf-8"))["packages"]
    react = entries["node_modules/react"]
    [reference] = packages[f"pkg:npm/react@{react['version']}"]["externalReferences"]
    content = base64.b64decode(react["integrity"].removeprefix("sha512-")).hex()
    assert reference["hashes"] == [{"alg": "SHA-512", "content": content}]
    assert not any(url.startswith("pkg:npm/vite") for url in packages)


def sha256_of(content):
    return [{"alg": "SHA-256", "content": hashlib.sha256(content).hexdigest()}]


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


def test_the_template_that_the_wheel_carries_is_what_deploy_takes_where_there_is_no_checkout(wheels, release, tmp_path):
    code = "from headwater.cli.main import main; sys.exit(main(['deploy', '--dry-run', '-c', 'auth=token']))"
    with zipfile.ZipFile(wheels["headwater"]) as archive:
        archive.extractall(tmp_path / "installed")
    done = run(code, tmp_path / "installed", wheels["headwater-client"], sysconfig.get_path("purelib"), cwd=tmp_path)

    carried = tmp_path / "installed" / "headwater" / "release" / "template.zip"
    assert carried.read_bytes() == release.read_bytes()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"Headwater-prod: release {releases.VERSION} of {carried}\n")


def test_the_version_is_printed_where_nothing_but_the_wheels_is_installed(wheels, tmp_path):
    done = run("from headwater.cli.main import main; main(['--version'])", *wheels.values(), cwd=tmp_path)
    (version,) = re.findall(r'^version = "(.+)"$', (PROJECT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"headwater {version}\n", "")


def test_both_distributions_have_one_version():
    root, client = ((place / "pyproject.toml").read_text("utf-8") for place in (PROJECT, CLIENT))
    (version,) = re.findall(r'^version = "(.+)"$', client, re.MULTILINE)
    assert f'\nversion = "{version}"\n' in root
    assert f'"headwater-client=={version}"' in root
