"""An erasure from end to end: tombstones first, then each store; a repetition finds the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater.events.naming import NamingRules
from headwater.features.erase.graph import Comparison, Remake
from headwater.features.erase.letters import erase_letters
from headwater.features.erase.log import Hit, LogErasure
from headwater.features.erase.roots import RootErasure
from headwater.features.erase.tables import TableErasure
from headwater.features.erase.targets import Target, Tombstones, only
from headwater.loading.event_log import EventLog
from headwater.times import shift

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient


@dataclass(frozen=True, slots=True)
class Stores:
    """The stores of an erasure.

    `dead_letters` are URLs by name. `paused()` stops the loading of events during a block. `remake_graph_tables()`
    makes all days of the graph's tables again.
    """

    log: EventLog
    rules: NamingRules
    tombstones: Tombstones
    roots: RootErasure
    tables: TableErasure
    dead_letters: Mapping[str, str]
    sqs: SQSClient
    paused: Callable[[], AbstractContextManager[None]]
    remake_graph_tables: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Erasure:
    """An erasure of targets at `now_s` (seconds since 1970); `note(text)` reports each step."""

    stores: Stores
    targets: Sequence[Target]
    note: Callable[[str], object]
    now_s: int

    @property
    def _roots(self) -> Sequence[str]:
        return [target.name for target in self.targets if target.kind == "root"]

    def count(self) -> Counter[str]:
        """Count the data of the targets by store."""
        counts: Counter[str] = Counter()
        for root_id in self._roots:
            counts.update(self.stores.roots.count(root_id))
        counts["log objects"] += sum(1 for _ in self._hits(counts, self.stores.log.days()))
        self._letters(counts, confirmed=False)
        return counts

    def erase(self) -> Counter[str]:
        """Remove the data of the targets; count it by store."""
        counts: Counter[str] = Counter()
        was_open = self.stores.tombstones.begin(self.targets)
        self.note("tombstones are set: new content of the targets is left out")
        counts["versions of tables"] += self.stores.tables.erase(self._erase_roots(counts, was_open=was_open))
        self._erase_log(counts, self.stores.log.days())
        changed = bool(counts["log objects"])
        if changed or was_open:
            self._remake_graph(counts, anew=changed)
            self.stores.remake_graph_tables()
        self._letters(counts, confirmed=True)
        self.stores.tombstones.end()
        return counts

    def _erase_roots(self, counts: Counter[str], *, was_open: bool) -> Sequence[str]:
        """Remove the roots; list the days of their objects, also days of an interrupted erasure."""
        days: set[str] = set()
        for root_id in self._roots:
            counts.update(self.stores.roots.count(root_id))
            days.update(self.stores.roots.erase(root_id))
            if was_open:
                days.update(self.stores.roots.removed_days(root_id))
        return sorted(days)

    def _erase_log(self, counts: Counter[str], days: Sequence[str]) -> None:
        erased = self._log().erase(self._hits(counts, days), self.stores.roots.today)
        counts["log objects"] += sum(1 for _ in erased)

    def _remake_graph(self, counts: Counter[str], *, anew: bool) -> None:
        """Replay the log beside the graph table, then compare the tables while no event is loaded."""
        log = self.stores.log
        # A loader that began before midnight stores its object under yesterday.
        yesterday = shift(self.stores.roots.today, -1)
        remake = Remake(log, self.stores.rules, self.stores.tombstones.read().mark, self.note)
        remake.begin(anew=anew)
        counts["events replayed"] += remake.replay([day for day in log.days() if day < yesterday])
        with self.stores.paused():
            # Loaders with older tombstones have ended: their objects are in the log.
            late = [day for day in log.days() if day >= yesterday]
            self._erase_log(counts, late)
            counts["events replayed"] += remake.replay(late, again=True)
            synced = Comparison(log.table, remake.second, self.targets, self.now_s).sync()
        counts.update({"graph rows replaced": synced.written, "graph rows deleted": synced.deleted})
        remake.drop()

    def _hits(self, counts: Counter[str], days: Sequence[str]) -> Iterator[Hit]:
        log = self._log()
        for day in days:
            for key in self.stores.log.keys_of(day):
                if hit := log.find(key, counts):
                    yield hit

    def _log(self) -> LogErasure:
        stores = self.stores
        return LogErasure(stores.log, only(self.targets), self.targets, stores.rules, stores.roots.bypass)

    def _letters(self, counts: Counter[str], *, confirmed: bool) -> None:
        for name, url in self.stores.dead_letters.items():
            counts[name] += erase_letters(self.stores.sqs, url, self.targets, confirmed=confirmed)
