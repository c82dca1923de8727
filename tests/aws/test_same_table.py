"""The functions' client of DynamoDB beside boto3's: a history leaves the same tables, row by row, and reads the same.

On moto, and on DynamoDB Local where `DDB_LOCAL` names its URL (tests/README.md).
"""

from __future__ import annotations

import json
import os
import random
from dataclasses import dataclass
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

from headwater import settings
from headwater.aws import clients
from headwater.facts.table import GraphTable, Row, RowQuery, Swap
from lambdas import wiring
from tests.builders import NOON, a_message
from tests.builders_events import CALCULATE, CHECK, READ_FLIGHTS, a_dataset, a_dataset_event, a_facet, a_job_event
from tests.builders_events import a_run_event as run_event

NAMES = ("raw", "checked", "estimated", "größe", "😀/день", "x" * 900)


@dataclass
class Store:
    """A client, ours or boto3's, with tables of its own."""

    client: Any
    admin: Any
    graph: str
    records: str

    def items(self, table):
        pages = self.admin.get_paginator("scan").paginate(TableName=table)
        return sorted((item for page in pages for item in page["Items"]), key=repr)


@pytest.fixture(params=["moto", "DynamoDB Local"])
def stores(request, cloud, monkeypatch):
    """The functions' client and boto3's, each with tables as the template has them."""
    ours, admin = cloud.dynamodb, boto3.client("dynamodb")
    described = [admin.describe_table(TableName=cloud.outputs[f"{name}TableName"])["Table"] for name in TABLES]
    if request.param == "DynamoDB Local":
        if "DDB_LOCAL" not in os.environ:
            pytest.skip("DDB_LOCAL is not the URL of a DynamoDB Local")
        monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", os.environ["DDB_LOCAL"])
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")  # each key has tables of its own
        clients.client.cache_clear()
        clients.dynamodb.cache_clear()
        ours, admin = clients.dynamodb(), boto3.client("dynamodb")
    tables = [[create_like(admin, table, f"{kind}-{random.getrandbits(64)}") for table in described] for kind in KINDS]
    yield [
        Store(client, admin, *names) for client, names in zip((ours, clients.client("dynamodb")), tables, strict=True)
    ]
    for name in (name for names in tables for name in names):
        admin.delete_table(TableName=name)
    if request.param == "DynamoDB Local":
        ours.connections.close()


TABLES = ("Graph", "Records")
KINDS = ("ours", "boto3")
# Errors with a class, for the functions to catch.
KNOWN = ("ConditionalCheckFailedException", "TransactionCanceledException")


def create_like(admin, table, name):
    """Create a table with the keys and indexes of `table`; return its name."""
    indexes = {
        kind: [{part: index[part] for part in ("IndexName", "KeySchema", "Projection")} for index in table[kind]]
        for kind in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes")
        if table.get(kind)
    }
    admin.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        KeySchema=table["KeySchema"],
        AttributeDefinitions=table["AttributeDefinitions"],
        **indexes,
    )
    return name


def use(store, monkeypatch):
    """Have the functions use the store."""
    monkeypatch.setenv(settings.GRAPH_TABLE, store.graph)
    monkeypatch.setenv(settings.RECORDS_TABLE, store.records)
    for accessor in vars(wiring).values():
        if hasattr(accessor, "cache_clear"):
            accessor.cache_clear()
    monkeypatch.setattr(wiring, "dynamodb", lambda: store.client)
    # Two threads at a row may swap it a time more: its version would differ.
    monkeypatch.setattr(wiring, "CONCURRENCY", 1)


def events(seed):
    """Forty events, some of them twice: runs that change their minds, columns, texts of any alphabet, large facets."""
    draw = random.Random(seed)
    drawn = [_event(draw) for _ in range(35)]
    return [*drawn, *draw.sample(drawn, 5)]


def _event(draw):
    time = f"2025-11-20T{draw.randrange(11):02}:{draw.randrange(60):02}:00Z"
    draw_names = lambda: draw.sample(NAMES, draw.randrange(3))  # noqa: E731
    job = draw.choice((READ_FLIGHTS, CHECK, CALCULATE))
    match draw.randrange(6):
        case 0:
            return a_job_event(job=job, eventTime=time, inputs=draw_names(), outputs=draw_names())
        case 1:
            return a_dataset_event(a_dataset(draw.choice(NAMES), fields=draw.sample("abcdef", 3)), eventTime=time)
    size = draw.choice((10, 600, 20_000) * 4 + (700_000,))
    columns = {"a": {"inputFields": [{"namespace": "s3://flights", "name": "raw", "field": draw.choice("abc")}]}}
    facets = {"columnLineage": a_facet("ColumnLineageDataset", "1-2-0", fields=columns)}
    return run_event(
        run=f"run-{draw.randrange(8)}",
        job=job,
        eventType=draw.choice(("START", "RUNNING", "COMPLETE", "FAIL")),
        eventTime=time,
        inputs=draw_names(),
        outputs=[a_dataset(name, fields=["a", "b"], facets=facets) for name in draw_names()],
        job_facets={"plan": a_facet(text=draw.randbytes(size // 2).hex())},
    )


def records(seed):
    """Sixty records of 12 nodes: many meet a stored record, and win or lose."""
    draw = random.Random(seed)
    return [
        a_message(
            root_id=draw.choice(("flights", "größe")),
            node_id=f"n-{draw.randrange(12)}",
            action_taken=draw.choice(("READ", "CHECKED")),
            storage_location=draw.choice(("s3://b/in.csv", "s3://b/😀", "x" * 2000)),
            recordedAt=NOON - draw.randrange(5),
        )
        for _ in range(60)
    ]


def load(cloud, seed):
    sent_events, sent_records = events(seed), records(seed)
    for start in range(0, len(sent_events), 8):
        assert cloud.load_events(*sent_events[start : start + 8]) == []
    for start in range(0, len(sent_records), 20):
        assert cloud.load(*sent_records[start : start + 20]) == []
    assert cloud.load({"records": records(-seed)}, queue="PackedQueue") == []


def look(store):
    """Yield the items of both tables, read by key, in pages and backwards."""
    graph, table = wiring.graph_table(), wiring.table()
    keys = [(item["pk"]["S"], item["sk"]["S"]) for item in store.items(store.graph)]
    partitions = sorted({pk for pk, _ in keys})
    queries = [
        RowQuery(pk, newest_first=back, limit=limit) for pk in partitions for back in (False, True) for limit in (2, 99)
    ]
    yield graph.get([*keys, ("none", "none")])
    yield graph.query(queries)
    for root in ("flights", "größe"):
        yield list(table.read_root(root))
        first = table.page_of_root(root, limit=3)
        yield first, table.page_of_root(root, start=first.last_key, limit=3)
        yield sorted(item["node_id"]["S"] for item in table.page_of_root(root, action="READ").items)
        yield table.find(root, "n-1"), table.find(root, "none")
    yield sorted(map(repr, table.page_of_node("n-2").items))


@pytest.mark.parametrize("seed", [1, 2])
def test_a_history_leaves_the_tables_that_boto3_leaves_and_is_read_as_boto3_reads_it(stores, cloud, monkeypatch, seed):
    results = []
    for store in stores:
        use(store, monkeypatch)
        load(cloud, seed)
        tables = store.items(store.graph), store.items(store.records)
        results.append((*tables, list(look(store))))

    ours, theirs = results
    assert len(ours[0]) > 150
    assert len(ours[1]) > 20
    assert ours == theirs


def refusals(store):
    """Yield writes refused by DynamoDB, each for a different reason."""
    key = {"pk": {"S": "P"}, "sk": {"S": "S"}}
    item = {**key, "body": {"B": b"\x00\xff"}, "of": {"M": {"B": {"B": b"\x01"}, "l": {"L": [{"N": "1.50"}]}}}}
    put, shown = store.client.put_item, {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    absent = {"TableName": store.graph, "ConditionExpression": "attribute_not_exists(pk)"}
    put(**absent, Item=item)
    yield lambda: put(**absent, **shown, Item=item)
    yield lambda: put(**absent, Item=item)
    actions = [
        {"Put": {"TableName": store.graph, "Item": {**key, "sk": {"S": "T"}}}},
        {"Put": {**absent, **shown, "Item": item}},
    ]
    yield lambda: store.client.transact_write_items(TransactItems=actions)
    yield lambda: put(TableName=store.graph, Item={**key, "body": {"B": bytes(500_000)}})
    yield lambda: put(TableName=store.graph, Item={"pk": {"S": "P"}})
    yield lambda: put(TableName="no-such-table", Item=item)
    yield lambda: store.client.query(TableName=store.graph, KeyConditionExpression="nonsense")


def test_what_dynamodb_refuses_is_raised_as_boto3_raises_it(stores):
    by_store = []
    for store in stores:
        errors = []
        for refused in refusals(store):
            with pytest.raises(ClientError) as raised:
                refused()
            known = type(raised.value).__name__
            response = raised.value.response
            about = {name: response[name] for name in ("Error", "Item", "CancellationReasons") if name in response}
            errors.append((known if known in KNOWN else "", json.dumps(about, default=repr, sort_keys=True)))
        by_store.append([(kind, text.replace(store.graph, "graph")) for kind, text in errors])
    assert by_store[0] == by_store[1]
    assert [kind for kind, _ in by_store[0]][:3] == ["ConditionalCheckFailedException"] * 2 + [
        "TransactionCanceledException"
    ]


def test_swaps_of_one_call_are_written_and_refused_as_with_boto3(stores, cloud):
    """Versions of rows with bodies of each kind, in the order of the second call: new, stale, current, missing."""
    bodies = ({"n": 1}, {"text": "größe 😀 " * 200}, {})
    results = []
    for store in stores:
        table = GraphTable(store.client, store.graph, cloud.s3, cloud.outputs["ArchiveBucketName"], concurrency=1)
        first = table.swap([Swap(Row("P", f"K#{number:03}", bodies[number % 3])) for number in range(60)])
        versions = [(number + 10, (0, 5, 1)[number % 3]) for number in range(60)]
        second = table.swap(
            [Swap(Row("P", f"K#{number:03}", bodies[number // 3 % 3], version)) for number, version in versions]
        )
        results.append((first, second, store.items(store.graph)))
    assert results[0] == results[1]
    assert results[0][0] == [True] * 60
    assert results[0][1] == [version == 1 if number < 60 else version == 0 for number, version in versions]


@pytest.mark.parametrize("stores", ["DynamoDB Local"], indirect=True)  # moto does not know a transaction again
def test_a_transaction_that_is_sent_twice_is_made_once(stores):
    for store in stores:
        add = {
            "TableName": store.graph,
            "Key": {"pk": {"S": "P"}, "sk": {"S": "COUNT"}},
            "UpdateExpression": "ADD #n :by",
            "ExpressionAttributeNames": {"#n": "n"},
            "ExpressionAttributeValues": {":by": {"N": "1"}},
        }
        for _ in range(2):
            store.client.transact_write_items(TransactItems=[{"Update": add}], ClientRequestToken=store.graph[-36:])
        store.client.transact_write_items(TransactItems=[{"Update": add}])
        assert [item["n"] for item in store.items(store.graph)] == [{"N": "2"}]
