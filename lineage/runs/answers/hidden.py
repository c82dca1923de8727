"""What is hidden: a thing is, iff its deletion, or that of its namespace, is later than the last event about it."""

from __future__ import annotations

from collections.abc import Iterable

from lineage.runs.answers.groups import Group
from lineage.runs.facts.growing import NamespaceFacts, deleted_at, until
from lineage.runs.facts.keys import FACTS, namespace_pk
from lineage.runs.facts.table import GraphTable


class Namespaces:
    """When the namespaces asked about so far were deleted."""

    def __init__(self, table: GraphTable, at: str | None = None) -> None:
        self._table, self._at = table, at
        self._deleted: dict[str, str] = {}

    def load(self, namespaces: Iterable[str]) -> None:
        """Read those that were not read yet."""
        new = sorted(set(namespaces) - self._deleted.keys())
        if not new:
            return
        rows = self._table.get((namespace_pk(namespace), FACTS) for namespace in new)
        self._deleted.update(dict.fromkeys(new, ""))
        for row in rows.values():
            facts = NamespaceFacts(**row.data["facts"])
            self._deleted[row.data["id"]] = deleted_at(until(facts, self._at) if self._at else facts)

    def deleted(self, namespace: str) -> str:
        """When the namespace was last deleted; the empty text if never."""
        return self._deleted[namespace]

    def hides(self, group: Group) -> bool:
        """Whether this dataset is hidden."""
        return max(deleted_at(group.facts), self.deleted(group.primary.namespace)) > (group.facts.last or "")
