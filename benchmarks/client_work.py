"""The CPU of the functions with a client of DynamoDB: `python -m benchmarks.client_work CLIENT WORK ROUNDS`.

The client is the functions' own (`lean`) or `boto3`'s, the rest is the functions' code. AWS is the endpoint in the
environment, a separate process, so the CPU is the function's alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from benchmarks import events_work, load_work
from benchmarks.pipelines import CHAIN, HUB, chain, hub, parsed_runs
from benchmarks.processes import Figures, Stopwatch, print_figures
from headwater.aws import clients
from headwater.aws.items import chunks
from headwater.facts.apply import apply_statements
from headwater_model.ids import DatasetId, JobId
from lambdas import wiring

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

READERS = 200
_DEPTH = 20
_JOBS_A_BATCH = 100
_PUTS = 100
_ITEM: dict[str, Any] = {"pk": {"S": "P"}, "sk": {"S": "S"}, "v": {"N": "1"}, "body": {"B": b"x" * 300}}

CLIENTS: dict[str, Callable[[], DynamoDBClient]] = {
    "lean": clients.dynamodb,
    "boto3": lambda: clients.client("dynamodb"),
}


def measure_chain(rounds: int) -> Figures:
    """Measure queries of the graph around a job in the middle of a chain of ten."""
    steps = chain(0)
    apply_statements([event for step in steps for event in parsed_runs(step, 1)], wiring.graph_table())
    return _measure_queries(steps[CHAIN // 2].id, rounds)


def measure_hub(rounds: int) -> Figures:
    """Measure queries of the graph around a dataset of many readers."""
    for steps in chunks(list(hub(READERS)), _JOBS_A_BATCH):
        apply_statements([event for step in steps for event in parsed_runs(step, 1)], wiring.graph_table())
    return _measure_queries(HUB, rounds)


def _measure_queries(node: DatasetId | JobId, rounds: int) -> Figures:
    queries = wiring.lineage_queries()

    def query() -> None:
        graph = queries.find_graph(node.node_id, depth=_DEPTH)
        assert graph is not None
        assert graph.jobs

    return _measure(query, rounds)


def measure_puts(rounds: int) -> Figures:
    """Measure conditional puts in a row, from a single thread."""
    dynamodb = wiring.graph_table().dynamodb
    numbers = count()

    def put() -> None:
        for _ in range(_PUTS):
            dynamodb.put_item(
                TableName="graph",
                Item={**_ITEM, "sk": {"S": str(next(numbers))}},
                ConditionExpression="attribute_not_exists(pk)",
            )

    figures = _measure(put, rounds)
    return {**figures, "per_cpu_s": figures["per_cpu_s"] * _PUTS}


def _measure(act: Callable[[], None], rounds: int) -> Figures:
    """Measure the CPU of so many rounds, after a first round to open the connections."""
    act()
    watch = Stopwatch()
    for _ in range(rounds):
        act()
    spent = watch.read()
    return {**spent, "per_cpu_s": rounds / spent["cpu_s"]}


WORKS: dict[str, Callable[[int], Figures]] = {
    "events": events_work.measure_ours,
    "chain": measure_chain,
    "hub": measure_hub,
    "singles": lambda rounds: load_work.measure("ours", "singles", rounds),
    "packed": lambda rounds: load_work.measure("ours", "packed", rounds),
    "puts": measure_puts,
}


def main(arguments: Sequence[str]) -> None:
    """Print the figures of a work with a client."""
    client, work, rounds = arguments
    vars(wiring)["dynamodb"] = CLIENTS[client]
    print_figures(**WORKS[work](int(rounds)))


if __name__ == "__main__":
    main(sys.argv[1:])
