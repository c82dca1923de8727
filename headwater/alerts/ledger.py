"""The ledger of alerts in the graph table: which causes were sent, and when to look at a node again.

    ALERT#<cause>   SENT                    a cause that was claimed or sent; expires
    DUE#<shard>     <time>#<kind>#<digest>  a node to look at when this time has come; expires

A cause is claimed, sent, and marked as sent. A function that dies after it claimed a cause leaves the claim, which ends
after minutes: the cause is then sent by whoever finds it next. So a cause is sent once, but for a function that dies
between sending and marking. It is never lost: its message is acknowledged after the mark.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from headwater.alerts.cause import Node
from headwater.facts.table import GraphTable, Key, Row, RowQuery, Swap
from headwater.settings import ALERTS, DUE
from headwater_model.ids import DatasetId, JobId

Claim: TypeAlias = Literal["claimed", "sent", "busy"]
# A claim ends when the function that made it must be dead.
CLAIM_S = 900
# A cause that lasts is sent again after so long; it is forgotten then.
REMEMBERED_S = 30 * 86_400
DUE_SHARDS = 4
# Rows of a shard that one look takes; the next look takes the next.
DUE_MAX = 250


@dataclass(frozen=True, slots=True)
class DueRow:
    """A node that is due, and the key of its row; `waited` if quiet hours kept its alerts."""

    node: Node
    key: Key
    waited: bool = False


@dataclass(frozen=True, slots=True)
class AlertLedger:
    """The rows of alerts in the graph table; times are in seconds since 1970, unless normalized."""

    table: GraphTable

    def claim(self, cause: str, *, now_s: int) -> Claim:
        """Claim a cause to send it; `sent` if it was sent, `busy` if another function has claimed it."""
        key = _key(cause)
        row = self.table.get([key]).get(key)
        # A row that expired may still be there.
        if row is not None and row.data["until"] > now_s:
            return "sent" if row.data["sent"] else "busy"
        return "claimed" if self._write(cause, row, now_s + CLAIM_S, sent=False) else "busy"

    def mark_sent(self, cause: str, *, now_s: int) -> None:
        """Note that a claimed cause was sent."""
        key = _key(cause)
        self._write(cause, self.table.get([key]).get(key), now_s + REMEMBERED_S, sent=True)

    def _write(self, cause: str, row: Row | None, until_s: int, *, sent: bool) -> bool:
        """Swap the row of a cause; False if another function swapped it since it was read."""
        version = row.version if row else 0
        return self.table.swap([Swap(Row(*_key(cause), {"until": until_s, "sent": sent}, version, until_s))])[0]

    def look_again(
        self, node: Node, due: str, *, instead_of: str | None = None, waits: bool = False, expires_s: int
    ) -> None:
        """Have the node looked at when the time `due` (normalized) has come, and not at the time before that.

        What `waits` for the end of quiet hours is sent then, whatever the hour of the look.
        """
        self.table.put([_row_due(node, due, expires_s, waits=waits)])
        if instead_of is not None and instead_of != due:
            self.table.remove([_row_due(node, instead_of).key])

    def list_due(self, now: str) -> Sequence[DueRow]:
        """Return nodes whose time is before `now`, the earliest of each shard first, `DUE_MAX` of a shard at most."""
        queries = [RowQuery(f"{DUE}{shard}", low="0", high=now, limit=DUE_MAX) for shard in range(DUE_SHARDS)]
        return [_due_row(row) for page in self.table.query(queries) for row in page.rows]

    def forget_due(self, rows: Sequence[DueRow]) -> None:
        """Remove the rows of nodes that were looked at."""
        self.table.remove(row.key for row in rows)


def _key(cause: str) -> Key:
    return f"{ALERTS}{cause}", "SENT"


def _row_due(node: Node, due: str, expires_s: int | None = None, *, waits: bool = False) -> Row:
    kind = "job" if isinstance(node, JobId) else "dataset"
    shard = int(node.digest[-4:], 16) % DUE_SHARDS
    data = {"look": [kind, node.namespace, node.name], **({"waits": True} if waits else {})}
    return Row(f"{DUE}{shard}", f"{due}#{kind}#{node.digest[:32]}", data, expires_s=expires_s)


def _due_row(row: Row) -> DueRow:
    kind, namespace, name = row.data["look"]
    node = (JobId if kind == "job" else DatasetId)(namespace, name)
    return DueRow(node, row.key, waited=row.data.get("waits", False))
