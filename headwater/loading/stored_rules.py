"""The rules of names that `headwater names` set: one row of the graph table, read once a minute.

NAMING        RULES       rules, set
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from headwater.events.name_rules import NameRule, read_rules, rules_to_json
from headwater.events.naming import NamingRules
from headwater.facts.table import GraphTable, Key, Row
from headwater.settings import NAMING

_KEY: Key = (NAMING, "RULES")
# How long a function goes on with the rules that it read: others hold from then on.
KNOWN_S = 60


@dataclass(frozen=True, slots=True)
class SetRules:
    """The rules of names, in their order, and the normalized time at which they were set (None: never)."""

    rules: tuple[NameRule, ...] = ()
    time: str | None = None


@dataclass
class StoredRules:
    """The row of the rules, beside the `base` of the deployment; `at` reads it again after `KNOWN_S` seconds."""

    table: GraphTable
    base: NamingRules
    _known: NamingRules | None = None
    _read_at: int = 0

    def read(self) -> SetRules:
        """Return the rules that are set; one request."""
        row = self.table.get([_KEY]).get(_KEY)
        return SetRules() if row is None else SetRules(read_rules({"rules": row.data["rules"]}), row.data["set"])

    def at(self, now_s: int) -> NamingRules:
        """Return the deployment's rules with those that were set, as read at most `KNOWN_S` seconds before."""
        if self._known is None or not 0 <= now_s - self._read_at < KNOWN_S:
            self._known, self._read_at = replace(self.base, names=self.read().rules), now_s
        return self._known

    def write(self, chosen: SetRules) -> None:
        """Set rules in place of those that are set."""
        self.table.put([Row(*_KEY, {**rules_to_json(chosen.rules), "set": chosen.time})])
