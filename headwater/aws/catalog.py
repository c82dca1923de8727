"""Partitions of a table in the Glue catalog: setting a partition's location is one atomic write."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from mypy_boto3_glue import GlueClient
    from mypy_boto3_glue.type_defs import PartitionInputTypeDef


@dataclass(frozen=True, slots=True)
class Catalog:
    """A database of the catalog."""

    glue: GlueClient
    database: str

    def set_partition(self, table: str, value: str, location: str, parameters: Mapping[str, str]) -> None:
        """Create or update the partition of this value, with its location (an S3 URL)."""
        form = self._form(table, value, location, parameters)
        try:
            self.glue.create_partition(DatabaseName=self.database, TableName=table, PartitionInput=form)
        except self.glue.exceptions.AlreadyExistsException:
            self.glue.update_partition(
                DatabaseName=self.database, TableName=table, PartitionValueList=[value], PartitionInput=form
            )

    def find_locations(self, table: str) -> dict[str, str]:
        """Return the location of each partition of a table, by its value."""
        pages = self.glue.get_paginator("get_partitions").paginate(
            DatabaseName=self.database, TableName=table, ExcludeColumnSchema=True
        )
        partitions = (partition for page in pages for partition in page["Partitions"])
        return {partition["Values"][0]: partition["StorageDescriptor"]["Location"] for partition in partitions}

    def remove_partition(self, table: str, value: str) -> None:
        """Remove the partition of this value, if it exists; its files stay."""
        with suppress(self.glue.exceptions.EntityNotFoundException):
            self.glue.delete_partition(DatabaseName=self.database, TableName=table, PartitionValues=[value])

    def _form(self, table: str, value: str, location: str, parameters: Mapping[str, str]) -> PartitionInputTypeDef:
        """Return the partition as the table is described now: additions of a later release hold for new partitions."""
        described = self.glue.get_table(DatabaseName=self.database, Name=table)["Table"]["StorageDescriptor"]
        descriptor = {**described, "Location": location}
        form = {"Values": [value], "StorageDescriptor": descriptor, "Parameters": dict(parameters)}
        return cast("PartitionInputTypeDef", form)
