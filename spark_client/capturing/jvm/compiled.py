"""Capture's Java classes, compiled when the wheel is built: a file for each tested release of Spark.

Janino costs a driver more than a second of CPU. Without a file, and on other Sparks, it compiles the sources there.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

_FILES = resources.files("spark_client.capturing")
# Written by `scripts/capture_classes.py`; no folder where the package lies in a zip.
CLASSES = Path(str(_FILES / "classes"))


def java_sources() -> dict[str, bytes]:
    """Read the sources of the package's classes by file: `{"Actions.java": b"package ..."}`."""
    return {file.name: file.read_bytes() for file in (_FILES / "java").iterdir()}


def find_classes(jvm: Any, version: str, folder: Path = CLASSES) -> Path | None:
    """Find the compiled classes for a Spark such as `3.5.9`, and its Scala; None without a file on the disk."""
    file = folder / _name(jvm, version, java_sources())
    # AWS may have changed methods in its builds (`3.5.6-amzn-1`): sources still fit, compiled classes do not.
    return file if "-" not in version and file.exists() else None


def _name(jvm: Any, version: str, sources: Mapping[str, bytes]) -> str:
    """Name a file, as in `spark-3.5-scala-2.12-0123456789abcdef.jar`: methods differ by Scala, too."""
    spark, scala = (
        ".".join(each.split(".")[:2]) for each in (version, jvm.scala.util.Properties.versionNumberString())
    )
    digest = hashlib.sha256(b"".join(text for _, text in sorted(sources.items()))).hexdigest()
    return f"spark-{spark}-scala-{scala}-{digest[:16]}.jar"


def write_classes(spark: Any, folder: Path, sources: Mapping[str, bytes]) -> Path:
    """Compile the sources by the Spark of a session, into a file of the folder; remove a former file."""
    jvm = spark._jvm
    resource, texts = jvm.org.codehaus.commons.compiler.util.resource, jvm.java.util.HashMap()
    units = spark._sc._gateway.new_array(resource.Resource, len(sources))
    for place, (name, text) in enumerate(sorted(sources.items())):
        texts.put(name, text)
        units[place] = resource.MapResourceFinder(texts).findResource(name)
    loader = jvm.org.codehaus.janino.ClassLoaderIClassLoader(jvm.Thread.currentThread().getContextClassLoader())
    compiler, classes = jvm.org.codehaus.janino.Compiler(), jvm.java.util.TreeMap()
    compiler.setIClassLoader(loader)
    compiler.setClassFileCreator(resource.MapResourceCreator(classes))
    compiler.compile(units)
    file = folder / _name(jvm, spark.version, sources)
    folder.mkdir(exist_ok=True)
    for former in folder.glob(f"{file.stem.rpartition('-')[0]}-*"):
        former.unlink()
    with zipfile.ZipFile(file, "w") as archive:
        for name in classes:  # with the time 1980-01-01: the same bytes on any day
            archive.writestr(zipfile.ZipInfo(name), bytes(classes[name]), zipfile.ZIP_DEFLATED)
    return file
