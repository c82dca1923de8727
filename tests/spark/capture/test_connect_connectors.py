"""On Spark Connect a connector names sources and sinks by their options, which the client sends."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql.types import StringType, StructField, StructType

from headwater_model.ids import DatasetId
from spark_client.capturing.connect.commands import Command
from spark_client.capturing.connect.writes import ConnectExtractor
from spark_client.capturing.datasets.catalogs import Catalogs
from tests.spark.capture.conftest import Hearing

_MONGO = {"connection.uri": "mongodb://ann:s3cret@db-1/shop", "collection": "orders"}
_NAMED = DatasetId("mongodb://db-1:27017", "shop.orders")


def a_source(remote: Any, form: str, path: str | None = None, **options: str) -> Any:
    """Return a frame whose schema the client knows: the server does not have the source."""
    schema = StructType([StructField("carrier", StringType())])
    return remote.read.format(form).options(**options).schema(schema).load(path)


@pytest.mark.parametrize(
    ("form", "options", "path", "named"),
    [
        ("mongodb", _MONGO, None, _NAMED),
        ("es", {"es.nodes": "s-1"}, "orders", DatasetId("elasticsearch://s-1:9200", "orders")),
        ("bigquery", {}, "acme-1.shop.orders", DatasetId("bigquery", "acme-1.shop.orders")),
    ],
)
def test_what_is_read_is_named(
    form: str, options: dict[str, str], path: str | None, named: DatasetId, remote: Any, hearing: Hearing, tmp_path
) -> None:
    [write] = hearing.writes_of_frame(a_source(remote, form, path, **options), f"{tmp_path}/out", is_known=False)
    assert [(dataset.id, [column.name for column in dataset.schema]) for dataset in write.inputs] == [
        (named, ["carrier"])
    ]
    assert "s3cret" not in repr((write.inputs, write.unknown, write.tier_reason))


@pytest.mark.parametrize("path", ["/lake/orders", None])
def test_a_source_whose_connector_finds_no_name_has_none(
    path: str | None, remote: Any, hearing: Hearing, tmp_path
) -> None:
    [write] = hearing.writes_of_frame(a_source(remote, "mongodb", path), f"{tmp_path}/out", is_known=False)
    assert (write.inputs, write.unknown_inputs) == ((), ("mongodb: a source that nobody can name",))


def test_what_is_written_is_named(remote: Any, hearing: Hearing) -> None:
    from pyspark.sql.connect import proto

    message = proto.Command()
    message.write_operation.input.CopyFrom(remote.table("flights")._plan.to_proto(remote.client).root)
    message.write_operation.source = "mongodb"
    message.write_operation.options.update(_MONGO)
    [write] = ConnectExtractor(Catalogs()).read_write(Command(0, remote.client, message, {}, 0, 0))
    assert (write.output.id, len(write.inputs)) == (_NAMED, 1)


def test_a_partitions_folder_is_written_whole_where_names_have_partitions(remote: Any) -> None:
    from pyspark.sql.connect import proto

    message = proto.Command()
    message.write_operation.input.CopyFrom(remote.table("flights")._plan.to_proto(remote.client).root)
    message.write_operation.source, message.write_operation.path = "parquet", "s3a://lake/orders/day=1"
    message.write_operation.mode = proto.WriteOperation.SAVE_MODE_OVERWRITE
    command = Command(0, remote.client, message, {}, 0, 0)
    writes = [
        write
        for trims in (True, False)
        for write in ConnectExtractor(Catalogs(trims_partitions=trims)).read_write(command)
    ]
    assert [(write.output.id.name, write.change) for write in writes] == [
        ("orders", None),
        ("orders/day=1", "OVERWRITE"),
    ]
