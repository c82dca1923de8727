"""The ledger of alerts in the graph table: the causes sent, and the times of the next looks at nodes.

    ALERT#<cause>                 SENT          a claimed or sent cause; expires
    ALERT#HOUR#<hour>#<digest>    SENT#<alert>  an alert of a namespace, sent in this hour; expires
    ALERT#HOUR#<hour>#<digest>    HELD#<cause>  a cause without an alert, counted in the hour's message; expires
    ALERT#HOUR#<hour>#<digest>    COUNTED       the number in the hour's last message; expires
    DUE#<shard>    <time>#<kind>#<digest>       a node or an hour to look at after this time; expires

A cause is claimed, sent or held, and marked as sent. A function that dies after its claim leaves the claim, which ends
after minutes: the next look sends the cause. So a cause is sent once; it is sent twice if a function dies between
sending and marking. It is never lost: its message is acknowledged after the mark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Literal, TypeAlias

from headwater.facts.table import GraphTable, Key, Row, RowQuery, Swap
from headwater.features.alerts.cause import Cause, Node
from headwater.features.alerts.settings import ALERTS, DUE
from headwater.times import from_seconds
from headwater_model.ids import DatasetId, JobId, sha256_hex
from headwater_model.times import normalize

Claim: TypeAlias = Literal["claimed", "sent", "busy"]
# A claim ends when its function must be dead.
CLAIM_S = 900
# A lasting cause is sent again after so long; it is forgotten then.
REMEMBERED_S = 30 * 86_400
DUE_SHARDS = 4
# Rows of a shard for a single look; the next look takes the next rows.
DUE_MAX = 250


@dataclass(frozen=True, slots=True)
class Hour:
    """An hour of a namespace's alerts; `start` is normalized."""

    namespace: str
    start: str

    @classmethod
    def at(cls, namespace: str, now_s: int) -> Hour:
        """Find the hour of a time in seconds."""
        return cls(namespace, from_seconds(now_s - now_s % 3_600))

    def end(self, after_s: int) -> str:
        """Compute the time so many seconds after the hour's end, normalized."""
        start = datetime.fromisoformat(self.start[:26]).replace(tzinfo=timezone.utc)
        return normalize(start + timedelta(seconds=3_600 + after_s))

    @property
    def digest(self) -> str:
        """The hash of the namespace."""
        return sha256_hex(self.namespace)

    @property
    def pk(self) -> str:
        """The partition of the hour's rows."""
        return f"{ALERTS}HOUR#{self.start}#{self.digest[:32]}"


@dataclass(frozen=True, slots=True)
class DueRow:
    """A node or an hour whose time has come, and the key of its row; `waited` if quiet hours kept its alerts."""

    node: Node | Hour
    key: Key
    waited: bool = False


@dataclass(frozen=True, slots=True)
class AlertLedger:
    """The rows of alerts in the graph table; times are in seconds since 1970, unless normalized."""

    table: GraphTable

    def claim(self, causes: Sequence[str], *, now_s: int) -> dict[str, Claim]:
        """Claim causes to send them: `sent` for a cause sent before, `busy` for another function's claim."""
        rows = self.table.get(map(_key, causes))
        return {cause: self._claim(cause, rows.get(_key(cause)), now_s) for cause in causes}

    def _claim(self, cause: str, row: Row | None, now_s: int) -> Claim:
        # An expired row may still be there.
        if row is not None and row.data["until"] > now_s:
            return "sent" if row.data["sent"] else "busy"
        return "claimed" if self._write(cause, row, now_s + CLAIM_S, sent=False) else "busy"

    def mark_sent(self, causes: Sequence[str], *, now_s: int) -> None:
        """Note that claimed causes were sent."""
        rows = self.table.get(map(_key, causes))
        for cause in causes:
            self._write(cause, rows.get(_key(cause)), now_s + REMEMBERED_S, sent=True)

    def _write(self, cause: str, row: Row | None, until_s: int, *, sent: bool) -> bool:
        """Swap the row of a cause; False if another function swapped it since it was read."""
        version = row.version if row else 0
        return self.table.swap([Swap(Row(*_key(cause), {"until": until_s, "sent": sent}, version, until_s))])[0]

    def count_sent(self, hour: Hour, most: int) -> int:
        """Count the alerts sent in the hour, up to `most`; `most` once causes are held."""
        sent, held = self.table.query(
            [RowQuery(hour.pk, prefix="SENT#", limit=most), RowQuery(hour.pk, prefix="HELD#", limit=1)]
        )
        return most if held.rows else len(sent.rows)

    def note_sent(self, hour: Hour, alert: str, *, expires_s: int) -> None:
        """Note an alert of the hour."""
        self.table.put([Row(hour.pk, f"SENT#{alert}", expires_s=expires_s)])

    def hold(self, hour: Hour, causes: Iterable[Cause], *, expires_s: int) -> None:
        """Note causes for the message of the hour."""
        self.table.put(
            Row(hour.pk, f"HELD#{cause.id}", {"kind": cause.kind, "node": cause.node.node_id}, expires_s=expires_s)
            for cause in causes
        )

    def list_held(self, hour: Hour) -> Iterator[Row]:
        """Yield the rows of the causes held in the hour."""
        low = "HELD#"
        while low:
            [page] = self.table.query([RowQuery(hour.pk, low=low, high="HELD$")])
            yield from page.rows
            low = f"{page.rows[-1].sk}!" if page.more else ""

    def read_counted(self, hour: Hour) -> int:
        """Read the number of the hour's last message, 0 before the first."""
        row = self.table.get([(hour.pk, "COUNTED")]).get((hour.pk, "COUNTED"))
        return row.data["number"] if row else 0

    def note_counted(self, hour: Hour, number: int, *, expires_s: int) -> None:
        """Note the number of the hour's last message."""
        self.table.put([Row(hour.pk, "COUNTED", {"number": number}, expires_s=expires_s)])

    def look_again(
        self, node: Node | Hour, due: str, *, instead_of: str | None = None, waits: bool = False, expires_s: int
    ) -> None:
        """Note the next look at a node or an hour: after `due` (normalized), in place of the look noted before.

        With `waits`, the look sends the alerts kept by quiet hours, whatever its hour.
        """
        self.table.put([_row_due(node, due, expires_s, waits=waits)])
        if instead_of is not None and instead_of != due:
            self.table.remove([_row_due(node, instead_of).key])

    def list_due(self, now: str) -> Sequence[DueRow]:
        """List nodes whose time is before `now`, the earliest of each shard first, `DUE_MAX` of a shard at most."""
        queries = [RowQuery(f"{DUE}{shard}", low="0", high=now, limit=DUE_MAX) for shard in range(DUE_SHARDS)]
        return [_due_row(row) for page in self.table.query(queries) for row in page.rows]

    def forget_due(self, rows: Sequence[DueRow]) -> None:
        """Remove the rows of the nodes after a look."""
        self.table.remove(row.key for row in rows)


def _key(cause: str) -> Key:
    return f"{ALERTS}{cause}", "SENT"


def _row_due(node: Node | Hour, due: str, expires_s: int | None = None, *, waits: bool = False) -> Row:
    kind = {JobId: "job", DatasetId: "dataset", Hour: "hour"}[type(node)]
    shard = int(node.digest[-4:], 16) % DUE_SHARDS
    name = node.start if isinstance(node, Hour) else node.name
    data = {"look": [kind, node.namespace, name], **({"waits": True} if waits else {})}
    return Row(f"{DUE}{shard}", f"{due}#{kind}#{node.digest[:32]}", data, expires_s=expires_s)


def _due_row(row: Row) -> DueRow:
    kind, namespace, name = row.data["look"]
    kinds: Mapping[str, type[Node | Hour]] = {"job": JobId, "dataset": DatasetId, "hour": Hour}
    return DueRow(kinds[kind](namespace, name), row.key, waited=row.data.get("waits", False))
