"""The archive as tables: what Glue knows of it, and in which bounds Athena scans."""

import pytest

from headwater_model.archive_tables import TABLES
from infra.saved_queries import NAMED_QUERIES

HIVE = "org.apache.hadoop.hive.ql.io.parquet"


def test_a_stage_has_a_database_of_its_own(template, turned):
    names = [each.of_type("AWS::Glue::Database")["Database"]["DatabaseInput"]["Name"] for each in (template, turned)]
    assert names == ["headwater_prod", "headwater_dev"]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_a_table_has_the_columns_that_compaction_writes_and_a_partition_for_each_day(template, table):
    resource = template.of_type("AWS::Glue::Table")[table.name.capitalize()]
    described = resource["TableInput"]
    descriptor = described.pop("StorageDescriptor")
    columns = [(column["Name"], column["Type"], column["Comment"]) for column in descriptor.pop("Columns")]
    assert columns == [(column.name, column.type, column.about) for column in table.columns]
    assert descriptor == {
        "Location": f"s3://ArchiveBucket/tables/{table.name}/",
        "InputFormat": f"{HIVE}.MapredParquetInputFormat",
        "OutputFormat": f"{HIVE}.MapredParquetOutputFormat",
        "SerdeInfo": {"SerializationLibrary": f"{HIVE}.serde.ParquetHiveSerDe"},
    }
    [partition] = described.pop("PartitionKeys")
    assert (partition["Name"], partition["Type"]) == ("day", "string")
    assert described == {
        "Name": table.name,
        "Description": table.about,
        "TableType": "EXTERNAL_TABLE",
        "Parameters": {"EXTERNAL": "TRUE", "classification": "parquet", "headwater.version": "1"},
    }


def test_comments_fit_into_the_catalog(template):
    """Glue's bounds: 255 characters of a column's comment, 2,048 of a table's description."""
    for table in template.of_type("AWS::Glue::Table").values():
        described = table["TableInput"]
        columns = [*described["StorageDescriptor"]["Columns"], *described["PartitionKeys"]]
        assert max(len(column["Comment"]) for column in columns) <= 255
        assert len(described["Description"]) <= 2048


@pytest.mark.parametrize(
    ("stack", "name", "bytes_max"),
    [("template", "headwater-prod", 10_000_000_000), ("turned", "headwater-dev", 1_000_000_000)],
)
def test_every_query_in_the_workgroup_is_held_to_its_bounds(request, stack, name, bytes_max):
    workgroup = request.getfixturevalue(stack).of_type("AWS::Athena::WorkGroup")["Workgroup"]
    assert workgroup == {
        "Name": name,
        "Description": "Headwater: questions to the archive.",
        "RecursiveDeleteOption": True,
        "WorkGroupConfiguration": {
            "BytesScannedCutoffPerQuery": bytes_max,
            "EnforceWorkGroupConfiguration": True,
            "EngineVersion": {"SelectedEngineVersion": "Athena engine version 3"},
            "PublishCloudWatchMetricsEnabled": True,
            "ResultConfiguration": {
                "EncryptionConfiguration": {"EncryptionOption": "SSE_S3"},
                "OutputLocation": "s3://IntakeBucket/search/",
            },
        },
    }


def test_the_named_queries_are_saved_in_the_workgroup_with_what_their_parameters_are(template):
    saved = template.of_type("AWS::Athena::NamedQuery").values()
    assert [(each["Name"], each["QueryString"], each["Database"], each["WorkGroup"]) for each in saved] == [
        (query.name, query.sql, "Database", "Workgroup") for query in NAMED_QUERIES
    ]
    assert [each["Description"] for each in saved] == [
        f"{query.about} Parameters: {', '.join(query.parameters)}." for query in NAMED_QUERIES
    ]
    assert max(len(each["Description"]) for each in saved) <= 1024
