"""Delta, Iceberg and Hudi for their tests: a variable with their packages switches the tests on.

`make test-formats` does (`scripts/table_formats.py`). By hand, `HEADWATER_TABLE_FORMATS` is a list of Maven coordinates
or of jar files, with commas, for the tested Spark: `io.delta:delta-spark_2.12:3.3.2`,
`org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.12.0`, or `org.apache.hudi:hudi-spark3.5-bundle_2.12:1.0.2`. A
single format at a time: Delta's extension refuses a MERGE into a field of an Iceberg table. The catalogs of Delta
and Hudi have the same name.
"""

from __future__ import annotations

import os

VARIABLE = "HEADWATER_TABLE_FORMATS"
_DELTA = {
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    # A log of a few files is read in a single task, not in fifty.
    "spark.databricks.delta.snapshotPartitions": "1",
}
_ICEBERG = {"spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog", "spark.sql.catalog.ice.type": "hadoop"}
_HUDI = {
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.hudi.catalog.HoodieCatalog",
    "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
}
_EXTENSIONS = {
    "delta": "io.delta.sql.DeltaSparkSessionExtension",
    "hudi": "org.apache.spark.sql.hudi.HoodieSparkSessionExtension",
    "iceberg": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
}


def chosen() -> list[str]:
    """List the formats with a named package."""
    packages = os.environ.get(VARIABLE, "")
    return [name for name in _EXTENSIONS if f"{name}-spark" in packages]


def has(jar: str) -> bool:
    """True if a jar or package whose name begins so is named."""
    return any(name.rpartition("/")[2].rpartition(":")[2].startswith(jar) or f":{jar}" in name for name in _names())


def _names() -> list[str]:
    return os.environ.get(VARIABLE, "").split(",")


def jars() -> list[str]:
    """List the named jars."""
    return [name for name in _names() if name.endswith(".jar")]


def options(warehouse: str) -> dict[str, str]:
    """Make the session's settings for the packages; none without packages."""
    formats = chosen()
    packages = os.environ.get(VARIABLE)
    if not packages:
        return {}
    settings = {"spark.jars" if packages.endswith(".jar") else "spark.jars.packages": packages}
    if formats:
        settings["spark.sql.extensions"] = ",".join(_EXTENSIONS[name] for name in formats)
    if "delta" in formats:
        settings |= _DELTA
    if "hudi" in formats:
        settings |= _HUDI
    if "iceberg" in formats:
        settings |= {**_ICEBERG, "spark.sql.catalog.ice.warehouse": f"{warehouse}/ice"}
    return settings
