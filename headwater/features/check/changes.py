"""The changes of a proposal: columns lost, retyped or made of something else, and unmasked columns with tags."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from headwater.features.check.today import Flows, Output, Today
from headwater_model.columns import Column
from headwater_model.ids import JobId

# Columns read upstream of a column, in search of tags.
UPSTREAM_MAX = 1_000
Kind: TypeAlias = Literal["lost", "retyped", "remade"]


@dataclass(frozen=True, order=True, slots=True)
class Change:
    """A change of a column by a job: its type, or its sources, before and after.

    A column without a name is a dataset without a writer.
    """

    column: Column
    kind: Kind
    job: JobId
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()

    @property
    def node_id(self) -> str:
        """The node id of the column, or of the lost dataset."""
        return self.column.node_id if self.column.field else self.column.dataset.node_id

    @property
    def breaks(self) -> bool:
        """True if readers of the column may fail; a column of other sources still exists."""
        return self.kind != "remade"

    def to_json(self) -> dict[str, Any]:
        """Make the JSON."""
        sides = {"before": list(self.before), "after": list(self.after)}
        return {"nodeId": self.node_id, "change": self.kind, "job": self.job.node_id, **sides}


@dataclass(frozen=True, order=True, slots=True)
class Unmasked:
    """A column with tags whose original values would arrive in a further column."""

    source: Column
    column: Column
    tags: tuple[str, ...]
    job: JobId

    def to_json(self) -> dict[str, Any]:
        """Make the JSON."""
        ends = {"nodeId": self.source.node_id, "tags": list(self.tags), "into": self.column.node_id}
        return {**ends, "job": self.job.node_id}


def changes_of(outputs: Iterable[Output]) -> Iterator[Change]:
    """Yield the changed columns of the outputs; a dataset without a known schema loses nothing."""
    for output in outputs:
        today = output.today
        if today is None:
            continue
        for path, kind in today.types.items() if output.types is not None else ():
            column, proposed = Column(output.dataset, path), (output.types or {}).get(path)
            if path not in (output.types or {}):
                yield Change(column, "lost", output.job, _texts(kind))
            elif kind and proposed and kind.lower() != proposed.lower():
                yield Change(column, "retyped", output.job, _texts(kind), _texts(proposed))
        for path, flows in (output.flows or {}).items():
            before, after = _names(today.flows.get(path, {})), _names(flows)
            if path in today.flows and before != after:
                yield Change(Column(output.dataset, path), "remade", output.job, before, after)


def _texts(kind: str | None) -> tuple[str, ...]:
    return (kind,) if kind else ()


def _names(flows: Flows) -> tuple[str, ...]:
    """List the sources of values: a changed condition makes a column of nothing else."""
    return tuple(sorted(column.node_id for column, how in flows.items() if how != "condition"))


@dataclass
class Masks:
    """A search for columns with tags whose original values arrive in proposed columns, and arrive not today.

    `tags` limits the search to these; empty: any tag.
    """

    today: Today
    tags: Collection[str] = ()
    truncated: bool = False
    _proposed: dict[Column, Flows] = field(default_factory=dict)

    def unmasked(self, outputs: Iterable[Output]) -> Iterator[Unmasked]:
        """Yield the columns with tags that lose their mask, in the order of the outputs."""
        outputs = list(outputs)
        for output in outputs:
            self._proposed |= {Column(output.dataset, path): flows for path, flows in (output.flows or {}).items()}
        for output in outputs:
            for path in output.flows or ():
                column = Column(output.dataset, path)
                before = self._arriving(column, {})
                arriving = self._arriving(column, self._proposed)
                for source in sorted(arriving.keys() - before.keys()):
                    yield Unmasked(source, column, arriving[source], output.job)

    def _arriving(self, column: Column, proposed: Mapping[Column, Flows]) -> dict[Column, tuple[str, ...]]:
        """Find the columns with tags whose original values arrive in a column; walk upstream, nearest first."""
        seen, pending, arriving = {column}, deque([column]), dict[Column, tuple[str, ...]]()
        while pending:
            flows = self._flows(pending.popleft(), proposed)
            for source in sorted(source for source, how in flows.items() if how == "plain" and source not in seen):
                if len(seen) > UPSTREAM_MAX:
                    self.truncated = True
                    return arriving
                seen.add(source)
                pending.append(source)
                if tags := self._tags(source):
                    arriving[source] = tags
        return arriving

    def _flows(self, column: Column, proposed: Mapping[Column, Flows]) -> Flows:
        if column in proposed:
            return proposed[column]
        today = self.today.dataset(column.dataset)
        return today.flows.get(column.field, {}) if today else {}

    def _tags(self, column: Column) -> tuple[str, ...]:
        today = self.today.dataset(column.dataset)
        tags = today.tags.get(column.field, frozenset()) if today else frozenset()
        return tuple(sorted(tag for tag in tags if not self.tags or tag in self.tags))
