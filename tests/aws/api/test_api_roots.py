"""The list of roots by the beginning of their ids, and the records of a root by that of their node ids."""

import random

import pytest

from headwater.records.root_ids import RootIds
from lambdas import wiring
from tests.aws.api.conftest import RECORDS, ROOT
from tests.aws.faults import Killed, killed_at
from tests.builders import DAY, messages


def pages_of(api, path, key, **query):
    """Yield every page's items, to the end."""
    cursor = {}
    while True:
        page = api.send("GET", path, {**query, **cursor}).json
        yield page[key]
        if page["cursor"] is None:
            return
        cursor = {"cursor": page["cursor"]}


def roots_from(api, prefix="", **query):
    given = {"prefix": prefix} if prefix else {}
    pages = list(pages_of(api, f"{RECORDS}/roots", "roots", **given, **query))
    assert all(len(page) <= query.get("limit", 100) for page in pages)
    return [root["root_id"] for page in pages for root in page]


def some_ids(chance):
    """Ids that begin alike, also for longer than a key, of characters of one to four bytes."""
    letters = "ab/\0é\U0001f6eb"
    ids = {"".join(chance.choices(letters, k=chance.randint(1, 4))) for _ in range(60)}
    long = "é" * 300
    return [*ids, *(long + "".join(chance.choices(letters, k=3)) for _ in range(20)), "é" * 255 + "\U0001f6eb" * 2]


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_the_roots_of_a_beginning_are_those_that_begin_so_each_once(api, cloud, seed):
    chance = random.Random(seed)
    ids = some_ids(chance)
    store = RootIds(wiring.dynamodb(), cloud.outputs["GraphTableName"])
    for root_id in chance.choices(ids, k=20) + ids:
        store.add(root_id)

    for prefix in ["", *{root_id[: chance.randint(1, len(root_id))] for root_id in chance.sample(ids, 12)}, "none"]:
        listed = roots_from(api, prefix, limit=chance.choice((1, 2, 7, 1000)))
        assert sorted(listed) == sorted({root_id for root_id in ids if root_id.startswith(prefix)})
        # Longer ids that are alike for a whole key come in no order among themselves, nor do those with the separator.
        short = [root_id for root_id in listed if len(root_id.encode()) <= 512 and "\0" not in root_id]
        assert short == sorted(short, key=str.encode)


def test_a_root_is_listed_with_what_the_archive_has_of_it(api, cloud):
    cloud.load(*messages({"file": "flights", "row": "file"}, "flights"), *messages({"train": "trains"}, "trains"))
    fresh = {"root_id": "flights", "archivedOn": None, "archivedRecords": 0}
    page = api.send("GET", f"{RECORDS}/roots", {"prefix": "fl"}).json
    assert page == {"roots": [fresh], "cursor": None}

    cloud.compact(DAY)
    cloud.now_s += 40 * 24 * 3600
    page = api.send("GET", f"{RECORDS}/roots", {"prefix": "fl"}).json
    assert page == {"roots": [{"root_id": "flights", "archivedOn": DAY, "archivedRecords": 2}], "cursor": None}
    assert roots_from(api) == ["flights", "trains"]


@pytest.mark.parametrize("effective", [False, True])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_root_is_listed_at_last_wherever_the_load_dies(api, cloud, number, effective):
    sent, operations = messages({"file": "flights"}, "flights"), ["GetItem", "UpdateItem"]
    with pytest.raises(Killed), killed_at([wiring.dynamodb()], number, effective=effective, operations=operations):
        cloud.load(*sent)
    assert cloud.load(*sent) == []
    assert roots_from(api) == ["flights"]


@pytest.mark.parametrize("action", [None, "READ"])
@pytest.mark.parametrize("limit", [1, 2, 1000])
def test_the_records_of_a_beginning_are_those_whose_node_id_begins_so(api, cloud, action, limit):
    nodes = {"a": "READ", "ab": "CHECK", "abc": "READ", "abd": "READ", "ac": "READ", "b": "CHECK"}
    api.put(*((ROOT, node, made_by) for node, made_by in nodes.items()))
    for prefix in ("a", "ab", "abc", "b", "no"):
        query = {"prefix": prefix, "limit": limit} | ({"action": action} if action else {})
        pages = pages_of(api, f"{RECORDS}/roots/{ROOT.replace('/', '%2F')}", "records", **query)
        node_ids = [record["node_id"] for page in pages for record in page]
        expected = [node for node, made_by in nodes.items() if node.startswith(prefix) and action in (None, made_by)]
        assert node_ids == expected
