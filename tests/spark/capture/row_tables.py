"""A catalog of tables whose rows can be changed in place, without a format that would have to be downloaded."""

from __future__ import annotations

import zipfile
from pathlib import Path

from pyspark.sql import SparkSession

_SOURCE = Path(__file__).parent / "java" / "RowsCatalog.java"


def add_catalog(spark: SparkSession, name: str, folder: Path) -> None:
    """Give a session the catalog, compiled into a jar in a folder: Spark's tasks load classes by jars."""
    compiler = spark._jvm.org.codehaus.janino.SimpleCompiler()
    compiler.setParentClassLoader(spark._jvm.java.lang.Thread.currentThread().getContextClassLoader())
    compiler.cook(_SOURCE.read_text("utf-8"))
    classes = compiler.getBytecodes()
    with zipfile.ZipFile(folder / "rows.jar", "w") as jar:
        for each in classes:
            jar.writestr(f"{each.replace('.', '/')}.class", bytes(classes[each]))
    spark.sql(f"ADD JAR '{folder / 'rows.jar'}'")
    spark.conf.set(f"spark.sql.catalog.{name}", "headwater.tests.RowsCatalog")
