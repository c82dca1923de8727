"""A catalog of tables whose rows can be changed in place, without a format that would have to be downloaded."""

from __future__ import annotations

import zipfile
from pathlib import Path

from pyspark.sql import SparkSession

_SOURCES = Path(__file__).parent / "java"


def add_catalog(spark: SparkSession, name: str, folder: Path, kind: str = "RowsCatalog") -> Path:
    """Give a session the catalog; return the jar of it in a folder: Spark's tasks load classes by jars."""
    path = folder / f"{name}.jar"
    compiler = spark._jvm.org.codehaus.janino.SimpleCompiler()
    compiler.setParentClassLoader(spark._jvm.java.lang.Thread.currentThread().getContextClassLoader())
    compiler.cook((_SOURCES / f"{kind}.java").read_text("utf-8"))
    classes = compiler.getBytecodes()
    with zipfile.ZipFile(path, "w") as jar:
        for each in classes:
            jar.writestr(f"{each.replace('.', '/')}.class", bytes(classes[each]))
    spark.sql(f"ADD JAR '{path}'")
    spark.conf.set(f"spark.sql.catalog.{name}", f"headwater.tests.{kind}")
    return path
