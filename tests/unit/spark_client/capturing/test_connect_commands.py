"""Commands of Spark Connect's protocol: each is read, ignored by name, or warned of."""

from __future__ import annotations

from typing import Any

import pytest

from spark_client.capturing.connect.commands import IGNORED, Command, is_ignored
from spark_client.capturing.connect.reads import TableRead, reads_of
from spark_client.capturing.connect.writes import ConnectExtractor
from spark_client.capturing.datasets.catalogs import Catalogs
from spark_client.capturing.model import UnknownTarget

proto = pytest.importorskip("pyspark.sql.connect.proto", reason="Spark Connect's client needs grpcio")
# Commands with a rule, or an end of streams; `extension` and `execute_external_command` are warned of.
_READ = {
    *("checkpoint_command", "create_dataframe_view", "merge_into_table_command", "ml_command.write", "sql_command"),
    *("streaming_query_command.await_termination", "streaming_query_command.stop", "write_operation"),
    *("streaming_query_manager_command.await_any_termination", "write_operation_v2", "write_stream_operation_start"),
}
_WITH_REQUESTS = ("ml_command", "pipeline_command", "streaming_query_command", "streaming_query_manager_command")


class Server:
    """Server that knows a table of orders by its name alone."""

    failure = None

    def database(self) -> tuple[str, ...]:
        return ("spark_catalog", "default")

    def describe(self, name: tuple[str, ...]) -> dict[str, str]:
        return {"Type": "MANAGED", "Location": f"file:/lake/{name[-1]}"}

    def table_schema(self, name: tuple[str, ...]) -> tuple[Any, ...]:
        return ()


def _commands() -> dict[str, Any]:
    """Make an empty message of each command of the installed protocol, and of each request inside."""
    commands = {}
    for field in proto.Command.DESCRIPTOR.oneofs[0].fields:
        requests = field.message_type.oneofs[0].fields if field.name in _WITH_REQUESTS else [None]
        for request in requests:
            message = commands[f"{field.name}.{request.name}" if request else field.name] = proto.Command()
            inside = getattr(message, field.name)
            inside.SetInParent()
            if request and request.message_type:
                getattr(inside, request.name).SetInParent()
            elif request:
                setattr(inside, request.name, "id" if request.type == request.TYPE_STRING else True)
    return commands


def _warning(message: Any) -> str:
    client = Server()
    with pytest.raises(UnknownTarget) as refused:
        ConnectExtractor(Catalogs(), lambda _: Server()).read_write(Command(0, client, message, {}, 1, 2))  # type: ignore[arg-type, return-value]
    read = refused.value.read
    inputs = "".join(f" < {dataset.id.name}" for dataset in read.inputs)
    return f"{refused.value}{inputs}"


def test_each_command_is_read_or_ignored_by_name_or_warned_of() -> None:
    commands = _commands()
    ignored = {name for name, message in commands.items() if is_ignored(message)}
    warned = {name: _warning(message) for name, message in commands.items() if name not in ignored | _READ}

    assert len(commands) > 20
    assert not ignored & _READ
    assert all(IGNORED[name] for name in ignored)
    assert all(warning.endswith(("a command that nobody knows", "is not seen")) for warning in warned.values())


def test_a_flow_of_a_pipeline_is_warned_of_with_its_inputs() -> None:
    message = proto.Command()
    if "pipeline_command" not in proto.Command.DESCRIPTOR.fields_by_name:
        pytest.skip("pipelines begin with Spark 4.1")
    flow = message.pipeline_command.define_flow
    flow.target_dataset_name = "daily"
    flow.relation_flow_details.relation.read.named_table.unparsed_identifier = "orders"
    why = "pipeline define_flow: on Spark Connect, what a pipeline writes into daily is not seen < /lake/orders"
    assert _warning(message) == why

    if hasattr(flow, "auto_cdc_flow_details"):
        flow.auto_cdc_flow_details.source = "orders"
        assert _warning(message) == why


def test_changes_of_a_table_are_read_from_the_table() -> None:
    relation = proto.Relation()
    if "relation_changes" not in proto.Relation.DESCRIPTOR.fields_by_name:
        pytest.skip("changes begin with Spark 4.3")
    relation.relation_changes.unparsed_identifier = "orders"
    assert list(reads_of(relation)) == [TableRead(("orders",))]
