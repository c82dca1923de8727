"""Configuration of a Spark session in the JVM, which can be read after Spark has stopped."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class SessionConf:
    """Configuration of a session, read entry by entry: all of it would take a hundred calls into the JVM."""

    def __init__(self, spark: SparkSession) -> None:
        context: Any = spark._sc._jsc
        self._context, self._conf, self._session = context, context.sc().conf(), spark._jsparkSession

    def entries(self, prefixes: Iterable[str]) -> dict[str, str]:
        """Read the entries of the application's conf by the prefixes of keys."""
        pairs = ((prefix, pair) for prefix in prefixes for pair in self._conf.getAllWithPrefix(prefix))
        return {f"{prefix}{pair._1()}": pair._2() for prefix, pair in pairs}

    def hadoop(self, keys: Iterable[str]) -> dict[str, str | None]:
        """Read values of Hadoop's configuration."""
        hadoop = self._context.hadoopConfiguration()
        return {key: hadoop.get(key) for key in keys}

    def session(self, key: str) -> str | None:
        """Read a value of the session's conf; None without a value."""
        value = self._session.conf().getOption(key)
        return str(value.get()) if value.isDefined() else None
