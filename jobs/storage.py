"""Files beside the tables, by Hadoop's file system of the Spark session: S3, a folder, or any place of Spark's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class Sizes:
    """The number of files in a folder, and their bytes."""

    files: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Storage:
    """A location for Spark (`s3://bucket`, a folder); keys are relative to it."""

    spark: SparkSession
    location: str

    def path(self, key: str) -> str:
        """Build Spark's path of a key."""
        return f"{self.location.rstrip('/')}/{key}"

    def put(self, key: str, body: bytes) -> None:
        """Write a small file, replacing an existing one."""
        system, path = self._open(key)
        stream = system.create(path, True)
        try:
            stream.write(bytearray(body))
        finally:
            stream.close()

    def exists(self, key: str) -> bool:
        """True if the file or folder exists."""
        system, path = self._open(key)
        return bool(system.exists(path))

    def remove(self, key: str) -> None:
        """Remove a file, or a folder with its content, if it exists."""
        system, path = self._open(key)
        system.delete(path, True)

    def names(self, folder: str) -> list[str]:
        """List the names in a folder; none of a missing folder."""
        system, path = self._open(folder)
        return [status.getPath().getName() for status in system.listStatus(path)] if system.exists(path) else []

    def parquet_sizes(self, folder: str) -> Sizes:
        """Count the Parquet files of a folder written by Spark."""
        system, path = self._open(folder)
        sizes = [
            status.getLen() for status in system.listStatus(path) if status.getPath().getName().endswith(".parquet")
        ]
        return Sizes(len(sizes), sum(sizes))

    def sha256(self, key: str) -> str:
        """Hash a file, as a stream through the driver: SHA-256."""
        system, path = self._open(key)
        stream = system.open(path)
        try:
            return str(self._jvm().org.apache.commons.codec.digest.DigestUtils.sha256Hex(stream))
        finally:
            stream.close()

    def _open(self, key: str) -> tuple[Any, Any]:
        context: Any = self.spark.sparkContext
        path = self._jvm().org.apache.hadoop.fs.Path(self.path(key))
        return path.getFileSystem(context._jsc.hadoopConfiguration()), path

    def _jvm(self) -> Any:
        return self.spark.sparkContext._jvm
