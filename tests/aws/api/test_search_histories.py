"""A search finds each matching record once, on pages of any size, whatever happened to it.

Random histories: records are loaded, expire, and are traced on demand and by night. A night may miss roots; days are
sealed and published late or not yet. The model is the list of loaded records: no record is ever lost or renamed.
"""

import random

import pytest

from headwater.times import day_of, shift
from lambdas import wiring
from tests.aws.api.searching import Search
from tests.builders import HOUR, a_message

ROOTS = ("r0", "r1", "r2", "r3")
ACTIONS = ("READ", "CHECK")
# `make test` runs a single history, `make test-all` six.
SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 6))]
PLACES = ("s3://lake/raw/", "s3://lake/it's%_/")


class History:
    """The history so far: the loaded records, the sealed days and the published days."""

    def __init__(self, search, seed):
        self.search, self.random = search, random.Random(seed)
        self.loaded = {}
        self.sealed, self.published = [], []

    @property
    def cloud(self):
        return self.search.cloud

    def load(self):
        root, steps = self.random.choice(ROOTS), []
        for _ in range(self.random.randint(1, 4)):
            node = f"n{len(self.loaded) + len(steps):03}"
            steps.append(
                a_message(
                    root_id=root,
                    parent_id=root,
                    node_id=node,
                    action_taken=self.random.choice(ACTIONS),
                    storage_location=self.random.choice(PLACES) + node,
                    recordedAt=self.cloud.now_s - self.random.choice([0, 0, 60, 30 * HOUR]),
                )
            )
        assert self.cloud.load(*steps) == []
        self.loaded |= {(root, step["node_id"]): step for step in steps}

    def wait(self):
        self.cloud.now_s += self.random.choice([60, 3 * HOUR, 11 * HOUR, 25 * HOUR])

    def expire(self):
        self.cloud.stream(self.cloud.expire())

    def trace(self):
        root = self.random.choice(ROOTS)
        if any(known == root for known, _ in self.loaded):
            assert self.cloud.trace(root, day=day_of(self.cloud.now_s), execution="asked", started_at=0) == []

    def seal(self):
        day = shift(day_of(self.cloud.now_s), -self.random.choice([0, 1, 1, 1]))
        if self.sealed and day <= self.sealed[-1]:
            return
        plan = self.cloud.plan(day)
        self.cloud.enqueue(plan)
        if self.random.random() < 0.25:
            self.cloud.bodies("TraceQueue")
        self.cloud.traces()
        if self.random.random() < 0.25:
            self.load()
        self.cloud.seal(plan)
        self.sealed.append(day)

    def publish(self):
        for due in self.cloud.unpublished(self.sealed[-1]) if self.sealed else []:
            self.search.publish(due["day"])
            self.published.append(due["day"])

    def go_on(self, steps, *, without=()):
        acts = [self.load] * 4 + [self.wait] * 4 + [self.expire, self.trace, self.seal, self.seal, self.publish]
        for _ in range(steps):
            self.random.choice([act for act in acts if act.__name__ not in without])()

    def a_search(self):
        """Draw a few conditions on a loaded record."""
        step = self.random.choice(list(self.loaded.values()))
        requested = {
            "root": step["root_id"],
            "action": step["action_taken"],
            "location": step["storage_location"][: self.random.choice([8, 15, 40])],
            "start": step["recordedAt"],
        }
        names = self.random.sample(sorted(requested), self.random.randint(1, 3))
        criteria = {name: requested[name] for name in names}
        if "start" in criteria and self.random.random() < 0.5:
            criteria["end"] = step["recordedAt"] + self.random.choice([1, HOUR, 40 * HOUR])
        return criteria

    def expected(self, criteria):
        return {key: step for key, step in self.loaded.items() if _fits(step, criteria)}


def _fits(step, criteria):
    return (
        criteria.get("root") in (None, step["root_id"])
        and criteria.get("action") in (None, step["action_taken"])
        and step["storage_location"].startswith(criteria.get("location", ""))
        and criteria.get("start", 0) <= step["recordedAt"] < criteria.get("end", 2**40)
    )


def _form(record):
    return {name: value for name, value in record.items() if name not in ("ttl_expiry", "archivedOn")}


def _key(record):
    return record["root_id"], record["node_id"]


@pytest.fixture
def search(api, catalog, monkeypatch):
    search_api = Search(api)
    monkeypatch.setattr(wiring, "searcher", search_api.searcher)
    return search_api


@pytest.mark.parametrize("seed", SEEDS[:6])
def test_each_record_that_is_requested_is_found_once(search, seed):
    history = History(search, seed)
    history.load()
    for _ in range(4):
        history.go_on(7)
        for _ in range(3):
            criteria = history.a_search()
            records = search.all(**criteria, limit=history.random.choice([1, 2, 3, 1000]))
            returned = {_key(record): _form(record) for record in records}
            assert (len(records), returned) == (len(returned), history.expected(criteria)), (
                criteria,
                history.published,
            )


@pytest.mark.parametrize("seed", SEEDS[:2])
def test_a_node_is_found_in_the_table_and_in_published_days(search, seed):
    history = History(search, seed)
    history.load()
    history.go_on(25)
    published = {
        tuple(row) for row in search.athena.database.execute("SELECT root_id, node_id FROM records").fetchall()
    }
    rows = {(item["root_id"]["S"], item["node_id"]["S"]) for item in search.cloud.items()}

    keys = {(root, node): search.nodes(node=node) for root, node in history.loaded}

    assert keys == {key: [key] if key in published | rows else [] for key in history.loaded}


def _paged(search, seed, meanwhile):
    """Page a search by single records; return the keys of the records, and the keys expected at the start."""
    history = History(search, seed)
    history.load()
    history.go_on(14)
    criteria = history.a_search()
    expected, records = set(history.expected(criteria)), []
    for page in search.pages(**criteria, limit=1):
        records += page
        meanwhile(history)
    return list(map(_key, records)), expected


@pytest.mark.parametrize("seed", SEEDS[:4])
def test_what_happens_while_somebody_pages_hides_nothing_and_shows_nothing_twice(search, seed):
    # No "expire": a record removed by TTL between two pages may be shown twice, as a row and from the archive.
    returned, expected = _paged(search, seed, lambda history: history.go_on(1, without=("expire",)))
    assert set(returned) >= expected
    assert len(returned) == len(set(returned))


@pytest.mark.parametrize("seed", SEEDS[:2])
def test_what_expires_while_somebody_pages_is_not_hidden(search, seed):
    def expire(history):
        history.wait()
        history.expire()

    returned, expected = _paged(search, seed, expire)
    assert set(returned) >= expected
