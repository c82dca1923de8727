"""`headwater erase`: all data of a root, a namespace, a dataset or a job, counted, or removed for good."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from headwater.cli.deployment import Deployment, NotDeployed, add_options, find_deployment, stack_errors
from headwater.cli.options import add_command

if TYPE_CHECKING:
    from headwater.features.erase.erasure import Stores
    from headwater.features.erase.targets import Target

_ABOUT = """\
Count what the stack has of a root, a namespace, a dataset or a job, by store; with --confirm, remove all of it for good
and keep it out. The archive's digests stay; the next digest lists the removed objects, so `verify` passes from then on.
The loading of events pauses at the end, while the graph table is compared with a replay of the remaining events.
After an interruption, the same command goes on. Repeat it after an hour: it finds what was under way.
Exit code: 0 done, 1 not done.
"""
_EXAMPLES = """\
examples:
  %(prog)s --root flights-2013-01-01                 what there is
  %(prog)s --root flights-2013-01-01 --confirm       remove it
  %(prog)s --dataset s3://flights raw --job emissions check --confirm
  %(prog)s --root flights-2013-01-01 --allow         let new content of it in again
"""
# A function that read the tombstones before has ended by then.
_DRAIN_S = 180
_POLL_S = 5
# The longest time of a day in the graph's tables.
_TABLES_DAYS = 400


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    summary = "remove all data of a root, a namespace, a dataset or a job for good"
    parser = add_command(subparsers, "erase", summary, _ABOUT, _EXAMPLES)
    add_options(parser)
    for kind, names in (("root", ("ID",)), ("namespace", ("NAME",)), ("dataset", _PAIR), ("job", _PAIR)):
        about = f"a {kind}; may be repeated"
        parser.add_argument(f"--{kind}", nargs=len(names), action="append", default=[], metavar=names, help=about)
    act = parser.add_mutually_exclusive_group()
    act.add_argument("--confirm", action="store_true", help="remove it, for good")
    act.add_argument(
        "--allow", action="store_true", help="let new content of it in again; nothing comes back by itself"
    )
    about = "remove objects in spite of Object Lock in governance mode"
    parser.add_argument("--bypass-governance", action="store_true", help=about)
    parser.set_defaults(func=run_erase)


_PAIR = ("NAMESPACE", "NAME")


def run_erase(given: argparse.Namespace) -> int:
    """Count or erase the targets, and return the exit code."""
    from headwater.features.erase.erasure import Erasure

    targets = _targets(given)
    if not targets:
        print("headwater erase: give at least one of --root, --namespace, --dataset and --job", file=sys.stderr)
        return 1
    try:
        deployment = find_deployment(given)
        stores = _stores(deployment, bypass=given.bypass_governance)
        erasure = Erasure(stores, targets, lambda text: print(text, flush=True), int(time.time()))
        if given.allow:
            stores.tombstones.lift(targets)
            print(f"allowed again: {len(targets)}")
            return 0
        if given.confirm:
            check_queue(deployment)
        counts = erasure.erase() if given.confirm else erasure.count()
    except stack_errors() as error:
        print(f"headwater erase: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("headwater erase: interrupted; call it again to go on", file=sys.stderr)
        return 130
    for store, number in sorted(counts.items()):
        print(f"{number:>12,}  {store}")
    print("erased; the next night's digest lists the removed objects" if given.confirm else "nothing is changed yet")
    return 0


def _targets(given: argparse.Namespace) -> Sequence[Target]:
    from headwater.features.erase.targets import Target

    return [
        *(Target("root", name=root) for (root,) in given.root),
        *(Target("namespace", namespace) for (namespace,) in given.namespace),
        *(Target("dataset", *pair) for pair in given.dataset),
        *(Target("job", *pair) for pair in given.job),
    ]


def _stores(deployment: Deployment, *, bypass: bool) -> Stores:
    """Open the stores of the stack.

    Raises:
        NotDeployed: the stack keeps nothing out: its functions do not read tombstones.
    """
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
    from headwater_model.errors import Conflict

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
