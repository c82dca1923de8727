"""Mentions of a dataset in an event, merged: sent twice, or as partitions with equal trimmed names.

Column facets are joined; of further facets of a name the greatest canonical JSON stays. The part of the dataset used by
the run is the union of the `subset` facets; if a mention has none, the part is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from headwater.events.canonical import canonical
from headwater.events.event import DatasetUse, Facets, is_deleted
from headwater.events.subsets import SUBSET, alternatives_in, list_name, name_of_condition
from headwater_model.ids import DatasetId

# Column facets of several mentions are joined: each mention may report further columns.
_COLUMN_FACETS = frozenset({"columnLineage", "lineage"})


def merge_mentions(uses: Iterable[DatasetUse]) -> tuple[DatasetUse, ...]:
    """Merge the mentions of each dataset, in the order of first mention."""
    mentions: dict[DatasetId, list[DatasetUse]] = {}
    for use in uses:
        mentions.setdefault(use.dataset, []).append(use)
    return tuple(group[0] if len(group) == 1 else _merged(group) for group in mentions.values())


def _merged(uses: Sequence[DatasetUse]) -> DatasetUse:
    """Merge several mentions of a dataset."""
    facets = _merged_facets([use.facets for use in uses])
    used = _merged_facets([use.use_facets for use in uses])
    use_facets = {name: facet for name, facet in used.items() if name != SUBSET}
    if subset := merge_subsets([use.use_facets.get(SUBSET) for use in uses]):
        use_facets[SUBSET] = subset
    return DatasetUse(uses[0].dataset, facets, use_facets, any(use.temporary for use in uses))


def _merged_facets(many: Sequence[Facets]) -> Facets:
    return {
        name: _merged_columns(facets) if name in _COLUMN_FACETS else max(facets, key=canonical)
        for name, facets in _by_name(many).items()
    }


def _by_name(forms: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Group the objects' values by field: `{"a": 1}` and `{"a": 2}` give `{"a": [1, 2]}`."""
    values: dict[str, list[Any]] = {}
    for form in forms:
        for name, value in form.items():
            values.setdefault(name, []).append(value)
    return values


def _merged_columns(facets: Sequence[Any]) -> Any:
    """Join column facets; facets marked `_deleted` count only if all are."""
    return join_forms([facet for facet in facets if not is_deleted(facet)] or facets)


def join_forms(forms: Sequence[Any]) -> Any:
    """Join objects by field, else lists as sets, else keep the greatest value; null is no value.

    >>> join_forms([{"a": [1, 2], "b": 1}, {"a": [2, 3], "b": 2}])
    {'a': [1, 2, 3], 'b': 2}
    """
    given = [form for form in forms if form is not None]
    if len(given) < 2:
        return given[0] if given else None
    if objects := [form for form in given if isinstance(form, dict)]:
        return {name: join_forms(values) for name, values in _by_name(objects).items()}
    lists = [form for form in given if isinstance(form, list)]
    if not lists or True in given or False in given:
        return max(given, key=canonical)
    each = {canonical(entry): entry for form in lists for entry in form}
    return [each[text] for text in sorted(each)]


def merge_subsets(facets: Sequence[Any]) -> Any:
    """Join the `subset` facets of several mentions (None: a mention without it); None if a facet has no condition.

    Neither order nor repetition of mentions matters.

    >>> days = [{"inputCondition": {"type": "location", "locations": [day]}} for day in ("s3://b/2", "s3://b/1")]
    >>> merge_subsets(days)
    {'inputCondition': {'type': 'location', 'locations': ['s3://b/1', 's3://b/2']}}
    """
    names = set(map(name_of_condition, facets))
    name = names.pop() if len(names) == 1 else None
    if name is None:
        return None
    rest = max(({key: value for key, value in facet.items() if key != name} for facet in facets), key=canonical)
    return {**rest, name: _either([part for facet in facets for part in alternatives_in(facet[name])])}


def _either(parts: Sequence[Any]) -> Any:
    """Join conditions by OR, in the order of their JSON; conditions that differ in their lists alone become one list.

    Locations `["s3://b/1"]` and `["s3://b/2"]` become `["s3://b/1", "s3://b/2"]`.
    """
    once = {canonical(part): part for part in parts}
    lists: dict[bytes, dict[str, Any]] = {}
    others: list[Any] = []
    for part in (once[text] for text in sorted(once)):
        listed = list_name(part)
        if listed is None:
            others.append(part)
            continue
        lists.setdefault(canonical({**part, listed: []}), {**part, listed: []})[listed].extend(part[listed])
    return _tree([*lists.values(), *others])


def _tree(conditions: Sequence[Any]) -> Any:
    """Join conditions by OR in a tree as deep as the logarithm of their number."""
    if len(conditions) == 1:
        return conditions[0]
    middle = len(conditions) // 2
    left, right = _tree(conditions[:middle]), _tree(conditions[middle:])
    return {"type": "binary", "operator": "OR", "left": left, "right": right}
