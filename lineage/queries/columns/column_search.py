"""Columns whose names contain a text, in any case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from lineage.aws.items import chunks
from lineage.graph.catalogue import COLUMNS, Catalogue, read_catalogue
from lineage.graph.entities import SearchSort
from lineage.graph.facts import dataset_of
from lineage.graph.result_page import ResultPage
from lineage.graph.table import GraphTable
from lineage.graph.visibility import EVERYTHING, Visibility
from lineage.queries.columns.current_columns import CurrentColumns
from lineage.queries.columns.results import ColumnHit
from lineage.queries.name_lists import NameCatalogue
from lineage.queries.relevance import rank_of
from lineage_model.field_paths import parse_dotted
from lineage_model.ids import DatasetId

# A column's path as text, and its dataset.
_Match: TypeAlias = tuple[str, DatasetId]
# Matches that are read: as many as fill the page if sorted by name, else up to this number.
MATCHES_MAX = 1_000


def search_columns(
    text: str,
    table: GraphTable,
    *,
    sort: SearchSort,
    limit: int,
    namespace: str | None = None,
    before: str | None = None,
    after: str | None = None,
    visibility: Visibility = EVERYTHING,
) -> ResultPage[ColumnHit]:
    """Return the matches, of datasets updated from `after` on and before `before`.

    They are by name, or the best or the last updated first.

    The catalogue has every column that a dataset ever had. Columns that are gone are recognized when they are read:
    no page shows them, but the total counts those that were not read.
    """
    columns = read_catalogue(COLUMNS, table)
    matches, truncated = _matches(columns, NameCatalogue(table), text.lower(), namespace)
    matches = [match for match in matches if visibility.sees(match[1])]
    if sort == "relevance":
        matches.sort(key=lambda match: rank_of(match[0], text))
    if sort != "updated_at" and before is None and after is None:
        hits, gone = _first(matches, limit, table)
        return ResultPage(hits, len(matches) - gone, truncated)
    hits, _ = _first(matches, MATCHES_MAX, table)
    hits = [hit for hit in hits if (after is None or hit.updated >= after) and (before is None or hit.updated < before)]
    if sort == "updated_at":
        hits.sort(key=lambda hit: hit.updated, reverse=True)
    return ResultPage(hits[:limit], len(hits), truncated or len(matches) > MATCHES_MAX)


def _matches(
    columns: Catalogue, names: NameCatalogue, text: str, namespace: str | None
) -> tuple[Sequence[_Match], bool]:
    """Return the columns of listed datasets by name, under primary names; and true if some were not read."""
    found = [
        (path, dataset_of(name)) for name, paths in columns.sets_like(text) for path in paths if text in path.lower()
    ]
    primaries, truncated = names.primaries(sorted({dataset for _, dataset in found}))
    matches = {(path, primaries[dataset]) for path, dataset in found if dataset in primaries}
    wanted = sorted(match for match in matches if namespace in (None, match[1].namespace))
    return wanted, truncated or columns.truncated


def _first(matches: Sequence[_Match], limit: int, table: GraphTable) -> tuple[list[ColumnHit], int]:
    """Return the first `limit` columns that exist now, and the number of gone columns that were skipped."""
    present, hits, gone = CurrentColumns(table), list[ColumnHit](), 0
    for some in chunks(matches[:MATCHES_MAX], max(limit, 1)):
        present.load({dataset for _, dataset in some})
        found = [hit for match in some if (hit := _hit(match, present))]
        hits, gone = hits + found, gone + len(some) - len(found)
        if len(hits) >= limit:
            break
    return hits[:limit], gone


def _hit(match: _Match, present: CurrentColumns) -> ColumnHit | None:
    path, entry = parse_dotted(match[0]), present.entry(match[1])
    if entry is None or (entry.schema.known and path not in entry.schema.types and path not in entry.columns.fields):
        return None
    return ColumnHit(entry.group.primary, path, entry.group.facts.last or "", entry.type_of(path))
