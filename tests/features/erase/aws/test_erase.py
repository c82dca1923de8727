"""Erasure from end to end: no byte of the targets stays, the archive is verified, and nothing comes back."""

import re
from collections import Counter
from contextlib import nullcontext
from dataclasses import replace
from urllib.parse import parse_qsl

import boto3
import pytest

from headwater.api.app import all_routes
from headwater.facts.table import GraphTable
from headwater.features.erase.erasure import Erasure, Stores
from headwater.features.erase.graph import Remake
from headwater.features.erase.roots import RootErasure
from headwater.features.erase.settings import VARIABLE
from headwater.features.erase.tables import TableErasure
from headwater.features.erase.targets import Tombstones
from headwater.loading.event_log import EventLog
from headwater.loading.replay import replay
from headwater.loading.screens import read_screens
from headwater.records.removals import delete_versions
from headwater.records.table import RecordsTable
from headwater.times import day_of
from headwater_model.archive_tables import TABLES, attempt_prefix
from lambdas import wiring
from tests.aws.test_verify import findings
from tests.builders import DAY, HOUR
from tests.builders_events import a_run_event
from tests.features.erase.aws.planted import Estate, places_of, untouched

NEXT_DAY = "2025-11-21"
# Of things apart from the targets, by the names of parameters.
VALUES = dict(
    parse_qsl(
        "namespace=lake&dataset=a&endpoint=a&field=id&version=0&row_id=1&nodeId=dataset:lake:b&source=default&q=planned"
        "&root=flights&root_id=flights&node=n-1&node_id=n-1&start=0&end=1800000000&side=up&direction=both&period=DAY"
        "&type=run&run_id=0176a8c2-fe01-7439-87e6-ffffffffffff&runId=0176a8c2-fe01-7439-87e6-ffffffffffff"
    )
)
PATHS = [
    re.sub(r"<(\w+)>", lambda match: VALUES[match[1]], path)
    + "?"
    + "&".join(
        f"{of.name}={VALUES[of.name]}" for of in route.parameters if of.name in VALUES and f"<{of.name}>" not in path
    )
    for route in all_routes()
    for path in [route.path.replace("<namespace>/jobs/<job>", "emissions/jobs/apart")]
    # Numbers and late writes of the targets change, links have a time, and a search of the archive needs Athena.
    if route.method == "GET" and not re.search("/stats/|/old-data|/proof|/records/search", path)
]


@pytest.fixture
def switched_on(cloud, catalog, monkeypatch):
    monkeypatch.setenv(VARIABLE, "true")
    return cloud


def erasure(cloud, targets, notes=None):
    """Open the stores as the command does; the loaders stand still, and Spark's attempt is the test's."""
    functions = wiring.graph_table()
    table = GraphTable(boto3.client("dynamodb"), functions.table, functions.s3, functions.bucket)
    rows, objects = (table.dynamodb, table.table), (table.s3, table.bucket)
    log, records = EventLog(table, *objects), RecordsTable(table.dynamodb, cloud.outputs["RecordsTableName"])

    def remake(day):
        cloud.attempt(day, "a-2")
        cloud.publish(day, "a-2")

    roots = RootErasure(records, *rows, *objects, day_of(cloud.now_s))
    tables = TableErasure(wiring.publications(), *objects, remake)
    letters = {name: url for name, url in cloud.outputs.items() if name.endswith("DeadLettersUrl")}
    stores = Stores(
        log, wiring.naming_rules(), Tombstones(*rows), roots, tables, letters, cloud.sqs, nullcontext, lambda: None
    )
    return Erasure(stores, targets, (notes if notes is not None else []).append, cloud.now_s)


def planted(cloud, estate):
    """Load the estate on a day that is sealed, and some of it on the next day; letters wait among the dead."""
    events = estate.events()
    assert cloud.load(*estate.records()) == cloud.load_events(*untouched()) == []
    assert cloud.load_events(*events) == cloud.load_api_changes(*estate.changes()) == []
    cloud.compact(DAY)
    cloud.attempt(DAY, "a-1")
    cloud.publish(DAY, "a-1")
    bucket = cloud.outputs["ArchiveBucketName"]
    for table in TABLES:
        key = attempt_prefix(table.name, DAY, "a-1") + "part-0.parquet"
        cloud.s3.put_object(Bucket=bucket, Key=key, Body=estate.root.encode())
    cloud.now_s += 24 * HOUR
    assert cloud.load_events(events[0], *untouched()) == []
    cloud.s3.put_object(Bucket=bucket, Key="facts/replaced", Body=estate.dataset.encode())
    for text in (estate.root, estate.namespace):
        cloud.sqs.send_message(QueueUrl=cloud.url("RecordsDeadLetters"), MessageBody=f'{{"name": "{text}"}}')
    return events


def responses(api, texts):
    """Send all GET requests; leave out responses with texts of the targets."""
    paths = {path: path.partition("?") for path in PATHS}
    bodies = {path: api.send("GET", route, dict(parse_qsl(query))).body for path, (route, _, query) in paths.items()}
    return {path: body for path, body in bodies.items() if not any(text in body for text in texts)}


@pytest.mark.parametrize("number", [30, pytest.param(1000, marks=pytest.mark.slow)])
def test_no_planted_text_stays_and_the_rest_is_as_it_was(switched_on, api, capsys, number):
    cloud, estate = switched_on, Estate(number)
    events = planted(cloud, estate)
    before = responses(api, estate.texts)
    places = places_of(cloud, estate.texts)
    notes = []

    counted = erasure(cloud, estate.targets).count()
    assert places_of(cloud, estate.texts) == places
    erased = erasure(cloud, estate.targets, notes).erase()

    assert places_of(cloud, estate.texts) == []
    assert {store: erased[store] for store in counted} == dict(counted)
    after = responses(api, estate.texts)
    assert {path: after[path] for path in before} == before
    cloud.compact(NEXT_DAY)
    noted = [finding for finding in findings(cloud) if "removed by order" in finding.message]
    assert [finding.day for finding in noted] == [NEXT_DAY]
    assert [finding for finding in findings(cloud) if finding.fault] == []

    # Neither the producers nor a copy of the log brings it back.
    cloud.load(*estate.records())
    cloud.load_events(*events)
    cloud.load_api_changes(*estate.changes())
    assert places_of(cloud, estate.texts) == []
    output = capsys.readouterr()
    ours = [len(estate.records()) - 2, len(events) - 1, len(estate.changes())]
    assert [int(number) for number in re.findall(r'"(?:Records|Events)Screened":\[(\d+)\.0', output.out)] == ours
    assert not [text for text in estate.texts if text in output.out + output.err + "".join(notes)]


def test_a_neighbour_keeps_its_event_without_the_targets(switched_on, api):
    estate = Estate(30)
    planted(switched_on, estate)
    erasure(switched_on, estate.targets).erase()
    lineage = api.send("GET", "/api/v1/lineage", {"nodeId": "job:emissions:neighbour"}).json["graph"]
    columns = api.send("GET", "/api/v1/column-lineage", {"nodeId": "dataset:lake:shared"}).json["graph"]
    assert sorted(node["id"] for node in lineage if "neighbour" in str(node["inEdges"]) + str(node["outEdges"])) == [
        "dataset:lake:raw",
        "dataset:lake:shared",
        "job:emissions:neighbour",
    ]
    assert [source["dataset"] for node in columns for source in node["data"]["inputFields"]] == ["raw"]


def test_an_erasure_that_broke_off_is_completed_by_its_repetition(switched_on, api):
    """The replay has finished all days; then events arrive, and their rows must stay."""
    cloud, estate = switched_on, Estate(30)
    planted(cloud, estate)
    cloud.now_s += 48 * HOUR
    before = responses(api, estate.texts)

    def die(text):
        if text.startswith(f"  {day_of(cloud.now_s)}: "):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        replace(erasure(cloud, estate.targets), note=die).erase()
    assert places_of(cloud, estate.texts) != []
    assert cloud.load_events(a_run_event(job="late")) == []

    notes = []
    erasure(cloud, estate.targets, notes).erase()
    assert [note for note in notes if DAY in note] == []
    assert places_of(cloud, estate.texts) == []
    after = responses(api, estate.texts)
    assert {path: after[path] for path in before} == before
    assert api.send("GET", "/api/v1/namespaces/emissions/jobs/late").status == 200


def test_a_table_of_another_erasure_is_not_gone_on_with(switched_on):
    cloud, estate = switched_on, Estate(30)
    planted(cloud, estate)
    cloud.now_s += 48 * HOUR
    first = erasure(cloud, estate.targets[:1])
    earlier = Remake(first.stores.log, first.stores.rules, "another", first.note)
    earlier.begin(anew=True)
    earlier.replay(first.stores.log.days())
    first.stores.tombstones.begin(estate.targets)
    first._erase_log(Counter(), first.stores.log.days())
    whole = erasure(cloud, estate.targets)
    whole._erase_log(Counter(), whole.stores.log.days())
    whole.erase()
    assert places_of(cloud, estate.texts) == []


def test_a_restored_object_is_not_replayed(switched_on, monkeypatch):
    cloud, estate = switched_on, Estate(30)
    planted(cloud, estate)
    kept = cloud.objects("events/")
    erasure(cloud, estate.targets).erase()
    bucket = cloud.outputs["ArchiveBucketName"]
    for key, body in kept.items():
        cloud.s3.put_object(Bucket=bucket, Key=key, Body=body)
    log = wiring.event_log()
    screens = read_screens(cloud.dynamodb, cloud.outputs["GraphTableName"])
    for day in log.days():
        assert [
            part.failed for part in replay(log.keys_of(day), log, wiring.naming_rules(), screens) if part.failed
        ] == []
    delete_versions(cloud.s3, bucket, "events/")
    assert places_of(cloud, estate.texts) == []
