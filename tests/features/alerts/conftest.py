"""An alerter over a table in memory, with a bus that keeps its events."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone

import pytest

from headwater.events.event import DatasetUse
from headwater.facts.apply import apply_statements
from headwater.facts.table import RowQuery
from headwater.features.alerts.alerter import ALERTS_MAX, Alerter
from headwater.features.alerts.ledger import AlertLedger
from headwater.features.alerts.looked_at import nodes_of
from headwater.features.alerts.rules import AlertRules
from headwater.features.alerts.settings import ALERTS, DUE
from tests.fakes.memory_table import MemoryTable
from tests.unit.facts.statements import B, X, an_event

# A minute after the first of the statements' times.
NOW_S = 1_763_640_060


@dataclass
class Bus:
    """The sent events; sends with a number or a kind in `failing` fail."""

    sent: list = field(default_factory=list)
    failing: set = field(default_factory=set)
    tries: int = 0

    def publish(self, kind, detail):
        self.tries += 1
        if self.failing & {self.tries, kind}:
            raise ConnectionError(f"send {self.tries} failed")
        self.sent.append((kind, detail))


@dataclass
class Watched:
    """A graph, loaded and watched as in a deployment with alerts."""

    rules: AlertRules = field(default_factory=AlertRules)
    table: MemoryTable = field(default_factory=MemoryTable)
    bus: Bus = field(default_factory=Bus)
    alerts_max: int = ALERTS_MAX

    def __post_init__(self):
        self.ledger = AlertLedger(self.table)
        self.alerter = Alerter(self.table, self.ledger, self.bus, self.rules, self.alerts_max)

    def load(self, *statements, now_s=NOW_S):
        """Load statements and look at their nodes; return the alerts of this look as (kind, name) pairs."""
        apply_statements(statements, self.table)
        return self.look(nodes_of(statements), now_s=now_s)

    def look(self, nodes, now_s=NOW_S):
        before = len(self.bus.sent)
        stored = self.table.dynamo.partitions
        alerted = self.alerter.look(nodes, now_s=now_s)
        assert alerted.failed == {}
        new = {pk for pk in self.table.dynamo.partitions - stored if not pk.startswith((ALERTS, DUE))}
        assert new == set(), "the alerts function may write to these partitions alone"
        return self.new(before)

    def due(self, now_s):
        before = len(self.bus.sent)
        assert self.alerter.look_at_due(now_s=now_s).failed == {}
        return self.new(before)

    def new(self, before=0):
        return [(kind, _subject(detail)) for kind, detail in self.bus.sent[before:]]

    @property
    def causes(self):
        """The ids of all sent causes, with repetitions."""
        return sorted(cause["id"] for _, detail in self.bus.sent for cause in detail.get("causes", ()))

    @property
    def held(self):
        """The causes counted by an hour's message: hour -> their ids."""
        hours = sorted(pk for pk in self.table.dynamo.partitions if pk.startswith(f"{ALERTS}HOUR#"))
        pages = self.table.query([RowQuery(hour, prefix="HELD#") for hour in hours])
        return {hour: [row.sk[5:] for row in page.rows] for hour, page in zip(hours, pages, strict=True) if page.rows}


def _subject(detail):
    """The name of an alert's node; for a message of an hour, its number of causes."""
    return detail["node"].rpartition(":")[2] if "node" in detail else detail["number"]


@pytest.fixture
def watched():
    return Watched


def seconds(time):
    return int(datetime.fromisoformat(time[:26]).replace(tzinfo=timezone.utc).timestamp())


def later(time, **more):
    moment = datetime.fromisoformat(time[:26]) + timedelta(**more)
    return f"{moment.isoformat(timespec='microseconds')}Z"


def checks(second, run, success, *, name=None, severity=None):
    optional = {key: value for key, value in {"name": name, "severity": severity}.items() if value}
    test = {"assertion": "not_null", "column": "a", "success": success, **optional}
    facet = {"dataQualityAssertions": {"assertions": [test]}}
    return an_event(second, run, B, inputs=[DatasetUse(X, {}, facet)])
