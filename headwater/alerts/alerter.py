"""Alerts of causes: found in the facts, claimed, sent to the event bus, and marked as sent, each once.

    alerter.look([JobId("flights", "load")], now_s=…)    # what the loader touched
    alerter.look_at_due(now_s=…)                         # datasets that may be late; all that waited for quiet hours

A look reads facts and writes the ledger alone, so any number of looks at a node, in any order, send what one would.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Protocol

from headwater.alerts.cause import Cause, Node
from headwater.alerts.diagnosis import diagnose
from headwater.alerts.ledger import REMEMBERED_S, AlertLedger
from headwater.alerts.message import render_alert
from headwater.alerts.rules import AlertRules
from headwater.facts.table import GraphReader
from headwater.queries.view import GraphView
from headwater.times import from_seconds
from headwater_model.errors import Unavailable

# An older cause is not sent: a deployment that turns alerts on, or imports its history, hears of the last day.
AGE_MAX_S = 86_400
# Nodes that are looked at because of another.
ONWARD_MAX = 1_000


class Publisher(Protocol):
    """The event bus."""

    def publish(self, kind: str, detail: dict[str, Any]) -> None:
        """Send an event of this detail type. `Unavailable` if the bus did not take it."""


@dataclass(slots=True)
class Alerted:
    """Numbers of a look: alerts that were sent, causes in them, and causes that were muted."""

    alerts: int = 0
    causes: int = 0
    muted: int = 0
    failed: dict[Node, Exception] = field(default_factory=dict)

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

    def look(
        self,
        nodes: Iterable[Node],
        *,
        now_s: int,
        may_go_on: Callable[[], bool] = lambda: True,
        waited: bool = False,
    ) -> Alerted:
        """Send the alerts of these nodes that were not sent before; `failed` has the nodes to look at again.

        A fault of one node fails that node alone. Once `may_go_on` is false, the rest fails. The alerts of nodes that
        `waited` for the end of quiet hours are sent, whatever the hour.
        """
        alerted = Alerted()
        pending: dict[Node, Node] = {node: node for node in nodes}
        limit = len(pending) + ONWARD_MAX
        seen: set[Node] = set()
        while pending and len(seen) < limit:
            node = next(iter(pending))
            because = pending.pop(node)
            seen.add(node)
            try:
                if not may_go_on():
                    raise Unavailable("the function has no time left for it")
                onward = self._look_at(node, now_s, alerted, waited=waited)
            except Exception as error:  # noqa: BLE001 - a fault of one node must not keep the alerts of others
                alerted.failed[because] = error
                continue
            pending |= {other: because for other in onward if other not in seen and other not in pending}
        return alerted

    def look_at_due(self, *, now_s: int, may_go_on: Callable[[], bool] = lambda: True) -> Alerted:
        """Look at the nodes whose time has come; a node that fails stays due, and ends the look."""
        alerted = Alerted()
        while not alerted.failed and (due := self.ledger.list_due(from_seconds(now_s))):
            for waited in (False, True):
                nodes = [row.node for row in due if row.waited == waited]
                alerted += self.look(nodes, now_s=now_s, may_go_on=may_go_on, waited=waited)
            self.ledger.forget_due([row for row in due if row.node not in alerted.failed])
        return alerted

    def _look_at(self, node: Node, now_s: int, alerted: Alerted, *, waited: bool) -> Sequence[Node]:
        """Send the alerts of a node; return the nodes to look at because of it."""
        view, now = GraphView(self.reader), from_seconds(now_s)
        diagnosis = diagnose(node, view, self.rules, now)
        if diagnosis.due is not None and diagnosis.due > now:
            self.ledger.look_again(
                diagnosis.node, diagnosis.due, instead_of=diagnosis.superseded, expires_s=now_s + REMEMBERED_S
            )
        # Old causes are none of this look, unless they grew old while they waited; of the others, some are muted.
        oldest = from_seconds(now_s - AGE_MAX_S * (2 if waited else 1))
        young = [cause for cause in diagnosis.causes if cause.time >= oldest]
        causes = [cause for cause in young if not self.rules.mute(cause, diagnosis.tags)]
        alerted.muted += len(young) - len(causes)
        quiet_until = self.rules.quiet.end_after(now) if self.rules.quiet and not waited else None
        if causes and quiet_until:
            self.ledger.look_again(diagnosis.node, quiet_until, waits=True, expires_s=now_s + REMEMBERED_S)
        elif causes:
            self._send(causes, view, now_s, alerted)
        return diagnosis.onward

    def _send(self, causes: Sequence[Cause], view: GraphView, now_s: int, alerted: Alerted) -> None:
        """Claim the causes, and send those of each kind together."""
        claims = {cause.id: self.ledger.claim(cause.id, now_s=now_s) for cause in causes}
        claimed = [cause for cause in causes if claims[cause.id] == "claimed"]
        for kind, same in groupby(sorted(claimed, key=lambda cause: (cause.kind, cause.id)), lambda cause: cause.kind):
            group = list(same)
            self.publisher.publish(kind, render_alert(group, view, self.rules.explorer))
            for cause in group:
                self.ledger.mark_sent(cause.id, now_s=now_s)
            alerted.alerts += 1
            alerted.causes += len(group)
        if "busy" in claims.values():
            raise Unavailable("another function has claimed some of the causes, and may not have sent them yet")
