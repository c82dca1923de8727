"""Run the tests of table formats, with their jars from Maven Central: `PYTHON scripts/table_formats.py [FORMAT...]`.

PYTHON is the Python of an environment with PySpark. FORMAT is delta, iceberg, hudi, kafka, or connectors (all packages
of our connectors); the default is the first three. Ivy, a part of PySpark, fetches the jars into .tools/jars/. They
have the versions named here, and the hashes of requirements/jars.sha256. A format without a version for this Spark, or
without its jars, is skipped with a sentence.

--newest fetches the last release of each package, and compares no hashes; then a package with a version here fails if
it cannot be fetched. The connectors have the versions named here. --lock runs nothing, and adds the hashes of new jars.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from pathlib import Path

import pyspark

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from local_stack.toolchain import with_java
from scripts.kafka_broker import running_broker
from tests.spark.table_formats import VARIABLE

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements" / "jars.sha256"
CACHE = ROOT / ".tools" / "jars"
_SPARKS_OWN = Path(pyspark.__file__).parent / "jars"
# By Spark and format. Spark's package for Kafka is not on Maven Central for each patch of Spark.
VERSIONS = {  # 4.2 is the newest Spark for Python 3.10, and the newest that Delta has a release for
    "3.5": {"delta": "3.3.2", "iceberg": "1.12.0", "hudi": "1.0.2", "kafka": "3.5.7"},
    "4.2": {"delta": "4.4.0", "kafka": "4.2.0"},
}
# Without their dependencies, except for the listed: most are not needed to make a plan.
_MONGODB = ("org.mongodb:mongodb-driver-sync:5.1.4", "org.mongodb:mongodb-driver-core:5.1.4", "org.mongodb:bson:5.1.4")
CONNECTORS = {
    "3.5": (
        "org.mongodb.spark:mongo-spark-connector_2.12:10.5.0",
        *_MONGODB,
        "net.snowflake:spark-snowflake_2.12:3.0.0",
        "net.snowflake:snowflake-jdbc:3.17.0",
        "org.elasticsearch:elasticsearch-spark-30_2.12:9.5.6",
        "com.audienceproject:spark-dynamodb_2.12:1.1.2",
        "com.amazonaws:aws-java-sdk-dynamodb:1.11.678",
        "com.amazonaws:aws-java-sdk-core:1.11.678",
        "com.amazonaws:aws-java-sdk-sts:1.11.678",
        "com.qubole.spark:spark-sql-kinesis_2.12:1.2.0_spark-3.0",
        "com.google.cloud.spark:spark-3.5-bigquery:0.42.1",
    ),
    "4.3": (
        "org.mongodb.spark:mongo-spark-connector_2.13:10.5.0",
        *_MONGODB,
        "org.elasticsearch:elasticsearch-spark-30_2.13:9.3.2",
        "org.opensearch.client:opensearch-spark-30_2.13:1.2.0",
    ),
}
_BROKER = "org.apache.kafka:kafka_2.13:3.9.1"
_TABLES = (
    "test_table_formats.py",
    "test_table_versions.py",
    "test_orders.py",
    "test_assignments.py",
    "test_results.py",
    "test_commands.py",
    "test_format_statements.py",
)
_TESTS = {
    "delta": _TABLES,
    "iceberg": _TABLES,
    "hudi": ("test_hudi.py", "test_commands.py"),
    "kafka": ("test_kafka.py",),
    "connectors": ("test_connectors.py",),
}
_FETCH_S = 900.0


class NotFetched(Exception):
    """A failure of Ivy to fetch jars; the message is Ivy's reason."""


class WrongHash(Exception):
    """A jar with a wrong hash; the message names it and both hashes."""


def main(arguments: Sequence[str]) -> int:
    """Run the command line; return 1 if a test failed, or a jar has a wrong hash."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help=", ".join(_TESTS))
    parser.add_argument("--newest", action="store_true")
    parser.add_argument("--lock", action="store_true")
    options = parser.parse_args(arguments)
    formats = options.formats or ["delta", "iceberg", "hudi"]
    if unknown := set(formats) - set(_TESTS):
        parser.error(f"FORMAT is {', '.join(sorted(unknown))}, must be one of {', '.join(_TESTS)}")
    spark = ".".join(pyspark.__version__.split(".")[:2])
    try:
        return max([run(name, spark, newest=options.newest, lock=options.lock) for name in formats])
    except WrongHash as error:
        _print(str(error))
        return 1


def run(name: str, spark: str, *, newest: bool = False, lock: bool = False, cache: Path = CACHE) -> int:
    """Run a format's tests on this Spark, such as 3.5; return 0 if they passed or were skipped.

    Raises:
        WrongHash: A jar differs from the locked jar.
    """
    version = VERSIONS.get(spark, {}).get(name)
    if name == "connectors":
        newest, version = False, "each" if spark in CONNECTORS else None
    if version is None and not newest:
        _print(f"{name} has no version for Spark {spark} in {Path(__file__).name}: its tests are skipped")
        return 0
    try:
        # Ivy's word for a package's last release; Spark's own must be for this Spark.
        last = f"{spark}.+" if name == "kafka" else "latest.release"
        number = last if newest else str(version)
        jars = without_sparks_own(
            _connectors(spark, cache) if name == "connectors" else fetch(package_of(name, spark), number, cache)
        )
        broker = fetch(*_BROKER.rsplit(":", 1), cache) if name == "kafka" else []
    except NotFetched as error:
        _print(f"{name} for Spark {spark} could not be fetched, so its tests are skipped: {error}")
        return int(newest and version is not None)
    if not newest:
        compare_hashes([*jars, *broker], LOCK, add=lock)
    return 0 if lock else _run_tests(name, jars, broker)


def package_of(name: str, spark: str) -> str:
    """Build the Maven coordinate, without a version, of a format for a Spark."""
    scala = "2.12" if spark.startswith("3.") else "2.13"
    return {
        "delta": f"io.delta:delta-spark_{scala}" if spark == "3.5" else f"io.delta:delta-spark_{spark}_{scala}",
        "iceberg": f"org.apache.iceberg:iceberg-spark-runtime-{spark}_{scala}",
        "hudi": f"org.apache.hudi:hudi-spark{spark}-bundle_{scala}",
        "kafka": f"org.apache.spark:spark-sql-kafka-0-10_{scala}",
    }[name]


def _connectors(spark: str, cache: Path) -> list[Path]:
    packages = [coordinate.rsplit(":", 1) for coordinate in CONNECTORS[spark]]
    return [jar for package, version in packages for jar in fetch(package, version, cache, alone=True)]


def fetch(package: str, version: str, cache: Path, *, alone: bool = False) -> list[Path]:
    """Fetch a package's jar and, unless `alone`, its dependencies, from Ivy's cache or else Maven Central.

    Raises:
        NotFetched: They are in neither.
    """
    organisation, module = package.split(":")
    folder = cache / module / (f"{version}-alone" if alone else version)
    [ivy] = _SPARKS_OWN.glob("ivy-*.jar")
    command = [f"{with_java(os.environ)['JAVA_HOME']}/bin/java", "-jar", str(ivy), "-m2compatible", "-warn"]
    command += ["-cache", str(cache / "ivy"), "-confs", "default", "-types", "jar", "bundle"]
    command += ["-dependency", organisation, module, version, "-sync", *(["-notransitive"] if alone else [])]
    command += ["-retrieve", f"{folder}/[artifact]-[revision].[ext]"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_FETCH_S)  # noqa: S603 - our own
    if done.returncode != 0:
        reasons = re.findall(r"^\s*:: (\S*#.*?)\s*$", done.stdout + done.stderr, re.MULTILINE)
        raise NotFetched("; ".join(reasons) or (done.stdout + done.stderr).strip()[-500:])
    return sorted(folder.glob("*.jar"))


def without_sparks_own(jars: Iterable[Path]) -> list[Path]:
    """Drop the jars that PySpark has, in any version: it runs with its own."""
    own = {_name_of(jar) for jar in _SPARKS_OWN.glob("*.jar")}
    return [jar for jar in jars if _name_of(jar) not in own]


def _name_of(jar: Path) -> str:
    return re.sub(r"-\d[^-]*(-[^-]+)?\.jar$", "", jar.name)


def compare_hashes(jars: Iterable[Path], lock: Path, *, add: bool) -> None:
    """Compare jars with a lock file, in the format of `sha256sum`; with `add`, write new hashes into it.

    Raises:
        WrongHash: A jar has a different hash than in the file, or is not in the file.
    """
    locked = {name: digest for digest, name in (line.split() for line in lock.read_text("utf-8").splitlines())}
    for jar in jars:
        digest = hashlib.sha256(jar.read_bytes()).hexdigest()
        expected = locked.setdefault(jar.name, digest) if add else locked.get(jar.name)
        if digest != expected:
            raise WrongHash(f"{jar} has the SHA-256 {digest}, must be the one in {lock.name}: {expected}")
    if add:
        lock.write_text("".join(f"{locked[name]}  {name}\n" for name in sorted(locked)), "utf-8")


def _run_tests(name: str, jars: Sequence[Path], broker: Sequence[Path]) -> int:
    _print(f"{name} on Spark {pyspark.__version__}: {', '.join(jar.stem for jar in jars)}")
    tests = [f"tests/spark/capture/{file}" for file in _TESTS[name]]
    tests += map(str, ROOT.glob("tests/features/*/spark/test_*_of_formats.py") if _TESTS[name] == _TABLES else ())
    environment = {**os.environ, VARIABLE: ",".join(map(str, jars))}
    with tempfile.TemporaryDirectory() as folder, running_broker(broker, folder) if broker else nullcontext() as kafka:
        environment |= {"HEADWATER_KAFKA": kafka} if kafka else {}
        command = [sys.executable, "-m", "pytest", "-q", *tests]
        return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode  # noqa: S603 - our own


def _print(text: str) -> None:
    sys.stdout.write(f"formats: {text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
