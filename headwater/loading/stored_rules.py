"""The rules of names set by `headwater names`: a row of the graph table, read once a minute.

NAMING        RULES       rules
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from headwater.events.name_rules import NameRule, read_checked_rules, rules_to_json
from headwater.events.naming import NamingRules
from headwater.facts.table import GraphReader, GraphTable, Key, Row
from headwater.settings import NAMING

_KEY: Key = (NAMING, "RULES")
# Seconds for which a function uses rules before it reads them again.
KNOWN_S = 60


def read_stored_rules(reader: GraphReader) -> tuple[NameRule, ...]:
    """Read the rules set by `headwater names`; a request. They were checked when they were set."""
    row = reader.get([_KEY]).get(_KEY)
    return () if row is None else read_checked_rules(row.data)


@dataclass
class StoredRules:
    """The row of the rules, beside the `base` of the deployment; `at` reads it again after `KNOWN_S` seconds."""

    table: GraphTable
    base: NamingRules
    _known: NamingRules | None = None
    _read_at: int = 0

    def read(self) -> tuple[NameRule, ...]:
        """Read the rules; a request."""
        return read_stored_rules(self.table)

    def at(self, now_s: int) -> NamingRules:
        """Add the stored rules to the deployment's rules, as read at most `KNOWN_S` seconds before."""
        if self._known is None or not 0 <= now_s - self._read_at < KNOWN_S:
            self._known, self._read_at = replace(self.base, names=self.read()), now_s
        return self._known

    def write(self, rules: tuple[NameRule, ...]) -> None:
        """Replace the stored rules."""
        self.table.put([Row(*_KEY, rules_to_json(rules))])
