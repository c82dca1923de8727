"""Causes of tagged columns in forbidden datasets: reached directly, and unmasked on some path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import islice

from headwater.facts.annotations import Annotations, annotations_of, tag_key
from headwater.features.alerts.cause import Cause
from headwater.features.alerts.rules import TagRule
from headwater.queries.columns.column_graph import ColumnWalk
from headwater.queries.results.columns import ColumnInput, ColumnNode
from headwater.queries.view import GraphView, ResolvedDataset
from headwater.walk import Walked, walk
from headwater_model.columns import Column
from headwater_model.field_paths import print_dotted
from headwater_model.ids import DatasetId, FieldPath

# Jobs between a column and its tagged source, and columns of a walk: `column_graph.COLUMNS_MAX` bounds the read.
DEPTH = 20
_COLUMNS_MAX = 5_000
# Causes of a dataset: a wide table made of a tagged table has a cause for each tagged column.
CAUSES_MAX = 100


@dataclass(frozen=True, slots=True)
class Reaching:
    """A tagged column of another dataset whose values reach some paths of a dataset unmasked."""

    rule: TagRule
    column: Column
    paths: AbstractSet[FieldPath]


def find_reaching(group: ResolvedDataset, rules: Sequence[TagRule], view: GraphView) -> list[Reaching]:
    """Find the columns of further datasets, tagged by a rule, whose values reach this dataset."""
    if not rules:
        return []
    reached = _columns_above(group.primary, view)
    view.load_names({column.dataset for column in reached})
    return [
        Reaching(rule, column, reached[column])
        for rule in rules
        for column in sorted(reached)
        if column.dataset != group.primary
        and _has_tag(annotations_of(view.group(column.dataset).facts), column, rule.tag)
    ]


def find_tagged_columns(group: ResolvedDataset, reaching: Sequence[Reaching]) -> Iterator[Cause]:
    """Yield a cause for each column that reaches this dataset against its rule."""
    broken = (reach for reach in reaching if reach.rule.guards(group.primary))
    for reach in islice(broken, CAUSES_MAX):
        yield Cause(
            kind="TaggedColumnReached",
            node=group.primary,
            identity=[tag_key(reach.rule.tag), reach.column.node_id],
            time=group.facts.last or "",
            detail={
                "tag": reach.rule.tag,
                "column": reach.column.node_id,
                "reached": [print_dotted(path) for path in sorted(reach.paths)],
            },
        )


def _columns_above(dataset: DatasetId, view: GraphView) -> Mapping[Column, set[FieldPath]]:
    """Find the columns from which values flow unmasked, each with the dataset's columns made of it."""
    columns = view
    starts = columns.list_columns(dataset, used=False)
    graph = ColumnWalk(columns).graph(starts, depth=DEPTH, downstream=False)
    nodes = {Column(node.dataset, node.field): node for node in graph.columns}
    above: dict[Column, set[FieldPath]] = {}
    for start in starts:
        for column in _walk_up(start, nodes):
            above.setdefault(column, set()).add(start.field)
    return above


def _walk_up(start: Column, nodes: Mapping[Column, ColumnNode]) -> Iterator[Column]:
    """Yield the columns whose values reach the start without a mask on the way."""

    def sources(level: Sequence[Column], _: bool) -> set[Column]:
        inputs = (source for column in level if column in nodes for source in nodes[column].inputs)
        return {Column(source.dataset, source.field) for source in inputs if source.field and _passes_values(source)}

    yield from walk([start], sources, into=Walked[Column](_COLUMNS_MAX)).hops


def _passes_values(source: ColumnInput) -> bool:
    """True if a transformation is direct and masks nothing, or if the producer lists no transformations."""
    how = source.transformations
    return not how or any(step.type == "DIRECT" and not step.masking for step in how)


def _has_tag(annotations: Annotations, column: Column, tag: str) -> bool:
    """True if the column, or its whole dataset, has the tag."""
    tags = (*annotations.names, *annotations.of_field(print_dotted(column.field)))
    return tag_key(tag) in map(tag_key, tags)
