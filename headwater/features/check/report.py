"""The report of a check: its verdict, and its forms as text, Markdown and JSON."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from headwater.cli.service import Get, printable
from headwater.features.check.changes import Change, Masks, Unmasked, changes_of
from headwater.features.check.proposal import Proposal
from headwater.features.check.readers import Reader, ReaderSearch
from headwater.features.check.today import Today
from headwater_model.columns import Column

# Lines of a list in a text; the JSON has all.
_LINES_MAX = 50


@dataclass(frozen=True, slots=True)
class Report:
    """The changed columns, the readers of lost and retyped columns, worst first, and columns that lose their mask."""

    changes: Sequence[Change]
    readers: Sequence[Reader]
    unmasked: Sequence[Unmasked]
    cuts: Sequence[str] = ()
    # True if a bound cut the report: further readers may break.
    truncated: bool = False

    @property
    def breaks(self) -> bool:
        """True if a reader breaks, or a column loses its mask."""
        return bool(self.readers or self.unmasked)

    def to_json(self) -> dict[str, Any]:
        """Make the JSON."""
        return {
            "breaks": self.breaks,
            "changes": [change.to_json() for change in self.changes],
            "readers": [reader.to_json() for reader in self.readers],
            "unmasked": [each.to_json() for each in self.unmasked],
            "cut": list(self.cuts),
            "truncated": self.truncated,
        }


def check(get: Get, proposal: Proposal, skipped: Sequence[str] = (), tags: Collection[str] = ()) -> Report:
    """Compare a proposal with the graph of today, but its `skipped` parts; `tags` limits the search for lost masks.

    Raises:
        NoResponse: the service does not respond.
    """
    today = Today(get)
    outputs = list(today.outputs(proposal))
    lost = (Change(Column(dataset, ()), "lost", job) for job, dataset in today.lost(proposal))
    changes = sorted([*changes_of(outputs), *lost])
    search, masks = ReaderSearch(today, outputs, today.reads(proposal)), Masks(today, tags)
    readers = search.readers(dict.fromkeys(change.column for change in changes if change.breaks))
    unmasked = list(masks.unmasked(outputs))
    cuts = [*skipped] + (["readers: not all were read; make a smaller change"] if search.truncated else [])
    cuts += ["unmasked: a column has too many sources; not all were read"] if masks.truncated else []
    return Report(changes, readers, unmasked, cuts, search.truncated or masks.truncated)


def render_text(report: Report) -> Iterator[str]:
    """Yield the lines of the text."""
    for title, lines in _sections(report):
        yield f"{title}:"
        yield from (f"  {line}" for line in lines)


def render_markdown(report: Report) -> Iterator[str]:
    """Yield the lines of a comment on a pull request."""
    yield f"### Lineage: {_verdict(report)}"
    for title, lines in _sections(report):
        yield from ("", f"**{title}**", "")
        yield from (f"- {_escape(line)}" for line in lines)


def _sections(report: Report) -> Iterator[tuple[str, Sequence[str]]]:
    sections = (
        ("columns that change", list(map(_change_line, report.changes))),
        ("readers, worst first", list(map(_reader_line, report.readers))),
        ("columns that lose their mask", list(map(_unmasked_line, report.unmasked))),
        ("left out", report.cuts),
        ("verdict", [_verdict(report)]),
    )
    for title, lines in sections:
        more = [f"... and {len(lines) - _LINES_MAX:,} more (--format json has all)"] if len(lines) > _LINES_MAX else []
        if lines:
            yield title, [*map(printable, lines[:_LINES_MAX]), *more]


def _verdict(report: Report) -> str:
    if not report.breaks:
        return "nothing breaks of all that was read" if report.truncated else "nothing breaks"
    kinds = {"JOB": "jobs", "DATASET": "datasets", "DATASET_FIELD": "columns"}
    counts = [(sum(reader.type == kind for reader in report.readers), name) for kind, name in kinds.items()]
    parts = [f"{count:,} {name} break" for count, name in counts if count]
    parts += [f"{len(report.unmasked):,} columns lose their mask"] if report.unmasked else []
    return ", ".join(parts)


def _change_line(change: Change) -> str:
    sides = " -> ".join(", ".join(side) or "nothing" for side in (change.before, change.after) if change.column.field)
    return "  ".join(filter(None, (change.kind, change.node_id, sides, f"by {change.job.node_id}")))


def _reader_line(reader: Reader) -> str:
    owners = f"  owners: {', '.join(reader.owners)}" if reader.owners else ""
    return f"{reader.effect}  {reader.type}  {reader.node_id}  {reader.hops} hops{owners}"


def _unmasked_line(unmasked: Unmasked) -> str:
    tags = ", ".join(unmasked.tags)
    return f"{unmasked.source.node_id} ({tags}) -> {unmasked.column.node_id}  by {unmasked.job.node_id}"


def _escape(text: str) -> str:
    r"""Escape the signs of Markdown: names come from producers.

    >>> _escape("lost  a_b <img>")
    'lost  a\\_b \\<img\\>'
    """
    return "".join(f"\\{sign}" if sign in "\\`*_{}[]<>()#|@!~" else sign for sign in text)
