"""The local stack's Glue, Athena and KMS resources: the archive's tables, jobs, searches and signatures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field

from local_stack.template.properties import NOT_READ, Expression, Properties


class Key(Properties):
    """AWS::KMS::Key; made only if it signs, because local data is not encrypted."""

    key_spec: Literal["ECC_NIST_P256", "SYMMETRIC_DEFAULT"] = "SYMMETRIC_DEFAULT"
    key_usage: Literal["ENCRYPT_DECRYPT", "SIGN_VERIFY"] = "ENCRYPT_DECRYPT"


class DatabaseInput(Properties):
    """The database's name, also its reference."""

    name: str


class Database(Properties):
    """AWS::Glue::Database, made by moto."""

    database_input: DatabaseInput


class CatalogColumn(Properties):
    """A column or a partition key, its type in Hive's words."""

    name: str
    type: str


class SerdeInfo(Properties):
    """The reader of the files; DuckDB reads Parquet."""

    ignored: ClassVar[Mapping[str, str]] = {"Name": NOT_READ}
    serialization_library: Literal["org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe"]


class StorageDescriptor(Properties):
    """The columns, and the location of the files."""

    columns: list[CatalogColumn]
    location: Expression
    serde_info: SerdeInfo


class TableInput(Properties):
    """A table's name, columns and location."""

    name: str
    partition_keys: list[CatalogColumn] = Field(default_factory=list)
    storage_descriptor: StorageDescriptor
    table_type: Literal["EXTERNAL_TABLE"]


class CatalogTable(Properties):
    """AWS::Glue::Table, made by moto and read by `local_stack.aws.athena` as by Athena."""

    database_name: Expression
    table_input: TableInput


class JobCommand(Properties):
    """The script of a Spark job."""

    name: Literal["glueetl"]


class ExecutionProperty(Properties):
    """The number of a job's runs at a time."""

    max_concurrent_runs: int = 1


class Job(Properties):
    """AWS::Glue::Job, run by `local_stack.compute.spark_jobs`."""

    ignored: ClassVar[Mapping[str, str]] = {"Name": "the job is called by its logical id"}
    command: JobCommand
    default_arguments: dict[str, Expression] = Field(default_factory=dict)
    execution_property: ExecutionProperty = ExecutionProperty()
    max_retries: Literal[0] = 0
    timeout: int = 480


class ResultConfiguration(Properties):
    """The location of results."""

    output_location: Expression


class WorkGroupConfiguration(Properties):
    """The limit of a query's scanned bytes, and the location of its results."""

    bytes_scanned_cutoff_per_query: int | None = Field(default=None, ge=10_000_000)
    enforce_work_group_configuration: Literal[True] = True
    result_configuration: ResultConfiguration


class WorkGroup(Properties):
    """AWS::Athena::WorkGroup; its queries run on DuckDB (`local_stack.aws.athena`)."""

    name: str
    state: Literal["ENABLED"] = "ENABLED"
    work_group_configuration: WorkGroupConfiguration


class NamedQuery(Properties):
    """AWS::Athena::NamedQuery, made by moto."""

    database: Expression
    name: str
    query_string: Expression
    work_group: Expression = "primary"
