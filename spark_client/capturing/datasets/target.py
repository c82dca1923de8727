"""Target of a command: the dataset that it writes, and the query that makes the data."""

from __future__ import annotations

from dataclasses import dataclass

from spark_client.capturing.model import Change, Dataset, SchemaField
from spark_client.capturing.plans.plan import Node
from spark_client.capturing.plans.row_statements import RowChange


@dataclass(frozen=True, slots=True)
class Target:
    """Write of a command.

    Attributes:
        command: its class.
        output: None for a target without a name; `unknown` is the reason.
        query: None where no query makes the data.
        names: the output's columns, in the order of the query's.
        generated: columns beside the query's, with one value: those of static partitions.
        change: None where it adds to the dataset.
        unknown: reason why the columns have unknown sources.
        unless_there: it writes nothing if the target existed.
        inputs: inputs beside the query.
        rows: change of existing rows; `query` is the command then.
        if_met: it may change nothing, unless its output was read or written before.
        effect, added: as of `model.Write`.
    """

    command: str
    output: Dataset | None
    query: Node | None = None
    names: tuple[str, ...] = ()
    generated: tuple[str, ...] = ()
    change: Change | None = None
    unknown: str | None = None
    unless_there: bool = False
    inputs: tuple[Dataset, ...] = ()
    rows: RowChange | None = None
    if_met: bool = False
    effect: str | None = None
    added: tuple[SchemaField, ...] = ()
