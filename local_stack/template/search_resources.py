"""The local stack's Glue, Athena and KMS resources: the archive's tables, jobs, searches and signatures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field

from local_stack.template.properties import NO_ENCRYPTION, NO_IAM, NO_LOGS, NO_TAGS, NOT_READ, Expression, Properties

_ONE_ACCOUNT = "one account, one catalog"
_ONE_MACHINE = "this machine's cores and memory"


class Key(Properties):
    """AWS::KMS::Key; made only if it signs, because local data is not encrypted."""

    ignored: ClassVar[Mapping[str, str]] = {
        "Description": NOT_READ,
        "EnableKeyRotation": NO_ENCRYPTION,
        "KeyPolicy": NO_IAM,
        "PendingWindowInDays": "the key lives as long as the process",
        "Tags": NO_TAGS,
    }
    key_spec: Literal["ECC_NIST_P256", "SYMMETRIC_DEFAULT"] = "SYMMETRIC_DEFAULT"
    key_usage: Literal["ENCRYPT_DECRYPT", "SIGN_VERIFY"] = "ENCRYPT_DECRYPT"


class DatabaseInput(Properties):
    """The database's name, also its reference."""

    ignored: ClassVar[Mapping[str, str]] = {"Description": NOT_READ}
    name: str


class Database(Properties):
    """AWS::Glue::Database, made by moto."""

    ignored: ClassVar[Mapping[str, str]] = {"CatalogId": _ONE_ACCOUNT, "Tags": NO_TAGS}
    database_input: DatabaseInput


class CatalogColumn(Properties):
    """A column or a partition key, its type in Hive's words."""

    ignored: ClassVar[Mapping[str, str]] = {"Comment": NOT_READ}
    name: str
    type: str


class SerdeInfo(Properties):
    """The reader of the files; DuckDB reads Parquet."""

    ignored: ClassVar[Mapping[str, str]] = {"Name": NOT_READ, "Parameters": "Parquet describes itself"}
    serialization_library: Literal["org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe"]


class StorageDescriptor(Properties):
    """The columns, and the location of the files."""

    ignored: ClassVar[Mapping[str, str]] = {
        "Compressed": "Parquet describes itself",
        "InputFormat": "Parquet describes itself",
        "NumberOfBuckets": "files are found by listing",
        "OutputFormat": "nothing is inserted",
        "StoredAsSubDirectories": "files are found by listing",
    }
    columns: list[CatalogColumn]
    location: Expression
    serde_info: SerdeInfo


class TableInput(Properties):
    """A table's name, columns and location."""

    ignored: ClassVar[Mapping[str, str]] = {
        "Description": NOT_READ,
        "Owner": NO_IAM,
        "Parameters": "Parquet describes itself",
        "Retention": NOT_READ,
    }
    name: str
    partition_keys: list[CatalogColumn] = Field(default_factory=list)
    storage_descriptor: StorageDescriptor
    table_type: Literal["EXTERNAL_TABLE"]


class CatalogTable(Properties):
    """AWS::Glue::Table, made by moto and read by `local_stack.aws.athena` as by Athena."""

    ignored: ClassVar[Mapping[str, str]] = {"CatalogId": _ONE_ACCOUNT}
    database_name: Expression
    table_input: TableInput


class JobCommand(Properties):
    """The script of a Spark job."""

    ignored: ClassVar[Mapping[str, str]] = {
        "PythonVersion": "the interpreter of this project",
        "ScriptLocation": "the checked-out source runs, by `jobs.launch`",
    }
    name: Literal["glueetl"]


class ExecutionProperty(Properties):
    """The number of a job's runs at a time."""

    ignored: ClassVar[Mapping[str, str]] = {}
    max_concurrent_runs: int = 1


class Job(Properties):
    """AWS::Glue::Job, run by `local_stack.compute.spark_jobs`."""

    ignored: ClassVar[Mapping[str, str]] = {
        "Description": NOT_READ,
        "ExecutionClass": _ONE_MACHINE,
        "GlueVersion": "the Spark of this project",
        "JobMode": NOT_READ,
        "JobRunQueuingEnabled": "runs beyond the limit are refused, and retried by their caller",
        "LogUri": NO_LOGS,
        "MaxCapacity": _ONE_MACHINE,
        "Name": "the job is called by its logical id",
        "NumberOfWorkers": _ONE_MACHINE,
        "Role": NO_IAM,
        "SecurityConfiguration": NO_ENCRYPTION,
        "Tags": NO_TAGS,
        "WorkerType": _ONE_MACHINE,
    }
    command: JobCommand
    default_arguments: dict[str, Expression] = Field(default_factory=dict)
    execution_property: ExecutionProperty = ExecutionProperty()
    max_retries: Literal[0] = 0
    timeout: int = 480


class ResultConfiguration(Properties):
    """The location of results."""

    ignored: ClassVar[Mapping[str, str]] = {
        "AclConfiguration": NO_IAM,
        "EncryptionConfiguration": NO_ENCRYPTION,
        "ExpectedBucketOwner": NO_IAM,
    }
    output_location: Expression


class WorkGroupConfiguration(Properties):
    """The limit of a query's scanned bytes, and the location of its results."""

    ignored: ClassVar[Mapping[str, str]] = {
        "EngineVersion": "DuckDB runs the queries",
        "PublishCloudWatchMetricsEnabled": "no metrics are kept",
        "RequesterPaysEnabled": "there is no bill",
    }
    bytes_scanned_cutoff_per_query: int | None = Field(default=None, ge=10_000_000)
    enforce_work_group_configuration: Literal[True] = True
    result_configuration: ResultConfiguration


class WorkGroup(Properties):
    """AWS::Athena::WorkGroup; its queries run on DuckDB (`local_stack.aws.athena`)."""

    ignored: ClassVar[Mapping[str, str]] = {
        "Description": NOT_READ,
        "RecursiveDeleteOption": "the workgroup lives as long as the process",
        "Tags": NO_TAGS,
    }
    name: str
    state: Literal["ENABLED"] = "ENABLED"
    work_group_configuration: WorkGroupConfiguration


class NamedQuery(Properties):
    """AWS::Athena::NamedQuery, made by moto."""

    ignored: ClassVar[Mapping[str, str]] = {"Description": NOT_READ}
    database: Expression
    name: str
    query_string: Expression
    work_group: Expression = "primary"
