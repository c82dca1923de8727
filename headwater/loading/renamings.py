"""Datasets renamed by the rules of names, joined in the graph table without a replay.

New events are loaded under the names of the rules. Facts loaded before stay under the older names. `join_names` makes
the older names aliases of the dataset, as a producer's `symlinks` facet does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence

import orjson

from headwater.aws.items import chunks
from headwater.events.event import Renaming
from headwater.events.naming import NamingRules
from headwater.facts.apply import apply_statements
from headwater.facts.catalogue import NAMES, read_catalogue
from headwater.facts.facts import DatasetFacts, dataset_of, text_of
from headwater.facts.keys import facts_key
from headwater.facts.lattice import NAMES_MAX
from headwater.facts.table import GraphReader, GraphTable
from headwater_model.ids import DatasetId

# Datasets of a group: larger groups share more reads and writes.
_TOGETHER = 50


def known_datasets(table: GraphReader) -> list[DatasetId]:
    """List the names of all datasets described by events, aliases too: `[DatasetId("s3a://lake", "flights")]`."""
    return list(map(dataset_of, read_catalogue(NAMES, table)["datasets"]))


def renamed_datasets(names: Iterable[DatasetId], rules: NamingRules) -> dict[DatasetId, list[DatasetId]]:
    """Group the names that the rules change by their new name, all in order.

    With a rule from `s3a://*` to `s3://*`: `{s3://lake flights: [s3a://lake flights]}`
    """
    renamed: dict[DatasetId, list[DatasetId]] = {}
    for name in names:
        dataset = rules.dataset(name.namespace, name.name)
        if dataset != name:
            renamed.setdefault(dataset, []).append(name)
    return {dataset: sorted(renamed[dataset]) for dataset in sorted(renamed)}


def join_names(renamed: Mapping[DatasetId, Sequence[DatasetId]], table: GraphTable) -> Iterator[int]:
    """Make the older names aliases of the renamed datasets; yield the number of datasets done in each group.

    A dataset gets at most its first `NAMES_MAX` aliases: with more, only a replay into an empty table joins all.
    A repetition changes nothing.
    """
    for group in chunks(renamed, _TOGETHER):
        others = {dataset: renamed[dataset][:NAMES_MAX] for dataset in group}
        keys = {facts_key(name): name for names in others.values() for name in names}
        facts = {keys[key]: DatasetFacts(**row.data["facts"]) for key, row in table.get(keys).items()}
        apply_statements([_renaming(dataset, names, facts) for dataset, names in others.items()], table)
        yield len(group)


def _renaming(dataset: DatasetId, others: Sequence[DatasetId], facts: Mapping[DatasetId, DatasetFacts]) -> Renaming:
    firsts = [first for other in others if other in facts and (first := facts[other].first)]
    content = orjson.dumps([text_of(dataset), *map(text_of, others)])
    return Renaming(time=min(firsts), hash=hashlib.sha256(content).hexdigest(), dataset=dataset, others=others)
