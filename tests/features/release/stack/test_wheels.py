"""Both wheels: their files, the client in an empty environment, the commands without a checkout."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import urllib.request
import zipfile
from itertools import islice

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from headwater.api.page_files import DIST, list_files
from tests.features.release import releases
from tests.stack.assemblies import PROJECT

pytestmark = pytest.mark.large


@pytest.fixture(scope="session")
def build(release, assembly):
    def build(folder):
        templates = ["--template", release, "--local", assembly()]
        command = [sys.executable, PROJECT / "scripts" / "dist.py", folder, *templates]
        subprocess.run(command, check=True, capture_output=True)

    return build


@pytest.fixture(scope="module")
def wheels(build, tmp_path_factory):
    """Build both wheels; return their paths by distribution."""
    folder = tmp_path_factory.mktemp("wheels")
    build(folder)
    return {path.name.partition("-")[0].replace("_", "-"): path for path in folder.glob("*.whl")}


@pytest.mark.slow
def test_a_second_build_has_the_same_bytes(wheels, build, tmp_path):
    build(tmp_path)
    first = (wheels["headwater"].parent / "SHA256SUMS").read_text("utf-8")
    assert (tmp_path / "SHA256SUMS").read_text("utf-8") == first
    listed = [line.partition("  ")[2] for line in first.splitlines()]
    assert sorted(listed) == sorted(path.name for path in tmp_path.iterdir() if path.name != "SHA256SUMS")
    assert {wheel.name for wheel in wheels.values()} < set(listed)


@pytest.fixture(scope="module")
def bills(wheels):
    """The bills of materials by distribution, valid by CycloneDX's own schema."""
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
            assert {digest["content"] for digest in reference["hashes"]} >= set(re.findall(r"sha256:(\w+)", locked))
    # The functions' libraries, from the template in the wheel.
    assert {"aws-lambda-powertools", "httptools", "zlib-ng"} <= names
    client = packages["pkg:pypi/headwater-client@0.1.0"]
    assert client["hashes"] == sha256_of(wheels["headwater-client"].read_bytes())
    assert "components" not in bills["headwater-client"]


def sha256_of(content):
    return [{"alg": "SHA-256", "content": hashlib.sha256(content).hexdigest()}]


def run(code, *paths, cwd):
    """Run code in a Python with its standard library and these paths alone."""
    start = f"import sys; sys.path[:0] = {list(map(str, paths))!r}\n"
    return subprocess.run([sys.executable, "-I", "-S", "-c", start + code], cwd=cwd, capture_output=True, text=True)


def test_both_wheels_are_installed_beside_distributions_of_like_names(wheels, tmp_path):
    """PyPI has `lineage` (4.5.0) and `headwaters` (0.20.1), each with a package of its name; tests are offline."""
    others, packages = ("lineage", "headwaters"), tmp_path / "packages"
    for name in others:
        (packages / name).mkdir(parents=True)
        (packages / name / "__init__.py").write_text("IS_OURS = False")
    for wheel in wheels.values():
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(packages)
    code = f"""
import {", ".join(others)}, headwater.cli.main, headwater_model, spark_client
print(lineage.IS_OURS, headwaters.IS_OURS, spark_client.LineageClient.__name__)
"""
    done = run(code, packages, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "False False LineageClient\n", "")


def test_the_explorer_is_in_the_wheel_as_it_is_built(wheels):
    with zipfile.ZipFile(wheels["headwater"]) as archive:
        names = {name.rpartition("/")[2] for name in archive.namelist() if name.startswith("headwater/page/")}
    assert names == set(list_files(DIST))


def test_the_client_is_imported_and_used_where_nothing_else_is_installed(wheels, tmp_path):
    code = """
from spark_client import LineageClient, OperationRecorder
from spark_client.version import PRODUCER
with LineageClient(file="lineage.jsonl") as lineage:
    lineage.record("flights", "flights", "READ", "s3://raw/flights.csv")
print(PRODUCER)
"""
    done = run(code, wheels["headwater-client"], cwd=tmp_path)
    version = wheels["headwater-client"].name.split("-")[1]
    assert (done.returncode, done.stdout, done.stderr) == (0, f"urn:headwater:spark_client:{version}\n", "")
    assert "s3://raw/flights.csv" in (tmp_path / "lineage.jsonl").read_text(encoding="utf-8")


def test_capture_s_java_and_its_compiled_classes_are_in_the_wheel(wheels):
    with zipfile.ZipFile(wheels["headwater-client"]) as archive:
        files = {name.rpartition("/")[2] for name in archive.namelist() if name.endswith((".java", ".jar"))}
    capturing = PROJECT / "spark_client" / "capturing"
    assert files == {path.name for path in (*capturing.glob("java/*"), *capturing.glob("classes/*"))}


@pytest.fixture(scope="module")
def installed(wheels, tmp_path_factory):
    """The Python of an environment with both wheels, and this environment's libraries without its checkout."""
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    [packages] = folder.glob("lib/python*/site-packages")
    for wheel in wheels.values():
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(packages)
    # Python reads no `.pth` files in the named folder: the checkout is not linked.
    (packages / "libraries.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    return folder / "bin" / "python"


@pytest.fixture
def bare(installed, tmp_path):
    """The environment of a machine without Node, git and make."""
    programs = ("basename", "bash", "cat", "chmod", "dirname", "env", "ls", "readlink", "sh", "uname")
    for name in programs:
        (tmp_path / "bin").mkdir(exist_ok=True)
        (tmp_path / "bin" / name).symlink_to(shutil.which(name))
    return {**os.environ, "PATH": f"{installed.parent}:{tmp_path / 'bin'}"}


@pytest.mark.slow
def test_the_demo_runs_in_an_empty_folder_from_the_wheels_alone(installed, bare, tmp_path):
    """Slow: it runs a Spark job."""
    command = [installed, "-m", "headwater", "demo", "--days", "1", "--once"]
    done = subprocess.run(command, cwd=tmp_path, env=bare, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Done in " in done.stdout


@pytest.mark.slow
def test_serve_runs_in_an_empty_folder_from_the_wheels_alone(installed, bare, tmp_path):
    command = [installed, "-m", "headwater", "serve", "--api-port", "0", "--aws-port", "0"]
    with subprocess.Popen(command, cwd=tmp_path, env=bare, stdout=subprocess.PIPE, text=True) as process:
        try:
            printed = iter(process.stdout.readline, "")
            [api] = islice((line for line in printed if line.startswith("HTTP API: ")), 1)
            with urllib.request.urlopen(f"{api.split()[-1]}/openapi.json") as response:
                paths = json.load(response)["paths"]
        finally:
            process.terminate()
            process.communicate()
    assert "/api/v1/lineage" in paths
    assert process.returncode == 0
    assert (tmp_path / ".headwater" / "logs").is_dir()


@pytest.mark.slow
@pytest.mark.parametrize("module", ["headwater.cli.demo.run", "infra.synth", "jobs.launch", "local_stack.stack"])
def test_what_the_commands_import_is_in_the_wheels(installed, tmp_path, module):
    code = (
        f"from headwater.cli import main; sys.path.append(str(main._PROJECT)); import {module} as m; print(m.__file__)"
    )
    done = subprocess.run([installed, "-c", f"import sys; {code}"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(installed.parent.parent))


@pytest.mark.slow
def test_capture_runs_in_a_pyspark_job_from_the_wheels_alone(installed, tmp_path):
    """Slow: it starts a JVM."""
    code = """
from pyspark.sql import SparkSession
import spark_client
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
spark_client.capture(spark)
spark.range(3).selectExpr("id * 2 AS twice").write.parquet("out")
spark.stop()
print(spark_client.__file__)
"""
    environment = {**os.environ, "HEADWATER_FILE": "lineage.jsonl"}
    done = subprocess.run([installed, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.stdout.startswith(str(installed.parent.parent)), done.stderr
    assert '"twice"' in (tmp_path / "lineage.jsonl").read_text("utf-8")


@pytest.mark.slow
def test_the_template_that_the_wheel_carries_is_what_deploy_takes_where_there_is_no_checkout(
    installed, release, tmp_path
):
    command = [installed, "-m", "headwater", "deploy", "--dry-run", "-c", "auth=token"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    [carried] = installed.parent.parent.glob("lib/python*/site-packages/headwater/release/template.zip")
    assert carried.read_bytes() == release.read_bytes()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"Headwater-prod: release {releases.VERSION} of {carried}\n")
