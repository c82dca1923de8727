"""Sessions of Spark Connect, as a capture begins with them: their commands are resolved table by table."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from spark_client.capturing.connect.commands import Command, Commands, ServerKey, server_of
from spark_client.capturing.connect.server import Server
from spark_client.capturing.connect.streams import CommandSource
from spark_client.capturing.connect.writes import ConnectExtractor
from spark_client.capturing.datasets.catalogs import parse_catalogs
from spark_client.capturing.session.worker import Origin

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_client.capturing.session.settings import Settings


def application_of(spark: SparkSession) -> ServerKey:
    """Find the key of all this program's sessions at a server."""
    return server_of(spark.client)


class Session:
    """Session of a client.

    Raises:
        NoResponse: from each method, if the server does not respond.
    """

    def __init__(self, spark: SparkSession) -> None:
        self._client = spark.client
        self._server = Server(spark.client)

    @cached_property
    def version(self) -> str | None:
        """Version of the server's Spark."""
        return self._server.spark_version()

    @cached_property
    def _conf(self) -> Mapping[str, str]:
        return self._server.configuration()

    @property
    def name(self) -> str | None:
        """Name of the server's application."""
        return self._conf.get("spark.app.name")

    def conf(self, prefixes: Iterable[str]) -> Mapping[str, str]:  # noqa: ARG002 - one request returns all
        """Read the whole configuration."""
        return self._conf

    def open(self, settings: Settings, *, at_once: bool) -> Origin[Command, Command]:  # noqa: ARG002 - as a driver
        """Begin to listen to the commands of all sessions at the server."""
        source = CommandSource(Commands(self._client, settings.executions_max), settings.stream_interval_s)
        try:
            catalogs = replace(parse_catalogs(self._conf, os.environ), trims_partitions=settings.trims_partitions)
            extractor = ConnectExtractor(catalogs, columns=settings.connect_columns)
            extractor.meet(self._client)
            return Origin(source, extractor.read_write, extractor)
        except Exception:
            source.close()
            raise
