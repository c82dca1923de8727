"""Alerts of causes: found in the facts, claimed, sent to the event bus, and marked as sent, each once.

    alerter.look([JobId("flights", "load")], now_s=…)    # nodes of a load
    alerter.look_at_due(now_s=…)                         # datasets that may be late; alerts kept by quiet hours

A look reads facts and writes the ledger alone, so any number of looks at a node, in any order, send the same as a
single look. A namespace has at most `ALERTS_MAX` alerts of single nodes in an hour. Beyond them, all further causes of
the hour are held: a message counts them when the flood begins, and another when the hour has ended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Protocol

from headwater.aws.items import chunks
from headwater.facts.table import GraphReader
from headwater.features.alerts.cause import MANY, Cause, Node
from headwater.features.alerts.diagnosis import Diagnosis, diagnose
from headwater.features.alerts.ledger import REMEMBERED_S, AlertLedger, Hour
from headwater.features.alerts.message import render_alert, render_many
from headwater.features.alerts.rules import AlertRules
from headwater.queries.view import GraphView
from headwater.times import from_seconds
from headwater_model.errors import Unavailable

# An older cause is not sent: after an import, or with alerts just turned on, the causes of the last day are sent.
AGE_MAX_S = 86_400
# Nodes that are looked at because of another.
ONWARD_MAX = 1_000
# Alerts of a namespace in an hour; a message counts the rest.
ALERTS_MAX = 20
# Nodes read before their causes are sent: a look without time left has sent some.
_READ_MAX = 100
# Causes claimed, and held, before the time is checked again.
_PART = 500
# Seconds after the end of an hour, when each look begun in the hour has ended.
_AFTER_S = 600


class Publisher(Protocol):
    """The event bus."""

    def publish(self, kind: str, detail: dict[str, Any]) -> None:
        """Send an event of this detail type; raise `Unavailable` if the bus refused it."""


@dataclass(slots=True)
class Alerted:
    """Numbers of a look: alerts sent, causes in them, and causes muted; `failed` are the nodes to look at again."""

    alerts: int = 0
    causes: int = 0
    muted: int = 0
    failed: dict[Node | Hour, Exception] = field(default_factory=dict)

    def __add__(self, other: Alerted) -> Alerted:
        counts = self.alerts + other.alerts, self.causes + other.causes, self.muted + other.muted
        return Alerted(*counts, self.failed | other.failed)


@dataclass(frozen=True, slots=True)
class Alerter:
    """The alerter: the graph that it reads, the ledger, the bus and the rules of the deployment."""

    reader: GraphReader
    ledger: AlertLedger
    publisher: Publisher
    rules: AlertRules
    # Alerts of a namespace in an hour.
    alerts_max: int = ALERTS_MAX

    def look(
        self,
        nodes: Iterable[Node],
        *,
        now_s: int,
        may_go_on: Callable[[], bool] = lambda: True,
        waited: bool = False,
    ) -> Alerted:
        """Send the alerts of these nodes, unless they were sent before; `failed` has the nodes to look at again.

        A fault of a node, or of a kind of causes, fails alone. Once `may_go_on` is false, the rest fails. If the nodes
        `waited` for the end of quiet hours, their alerts are sent, whatever the hour.
        """
        look = _Look(self, now_s, may_go_on, waited)
        look.look_at(nodes)
        return look.alerted

    def look_at_due(self, *, now_s: int, may_go_on: Callable[[], bool] = lambda: True) -> Alerted:
        """Look at the nodes and hours whose time has come; failed nodes stay due, and end the look."""
        alerted = Alerted()
        while not alerted.failed and (due := self.ledger.list_due(from_seconds(now_s))):
            for waited in (False, True):
                nodes = [row.node for row in due if row.waited == waited]
                look = _Look(self, now_s, may_go_on, waited)
                look.look_at(node for node in nodes if not isinstance(node, Hour))
                look.report_hours(node for node in nodes if isinstance(node, Hour))
                alerted += look.alerted
            self.ledger.forget_due([row for row in due if row.node not in alerted.failed])
        return alerted


@dataclass(slots=True)
class _Look:
    """A look at nodes: some are read, then their causes are sent, until all are read; the floods are reported last."""

    alerter: Alerter
    now_s: int
    may_go_on: Callable[[], bool]
    waited: bool
    alerted: Alerted = field(default_factory=Alerted)
    # The causes to send, by id; and by the same id the node to look at again after a failure.
    _causes: dict[str, Cause] = field(default_factory=dict)
    _because: dict[str, Node] = field(default_factory=dict)
    # The hours with held causes.
    _floods: dict[Hour, None] = field(default_factory=dict)

    def look_at(self, nodes: Iterable[Node]) -> None:
        """Send the causes of these nodes, and of the nodes to look at because of them."""
        pending: dict[Node, Node] = {node: node for node in nodes}
        limit = len(pending) + ONWARD_MAX
        seen: set[Node] = set()
        while pending and len(seen) < limit:
            node = next(iter(pending))
            because = pending.pop(node)
            seen.add(node)
            try:
                self._check_time()
                onward = self._read(node, because).onward
            except Exception as error:  # noqa: BLE001 - a fault of a node must keep no alert back
                self.alerted.failed[because] = error
                onward = ()
            pending |= {other: because for other in onward if other not in seen and other not in pending}
            if len(seen) % _READ_MAX == 0:
                self._send()
        self._send()
        self._report_floods()

    def _read(self, node: Node, because: Node) -> Diagnosis:
        """Note the causes of a node to send, or the time of its next look."""
        rules, ledger, now = self.alerter.rules, self.alerter.ledger, from_seconds(self.now_s)
        diagnosis = diagnose(node, GraphView(self.alerter.reader), rules, now)
        if diagnosis.faults:
            self.alerted.failed[because] = diagnosis.faults[0]
        if diagnosis.due is not None and diagnosis.due > now:
            ledger.look_again(
                diagnosis.node, diagnosis.due, instead_of=diagnosis.superseded, expires_s=self._remembered_s
            )
        # Old causes are left out, unless they grew old while they waited; some of the rest are muted.
        oldest = from_seconds(self.now_s - AGE_MAX_S * (2 if self.waited else 1))
        young = [cause for cause in diagnosis.causes if cause.time >= oldest]
        causes = {cause.id: cause for cause in young if not rules.mute(cause, diagnosis.tags)}
        self.alerted.muted += len(young) - len(causes)
        quiet_until = self._quiet_until
        if causes and quiet_until:
            ledger.look_again(diagnosis.node, quiet_until, waits=True, expires_s=self._remembered_s)
        else:
            self._causes |= causes
            self._because |= dict.fromkeys(causes, because)
        return diagnosis

    def _send(self) -> None:
        """Send the causes read so far, or hold the causes of a namespace with too many."""
        by_namespace: dict[str, list[Cause]] = {}
        for cause in self._causes.values():
            by_namespace.setdefault(cause.node.namespace, []).append(cause)
        self._causes = {}
        for namespace, causes in by_namespace.items():
            new = self._claim(causes)
            with self._fails(new):
                self._send_new(Hour.at(namespace, self.now_s), new)

    def _claim(self, causes: Sequence[Cause]) -> list[Cause]:
        """Claim the causes; list the causes for this look to send."""
        new: list[Cause] = []
        for part in chunks(causes, _PART):
            with self._fails(part):
                self._check_time()
                claims = self.alerter.ledger.claim([cause.id for cause in part], now_s=self.now_s)
                new += [cause for cause in part if claims[cause.id] == "claimed"]
                for cause in part:
                    if claims[cause.id] == "busy":
                        self.alerted.failed[self._because[cause.id]] = Unavailable("another function has claimed it")
        return new

    def _send_new(self, hour: Hour, causes: Sequence[Cause]) -> None:
        """Send the causes of each node and kind together, or hold all of them."""
        alerts = [
            list(same)
            for _, same in groupby(sorted(causes, key=lambda cause: (*_alert_of(cause), cause.id)), _alert_of)
        ]
        if not alerts:
            return
        if self.alerter.ledger.count_sent(hour, self.alerter.alerts_max) + len(alerts) > self.alerter.alerts_max:
            self._hold(hour, causes)
            return
        for alert in alerts:
            with self._fails(alert):
                self._check_time()
                self._send_alert(hour, alert)

    def _send_alert(self, hour: Hour, causes: Sequence[Cause]) -> None:
        message = render_alert(causes, GraphView(self.alerter.reader), self.alerter.rules.explorer)
        self.alerter.publisher.publish(causes[0].kind, message)
        self.alerter.ledger.mark_sent([cause.id for cause in causes], now_s=self.now_s)
        self.alerter.ledger.note_sent(hour, message["id"], expires_s=self._remembered_s)
        self.alerted.alerts += 1
        self.alerted.causes += len(causes)

    def _hold(self, hour: Hour, causes: Sequence[Cause]) -> None:
        """Note the causes for the messages of the hour."""
        ledger, expires_s = self.alerter.ledger, self._remembered_s
        self._floods[hour] = None
        ledger.look_again(hour, hour.end(_AFTER_S), expires_s=expires_s)
        for part in chunks(causes, _PART):
            with self._fails(part):
                self._check_time()
                ledger.hold(hour, part, expires_s=expires_s)
                ledger.mark_sent([cause.id for cause in part], now_s=self.now_s)
                self.alerted.causes += len(part)

    def _report_floods(self) -> None:
        """Send the first message of each hour with held causes; after a failure, the schedule sends it."""
        ledger = self.alerter.ledger
        for hour in self._floods:
            try:
                self._check_time()
                if ledger.claim([hour.pk], now_s=self.now_s)[hour.pk] == "claimed":
                    self._report(hour)
                    ledger.mark_sent([hour.pk], now_s=self.now_s)
            except Exception as error:  # noqa: BLE001 - a fault of an hour must not keep the message of another
                self.alerted.failed[hour] = error
                ledger.look_again(hour, from_seconds(self.now_s), expires_s=self._remembered_s)

    def report_hours(self, hours: Iterable[Hour]) -> None:
        """Send the messages of hours that have ended, or when quiet hours end."""
        for hour in hours:
            try:
                self._check_time()
                if quiet_until := self._quiet_until:
                    self.alerter.ledger.look_again(hour, quiet_until, waits=True, expires_s=self._remembered_s)
                else:
                    self._report(hour)
            except Exception as error:  # noqa: BLE001 - a fault of an hour must not keep the message of another
                self.alerted.failed[hour] = error

    def _report(self, hour: Hour) -> None:
        """Send the number of causes held in an hour, unless the last message had it."""
        ledger = self.alerter.ledger
        held = [(row.data["kind"], row.data["node"]) for row in ledger.list_held(hour)]
        if len(held) > ledger.read_counted(hour):
            message = render_many(hour.namespace, hour.start, held, self.alerter.rules.explorer)
            self.alerter.publisher.publish(MANY, message)
            ledger.note_counted(hour, len(held), expires_s=self._remembered_s)
            self.alerted.alerts += 1

    def _check_time(self) -> None:
        if not self.may_go_on():
            raise Unavailable("the function has no time left for it")

    @contextmanager
    def _fails(self, causes: Iterable[Cause]) -> Iterator[None]:
        """Have the nodes of the causes looked at again if the block fails, and go on."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - a fault of an alert must not keep another back
            self.alerted.failed |= {self._because[cause.id]: error for cause in causes}

    @property
    def _quiet_until(self) -> str | None:
        quiet = self.alerter.rules.quiet
        return quiet.end_after(from_seconds(self.now_s)) if quiet and not self.waited else None

    @property
    def _remembered_s(self) -> int:
        return self.now_s + REMEMBERED_S


def _alert_of(cause: Cause) -> tuple[str, str, str]:
    """Name the alert of a cause, within a namespace."""
    return cause.kind, type(cause.node).__name__, cause.node.name
