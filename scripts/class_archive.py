"""Make an archive of the classes that Spark loads: `.venv/bin/python scripts/class_archive.py`.

A JVM reads and verifies some 17,000 classes from Spark's jars in half of the time of a first small job. Java's class
data sharing maps them from a file (JEP 310). The archive lies in the virtual environment, fits this Java and these jars
only, and takes half a minute to make; a different JVM ignores it. Without it Spark only starts more slowly.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from local_stack.toolchain import CLASS_ARCHIVE, with_java

# A typical small job: it writes and reads files, joins, groups, and runs Python; then it prints the
# home and the class path of its Java.
_JOB = """
import sys
from pyspark.sql import SparkSession, functions as sf
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
rows = spark.range(9).select("id", (sf.col("id") % 3).alias("k"), sf.col("id").cast("string").alias("s"))
for form in ("parquet", "json", "csv"):
    rows.write.format(form).save(f"{sys.argv[1]}/{form}")
    read = spark.read.schema(rows.schema).format(form).load(f"{sys.argv[1]}/{form}")
    read.join(rows, "id").groupBy(read["k"]).agg(sf.sum("id")).write.save(f"{sys.argv[1]}/{form}-sums")
rows.createOrReplaceTempView("rows")
spark.sql("SELECT k, count(*) OVER (PARTITION BY k ORDER BY id) AS n FROM rows").collect()
spark.sparkContext.parallelize([1, 2]).map(str).collect()
system = spark._jvm.java.lang.System
print("", system.getProperty("java.home"), system.getProperty("java.class.path"), sep="\\n")
spark.stop()
"""


def main() -> int:
    """Make the archive of this environment's Spark; print the reason of a failure."""
    sys.stdout.write("setup: keeping Spark's classes ready to map\n")
    sys.stdout.flush()
    try:
        with tempfile.TemporaryDirectory() as folder:
            _make(Path(folder))
    except (OSError, subprocess.SubprocessError) as error:
        reason = (getattr(error, "stderr", None) or str(error)).strip().splitlines()[-1:]
        sys.stdout.write(f"setup: they stay in their jars, and Spark starts slowly: {' '.join(reason)}\n")
    return 0


def _make(folder: Path) -> None:
    """List the classes of the job, and let Java write them to the archive."""
    CLASS_ARCHIVE.unlink(missing_ok=True)
    listed = folder / "classes"
    env = {**with_java(os.environ), "SPARK_SUBMIT_OPTS": f"-XX:TieredStopAtLevel=1 -XX:DumpLoadedClassList={listed}"}
    env["PYSPARK_PYTHON"] = sys.executable
    printed = _run(sys.executable, "-c", _JOB, str(folder), env=env)
    home, class_path = printed.splitlines()[-2:]
    _run(
        f"{home}/bin/java",
        *("-Xshare:dump", "-XX:+UseSerialGC", f"-XX:SharedClassListFile={listed}"),
        *(f"-XX:SharedArchiveFile={CLASS_ARCHIVE}", "-cp", class_path),
        env=env,
    )


def _run(*command: str, env: dict[str, str]) -> str:
    return subprocess.run(command, env=env, capture_output=True, text=True, check=True, timeout=300).stdout  # noqa: S603 - our own


if __name__ == "__main__":
    sys.exit(main())
