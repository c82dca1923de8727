"""Target of a command: the written dataset, and the query of its data."""

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
        query: plan of the data; None for data without a query.
        names: the output's columns, in the query's order.
        generated: columns beside the query, with a constant value: of static partitions.
        change: effect on the dataset as a whole; None for an append.
        unknown: reason for columns with unknown sources.
        unless_there: True of a write skipped if the target existed.
        inputs: inputs beside the query.
        rows: change of existing rows; `query` is the command then.
        if_met, effect, added: as of `model.Write`.
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
