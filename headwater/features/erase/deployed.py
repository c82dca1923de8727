"""The stores of a deployed stack, as an erasure needs them; the loading of events pauses meanwhile."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from headwater.cli.deployment import Deployment, NotDeployed
from headwater.features.erase.erasure import Stores
from headwater.features.erase.roots import RootErasure
from headwater.features.erase.settings import OUTPUT
from headwater.features.erase.tables import TableErasure, delete_hidden, run_machine
from headwater.features.erase.targets import Tombstones
from headwater.loading.event_log import EventLog
from headwater.loading.stored_rules import StoredRules
from headwater.records.publications import Publications
from headwater.records.table import RecordsTable
from headwater.times import day_of, shift
from headwater_model.archive_tables import PREFIX as TABLES_PREFIX
from headwater_model.errors import Conflict

# A function that read the tombstones before has ended by then.
_DRAIN_S = 180
_POLL_S = 5
# The longest time of a day in the graph's tables.
_TABLES_DAYS = 400


def open_stores(deployment: Deployment, *, bypass: bool) -> Stores:
    """Open the stores of the stack.

    Raises:
        NotDeployed: the stack keeps nothing out: its functions do not read tombstones.
    """
    outputs = deployment.outputs
    if OUTPUT not in outputs:
        raise NotDeployed(f"the stack {deployment.name} keeps nothing out; deploy it with the context value erase=true")
    table, now_s = deployment.graph_table(loads=True), int(time.time())
    rows = table.dynamodb, table.table
    records = RecordsTable(table.dynamodb, outputs["RecordsTableName"])

    def run(output: str, **given: object) -> None:
        if output in outputs:
            run_machine(deployment.client("stepfunctions"), outputs[output], json.dumps(given), table.sleep)

    log = EventLog(table, table.s3, table.bucket)

    def remake_graph_tables() -> None:
        since = max([shift(day_of(now_s), -_TABLES_DAYS), *log.days()[:1]])
        # The job keeps the attempt before the last: the second run replaces the first.
        for _ in range(2):
            run("GraphTablesStateMachineArn", since=since)
        delete_hidden(table.s3, table.bucket, TABLES_PREFIX)

    return Stores(
        log=log,
        rules=StoredRules(table, deployment.naming_rules()).at(now_s),
        tombstones=Tombstones(*rows),
        roots=RootErasure(records, *rows, table.s3, table.bucket, day_of(now_s), bypass),
        tables=TableErasure(
            Publications(*rows),
            table.s3,
            table.bucket,
            lambda day: run("CompactionStateMachineArn", day=day, publish_again=True),
            bypass,
        ),
        dead_letters={name: url for name, url in outputs.items() if name.endswith("DeadLettersUrl")},
        sqs=deployment.client("sqs"),
        paused=lambda: paused(deployment),
        remake_graph_tables=remake_graph_tables,
    )


def check_queue(deployment: Deployment) -> None:
    """Refuse an erasure while announcements wait: their objects of the log may go."""
    if url := deployment.outputs.get("ForwardQueueUrl"):
        names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        waiting = deployment.client("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=names)["Attributes"]
        if any(int(number) for number in waiting.values()):
            raise Conflict(f"the forward queue must be empty, got {waiting}: call again when it is")


@contextmanager
def paused(deployment: Deployment, sleep: Callable[[float], None] = time.sleep) -> Iterator[None]:
    """Stop the events function from taking messages during the block; queues keep them."""
    functions = deployment.client("lambda")
    pages = functions.get_paginator("list_event_source_mappings").paginate(
        FunctionName=deployment.outputs["EventsFunctionName"]
    )
    mappings = [mapping["UUID"] for page in pages for mapping in page["EventSourceMappings"]]
    try:
        for mapping in mappings:
            functions.update_event_source_mapping(UUID=mapping, Enabled=False)
        while any(functions.get_event_source_mapping(UUID=mapping)["State"] != "Disabled" for mapping in mappings):
            sleep(_POLL_S)
        sleep(_DRAIN_S if mappings else 0)
        yield
    finally:
        for mapping in mappings:
            functions.update_event_source_mapping(UUID=mapping, Enabled=True)
