"""The local stack's tables beside stock moto: equal results and errors for the forms in use."""

from __future__ import annotations

import os
from functools import partial

import boto3
import orjson
import pytest
from botocore.awsrequest import AWSPreparedRequest
from botocore.compat import HTTPHeaders
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from moto import mock_aws
from moto.core.request import normalize_request
from moto.dynamodb.responses import DynamoHandler

from local_stack.aws.disk import Disk
from local_stack.aws.tables.operations import Tables

REGION = "us-east-1"
PREFIX = "DynamoDB_20120810."
MOTOS = {"ConsumedCapacity", "ItemCollectionMetrics"}
STRING = {"AttributeType": "S"}


@pytest.fixture(scope="module")
def client():
    with mock_aws():
        client = boto3.client("dynamodb", region_name=REGION)
        for name in ("ours", "theirs"):
            create(client, name)
        yield client


def create(client, name):
    """Create a table with a local index by action, and a global index by twin."""
    keys = [("root", "HASH"), ("node", "RANGE")]
    local, whole = [("root", "HASH"), ("action", "RANGE")], {"ProjectionType": "ALL"}
    schema = [[{"AttributeName": key, "KeyType": kind} for key, kind in each] for each in (keys, local)]
    client.create_table(
        TableName=name,
        KeySchema=schema[0],
        AttributeDefinitions=[{"AttributeName": key, **STRING} for key in ("root", "node", "action", "twin")],
        BillingMode="PAY_PER_REQUEST",
        LocalSecondaryIndexes=[{"IndexName": "local", "KeySchema": schema[1], "Projection": whole}],
        GlobalSecondaryIndexes=[
            {"IndexName": "global", "KeySchema": [{"AttributeName": "twin", "KeyType": "HASH"}], "Projection": whole}
        ],
    )
    client.update_time_to_live(TableName=name, TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires"})


def result_of(respond, operation, request):
    """Send a request; return the result, or an error's code with the reasons of a transaction and the item."""
    status, body, *_ = respond(PREFIX + operation, orjson.dumps(request))
    result = orjson.loads(body)
    if status == 200:
        return {name: value for name, value in result.items() if name not in MOTOS}
    reasons = [reason["Code"] for reason in result.get("CancellationReasons", [])]
    return result["__type"].rpartition("#")[2], reasons, result.get("Item")


def stock_response(target, body):
    """Respond as moto does."""
    scope = "Credential=k/20260101/us-east-1/dynamodb/aws4_request"
    headers = HTTPHeaders.from_dict({"X-Amz-Target": target, "Authorization": f"AWS4-HMAC-SHA256 {scope}, Signature=x"})
    url = "https://dynamodb.us-east-1.amazonaws.com/"
    request = normalize_request(AWSPreparedRequest("POST", url, headers, body, False))
    status, _, content = DynamoHandler.dispatch(request, request.raw_url, request.headers)
    return status, content


def named(request, name):
    """Set the table's name wherever the request has the name of none."""
    return orjson.loads(orjson.dumps(request).replace(b'"TABLE"', f'"{name}"'.encode()))


def wipe(client):
    for item in client.scan(TableName="theirs")["Items"]:
        client.delete_item(TableName="theirs", Key={name: item[name] for name in ("root", "node")})


ROOTS, NODES, WORDS = (
    st.sampled_from(["a", "b"]),
    st.sampled_from(["n1", "n2", "ne", "n€", "m"]),
    st.sampled_from("xyz"),
)
VERSIONS = st.integers(0, 2).map(lambda number: {"N": str(number)})
KEYS = st.builds(lambda root, node: {"root": {"S": root}, "node": {"S": node}}, ROOTS, NODES)
MORE = st.fixed_dictionaries(
    {"version": VERSIONS},
    optional={
        "action": WORDS.map(lambda word: {"S": word}),
        "twin": WORDS.map(lambda word: {"S": word}),
        "body": st.just({"B": "AAH/"}),
        "names": st.just({"SS": ["p", "q"]}),
        "list": st.just({"L": [{"M": {"k": {"BOOL": True}}}, {"NULL": True}]}),
    },
)
ITEMS = st.builds(lambda key, more: key | more, KEYS, MORE)
CONDITIONS = st.one_of(
    st.just({}),
    st.just({"ConditionExpression": "attribute_not_exists(root)"}),
    VERSIONS.map(lambda number: condition("version = :version", {":version": number})),
    VERSIONS.map(
        lambda number: condition(
            "version = :version OR (:version = :none AND attribute_not_exists(root))",
            {":version": number, ":none": {"N": "0"}},
        )
    ),
    VERSIONS.map(
        lambda number: condition("attribute_not_exists(#v) OR #v < :version", {":version": number}, {"#v": "version"})
    ),
)


def condition(text, values, names=None):
    more = {"ExpressionAttributeNames": names} if names else {}
    return {"ConditionExpression": text, "ExpressionAttributeValues": values, **more}


def updated(text, values):
    return {"UpdateExpression": text, "ExpressionAttributeValues": values}


UPDATES = st.one_of(
    VERSIONS.map(lambda number: updated("ADD version :by SET listed = if_not_exists(listed, :by)", {":by": number})),
    WORDS.map(lambda word: updated("SET action = :word REMOVE twin", {":word": {"S": word}})),
    st.sampled_from(["p", "r"]).map(lambda word: updated("ADD names :set", {":set": {"SS": [word]}})),
    st.sampled_from([["p"], ["p", "q", "r"]]).map(lambda words: updated("DELETE names :set", {":set": {"SS": words}})),
    st.just({"UpdateExpression": "REMOVE listed, #a", "ExpressionAttributeNames": {"#a": "action"}}),
)
OF_TABLE = {"TableName": "TABLE"}
PUTS = st.builds(lambda item, test: {**OF_TABLE, "Item": item, **test}, ITEMS, CONDITIONS)
DELETES = st.builds(lambda key, test: {**OF_TABLE, "Key": key, **test}, KEYS, CONDITIONS)
UPDATED = st.builds(lambda key, update: {**OF_TABLE, "Key": key, **update}, KEYS, UPDATES)
ACTIONS = st.one_of(
    PUTS.map(lambda put: {"Put": put}),
    DELETES.map(lambda delete: {"Delete": delete}),
    UPDATED.map(lambda update: {"Update": update}),
    KEYS.map(lambda key: {"ConditionCheck": {**OF_TABLE, "Key": key, "ConditionExpression": "attribute_exists(root)"}}),
)
BATCHED = st.one_of(
    ITEMS.map(lambda item: {"PutRequest": {"Item": item}}), KEYS.map(lambda key: {"DeleteRequest": {"Key": key}})
)
OLD = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
WRITES = st.one_of(
    PUTS.map(lambda put: ("PutItem", put | OLD)),
    DELETES.map(lambda delete: ("DeleteItem", delete | {"ReturnValues": "ALL_OLD"})),
    UPDATED.map(lambda update: ("UpdateItem", update | {"ReturnValues": "ALL_NEW"})),
    st.lists(ACTIONS, min_size=1, max_size=4).map(lambda actions: ("TransactWriteItems", {"TransactItems": actions})),
    st.lists(BATCHED, min_size=1, max_size=4, unique_by=lambda write: str(key_of(write))).map(
        lambda writes: ("BatchWriteItem", {"RequestItems": {"TABLE": writes}})
    ),
)


def key_of(write):
    [(_, request)] = write.items()
    item = request.get("Item") or request["Key"]
    return item["root"], item["node"]


RANGES = st.one_of(
    st.just(("", {})),
    NODES.map(lambda node: (" AND begins_with(node, :n)", {":n": {"S": node[:1]}})),
    st.tuples(st.sampled_from(["=", "<", "<=", ">", ">="]), NODES).map(
        lambda pair: (f" AND node {pair[0]} :n", {":n": {"S": pair[1]}})
    ),
    st.tuples(NODES, NODES).map(
        lambda pair: (
            " AND node BETWEEN :n AND :m",
            dict(zip((":n", ":m"), ({"S": each} for each in sorted(pair, key=str.encode)), strict=True)),
        )
    ),
)
QUERIES = st.builds(
    lambda root, bounds, more: {
        "KeyConditionExpression": f"root = :r{bounds[0]}",
        "ExpressionAttributeValues": {":r": {"S": root}, **bounds[1], **more.get("values", {})},
        **{name: value for name, value in more.items() if name != "values"},
    },
    ROOTS,
    RANGES,
    st.sampled_from(
        [
            {},
            {"ScanIndexForward": False},
            {"FilterExpression": "version <> :x", "values": {":x": {"N": "1"}}},
            {"ProjectionExpression": "node, version"},
        ]
    ),
)
OF_INDEX = st.one_of(
    st.builds(
        lambda root, word: {
            "IndexName": "local",
            "KeyConditionExpression": "root = :r AND #a = :a",
            "ExpressionAttributeNames": {"#a": "action"},
            "ExpressionAttributeValues": {":r": {"S": root}, ":a": {"S": word}},
        },
        ROOTS,
        WORDS,
    ),
    WORDS.map(
        lambda word: {
            "IndexName": "global",
            "KeyConditionExpression": "twin = :t",
            "ExpressionAttributeValues": {":t": {"S": word}},
        }
    ),
)


def all_pages(send, request):
    """Read all pages of a query, of two items each."""
    items, start = [], {}
    while True:
        page = send({**OF_TABLE, **request, **start, "Limit": 2})
        items += page["Items"]
        if "LastEvaluatedKey" not in page:
            return items
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def in_any_order(items):
    return sorted(items, key=lambda item: orjson.dumps(item, option=orjson.OPT_SORT_KEYS))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    writes=st.lists(WRITES, max_size=12), queries=st.lists(QUERIES, max_size=3), indexes=st.lists(OF_INDEX, max_size=2)
)
def test_any_requests_have_motos_results(client, writes, queries, indexes):
    wipe(client)
    tables = Tables(Disk())

    def ours(operation, request):
        return result_of(tables.respond, operation, named(request, "ours"))

    def theirs(operation, request):
        return result_of(stock_response, operation, named(request, "theirs"))

    for operation, request in writes:
        ours_then, theirs_then = ours(operation, request), theirs(operation, request)
        assert named(ours_then, "ours") == named(theirs_then, "ours"), (operation, request)
    for query in queries:
        assert all_pages(partial(ours, "Query"), query) == all_pages(partial(theirs, "Query"), query)
    assert in_any_order(all_pages(partial(ours, "Scan"), {})) == in_any_order(all_pages(partial(theirs, "Scan"), {}))
    for query in indexes:
        both = [in_any_order(all_pages(partial(of, "Query"), query)) for of in (ours, theirs)]
        assert both[0] == both[1]


def test_expired_items_are_gone_and_come_back_until_their_removal_has_arrived(client):
    store = Disk()
    tables = Tables(store)
    moments = {"late": "2000000000", "gone": "1700000000", "odd": "1000000000", "word": None}
    for node, moment in moments.items():
        expires = {"expires": {"N": moment}} if moment else {"expires": {"S": "soon"}}
        put(tables, {"root": {"S": "r"}, "node": {"S": node}, **expires})
    assert [removed["keys"]["node"] for removed in tables.expire(1_800_000_000)] == [{"S": "gone"}]
    assert nodes(tables) == ["late", "odd", "word"]
    # A new process: the removal may be lost.
    after_crash = Tables(store)
    after_crash.restore()
    assert nodes(after_crash) == ["gone", "late", "odd", "word"]
    after_crash.expire(1_800_000_000)
    after_crash.expire(1_800_000_000)
    after_crash.restore()
    assert nodes(after_crash) == ["late", "odd", "word"]


def put(tables, item):
    result_of(tables.respond, "PutItem", {"TableName": "ours", "Item": item})


def nodes(tables):
    return [item["node"]["S"] for item in result_of(tables.respond, "Scan", {"TableName": "ours"})["Items"]]


def query(text, key, **more):
    values = {":root": key["root"], ":node": key["node"]}
    return {"KeyConditionExpression": text, "ExpressionAttributeValues": values | more.pop("values", {}), **more}


@pytest.mark.parametrize(
    ("operation", "request_with"),
    [
        ("GetItem", lambda key: {"Key": key}),
        ("DeleteItem", lambda key: {"Key": key}),
        ("PutItem", lambda key: {"Item": key}),
        ("UpdateItem", lambda key: {"Key": key, "UpdateExpression": "REMOVE body"}),
        ("BatchGetItem", lambda key: {"RequestItems": {"ours": {"Keys": [key]}}}),
        ("BatchWriteItem", lambda key: {"RequestItems": {"ours": [{"DeleteRequest": {"Key": key}}]}}),
        ("TransactWriteItems", lambda key: {"TransactItems": [{"Delete": {"TableName": "ours", "Key": key}}]}),
        ("Query", lambda key: query("root = :root AND node = :node", key)),
        ("Query", lambda key: query("root=:root AND begins_with(node, :node)", key)),
        ("Query", lambda key: query("root = :root AND node between :node and :z", key, values={":z": {"S": "z"}})),
        ("Query", lambda key: query("root = :root AND #n >= :node", key, ExpressionAttributeNames={"#n": "node"})),
    ],
)
def test_a_key_is_never_empty(client, operation, request_with):
    def responded(node):
        request = request_with({"root": {"S": "a"}, "node": {"S": node}})
        named = {} if "RequestItems" in request or "TransactItems" in request else {"TableName": "ours"}
        status, body, _ = Tables(Disk()).respond(PREFIX + operation, orjson.dumps(request | named))
        return status, orjson.loads(body).get("message", "").partition(". The ")[2]

    rule = "AttributeValue for a key attribute cannot contain an empty string value. Key: node"
    assert (responded(""), responded("n")) == ((400, rule), (200, ""))


def test_a_page_ends_at_a_megabyte_and_goes_on_behind_it(client):
    tables = Tables(Disk())
    for number in range(5):
        put(tables, {"root": {"S": "r"}, "node": {"S": f"n{number}"}, "body": {"S": "x" * 300_000}})
    query = {
        "TableName": "ours",
        "KeyConditionExpression": "root = :r",
        "ExpressionAttributeValues": {":r": {"S": "r"}},
    }
    page = result_of(tables.respond, "Query", query)
    assert (page["Count"], page["LastEvaluatedKey"]["node"]) == (4, {"S": "n3"})
    rest = result_of(tables.respond, "Query", query | {"ExclusiveStartKey": page["LastEvaluatedKey"]})
    assert (rest["Count"], "LastEvaluatedKey" in rest) == (1, False)


def test_a_new_index_has_the_kept_items(client, tmp_path):
    item = {"root": {"S": "r"}, "node": {"S": "n"}, "action": {"S": "READ"}}
    store = Disk(tmp_path / "tables.sqlite")
    put(Tables(store), item)
    store.database.execute('DROP INDEX "ours_pk_""key action"""')
    store.database.execute('ALTER TABLE "items of ours" DROP COLUMN "key action"')
    query = {"KeyConditionExpression": "root = :r", "ExpressionAttributeValues": {":r": {"S": "r"}}}
    page = result_of(Tables(store).respond, "Query", {"TableName": "ours", "IndexName": "local", **query})
    assert page["Items"] == [item]


def test_a_single_write_is_on_the_disk_at_once_and_a_batch_with_what_follows(client, tmp_path, monkeypatch):
    synced, sync = [], os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: synced.append(sync(file)))
    disk = Disk(tmp_path / "tables.sqlite")
    tables = Tables(disk)
    item = {"root": {"S": "r"}, "node": {"S": "n"}}
    result_of(tables.respond, "BatchWriteItem", {"RequestItems": {"ours": [{"PutRequest": {"Item": item}}]}})
    assert len(synced) == 0
    for _ in range(2):
        disk.sync()
    assert len(synced) == 1
    result_of(tables.respond, "PutItem", {"TableName": "ours", "Item": item})
    assert len(synced) == 2


def test_a_table_that_was_deleted_and_created_again_is_empty(client):
    tables = Tables(Disk())
    put(tables, {"root": {"S": "r"}, "node": {"S": "n"}})
    client.delete_table(TableName="ours")
    create(client, "ours")
    assert nodes(tables) == []
