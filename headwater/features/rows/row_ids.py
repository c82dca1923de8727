"""Ids given to rows by the commit of a version, in the facet `headwater_rows`, and the index rows to find the version.

    DATASET#<dataset>    ROW_IDS#<table>#<first id>#<run>         a run whose commit gave ids to rows
                         ROW_CHANGES#<table>#<sequence>#<run>     a run's commit, by its sequence number

`<table>` is the hash of the table's UUID: a table that is created again counts anew. Rows are written before the facts
and never move; a reader checks them against the facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from headwater.events.event import Facet
from headwater.facts.facts import Histories, RunFacts, dataset_of, facet_of, merged_facets
from headwater.facts.growth import Senders
from headwater.facts.keys import dataset_pk
from headwater.facts.run_facts import text_in
from headwater.facts.table import Row
from headwater_model.ids import DatasetId, RunKey, sha256_hex

# Ids and sequence numbers are signed numbers of 64 bits.
NUMBER_MAX = 2**63 - 1
_DIGITS = 19
_FACET = "headwater_rows"


@dataclass(frozen=True, slots=True)
class RowIds:
    """A commit by its `sequence`, with the ids from `first` up to `next`; None where they are unknown.

    `upgrades`: older rows may have got their ids by this commit, too.
    """

    table: str
    sequence: int
    first: int | None = None
    next: int | None = None
    upgrades: bool = False

    def has(self, row_id: int) -> bool:
        """True if the commit gave this id."""
        return self.first is not None and self.next is not None and self.first <= row_id < self.next


def ids_by(facts: RunFacts, names: Iterable[DatasetId]) -> RowIds | None:
    """Read the ids given by a run to rows of a dataset, under any of its names."""
    return _parse(merged_facets(facts.output_facets, names).get(_FACET, {}))


def ids_prefix(table: str) -> str:
    """Name the prefix of a table's commits by their first id: `ROW_IDS#<table>`."""
    return f"ROW_IDS#{sha256_hex(table)[:32]}"


def changes_prefix(table: str, sequence: int) -> str:
    """Name the prefix of a table's commits with a sequence number: `ROW_CHANGES#<table>#<sequence>`."""
    return f"ROW_CHANGES#{sha256_hex(table)[:32]}#{digits(sequence)}"


def digits(number: int) -> str:
    """Print a number in the order of sort keys."""
    return f"{number:0{_DIGITS}}"


def added_rows(run: RunKey, old: RunFacts, new: RunFacts, _senders: Senders) -> Iterator[Row]:
    """Yield the rows of a run's commits for the new facts, without the rows of the old facts."""
    for text, histories in new.output_facets.items():
        ids = _ids_in(histories)
        if ids is not None and ids != _ids_in(old.output_facets.get(text, {})):
            pk = dataset_pk(dataset_of(text))
            yield Row(pk, f"{changes_prefix(ids.table, ids.sequence)}#{run}")
            if ids.first is not None and ids.has(ids.first):
                yield Row(pk, f"{ids_prefix(ids.table)}#{digits(ids.first)}#{run}")


def _ids_in(histories: Histories) -> RowIds | None:
    return _parse(facet_of(histories, _FACET))


def _parse(facet: Facet) -> RowIds | None:
    """Parse the facet; None if it breaks the rules of docs/facets/headwater_rows.json."""
    table, sequence = text_in(facet, "table"), _number(facet, "sequence")
    if table is None or sequence is None:
        return None
    return RowIds(table, sequence, _number(facet, "firstRow"), _number(facet, "nextRow"), bool(facet.get("upgrades")))


def _number(facet: Mapping[str, object], name: str) -> int | None:
    value = facet.get(name)
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and isinstance(value, int) and 0 <= value <= NUMBER_MAX else None


# As `headwater.facts.growth` writes them, with the facts of a run.
ROWS = {RunFacts: added_rows}
