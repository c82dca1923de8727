"""The rights of the loading functions to read tombstones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.features.erase.settings import OUTPUT, PARTITION, VARIABLE
from infra.addition import Addition

if TYPE_CHECKING:
    from infra.stack import LineageStack


def add(stack: LineageStack, _on: bool) -> Addition:
    """Let the functions that load records and events leave out erased content."""
    for function in (stack.ingestion.load, stack.events.function):
        function.set({VARIABLE: "true"})
        function.rights.allow_partitions(["dynamodb:GetItem"], stack.storage.graph_table, [PARTITION])
    return Addition(outputs={OUTPUT: PARTITION})
