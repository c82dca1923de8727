"""Plans of DynamicFrames in executions: leaves with rows of such frames, and writes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from headwater_model.columns import ColumnLineage
from spark_client.capturing.datasets.catalogs import Catalogs
from spark_client.capturing.datasets.versions import NO_VERSIONS
from spark_client.capturing.extract import Extractor, OutputColumns, sources_of, without_columns, write_of
from spark_client.capturing.glue.models import MODEL, MODEL_SAVE, NO_COLUMNS
from spark_client.capturing.glue.sources import find_glue_target, read_frame
from spark_client.capturing.leaves import Checkpoint
from spark_client.capturing.model import Execution, UnknownTarget, Write
from spark_client.capturing.plans.plan import Node

GLUE_WRITE = "GlueWrite"


def read_leaf(leaf: Node, catalogs: Catalogs, read: Callable[[Node], Checkpoint]) -> Checkpoint:
    """Read the frame behind a leaf; `read` reads the plan of a Spark frame."""
    frame = read_frame(leaf, catalogs, read)
    outputs = leaf.nodes("output") or leaf.nodes("dataCols", "partitionCols")
    values = [frame.relation.get(output.text("name") or "") for output in outputs]
    return Checkpoint(values, frame.relation.rows, frame.inputs, frame.unknown_inputs)


def read_writes(execution: Execution, extractor: Extractor) -> list[Write]:
    """Read the write of a DynamicFrame or model, or a purge of files; an open frame has no known columns.

    Raises:
        UnknownTarget: the sink has no name.
    """
    reading = extractor.reading(execution, execution.plan)
    frame = read_frame(execution.plan, extractor.catalogs, reading.read)
    is_model = frame.sink.get("connection_type") == MODEL
    command = MODEL_SAVE if is_model else GLUE_WRITE
    target = find_glue_target(command, frame.sink, extractor.catalogs)
    read = replace(extractor.read_plan(execution, command, execution.plan, NO_VERSIONS), unknown_output=target.unknown)
    if target.output is None:
        raise UnknownTarget(read)
    write = write_of(read, output=target.output, change=target.change, written=execution.task_outputs)
    if is_model:
        return [replace(without_columns(write, NO_COLUMNS), written=replace(write.written, rows=None))]
    columns = frame.relation.columns
    if not columns:
        return [without_columns(write, "a DynamicFrame whose columns are not known")]
    outputs = OutputColumns(tuple(columns), list(columns.values()), ())
    lineage = ColumnLineage(outputs.fields, sources_of(frame.relation.rows))
    return [replace(write, tier=execution.tier, columns=lineage, unknown=outputs.unknown)]
