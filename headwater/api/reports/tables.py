"""Reports as CSV (RFC 4180): one table, whose column `section` names the subject of a row, `query` first.

Cells that do not apply to a row's section are empty. Cells hold several values with `; ` between them.
Every cell is quoted, so that no separator in a value begins a cell that a spreadsheet would compute.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias
from unicodedata import normalize

from headwater.api.values import when
from headwater.queries.results.columns import TimeRange
from headwater.queries.results.reports import (
    Flow,
    LineageStep,
    Provenance,
    TaggedColumn,
    TagUsage,
    TrueSource,
    Usage,
    Use,
)
from headwater_model.columns import Column, ColumnSource, Transformation
from headwater_model.field_paths import print_dotted
from headwater_model.ids import JobId

Row: TypeAlias = Mapping[str, str]

_COLUMN = ("namespace", "dataset", "field")
_WAY = ("hops", "direct", "masked")
_USE = ("kind", "first", "last", "count", "states", "runs", "known", "operations")
_FLOW = (*_WAY, "certain", "failed", "status", "jobs")
USAGE = ("section", "start", "end", *_COLUMN, *_USE, *_FLOW)
_INTO = tuple(f"into_{name}" for name in _COLUMN)
_DONE = ("transformations", "operations", "jobs", "runs")
_TAG = ("tag", "source", "producer", "at", "caller")
TAGGED = ("section", "start", "end", *_COLUMN, *_TAG, *_FLOW)
PROVENANCE = ("section", "start", "end", *_COLUMN, *_INTO, *_WAY, "reason", *_DONE, "reads")
# Spreadsheets compute a cell that begins so, in any width of the character (OWASP, "CSV Injection"; East Asian locales
# read the full-width forms as their ASCII ones); an apostrophe before it makes it text.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
# A cell of a spreadsheet holds 32,767 characters.
LISTED_MAX = 500


def usage_table(usage: Usage) -> str:
    """Return a row for each column of each use (at least one a use), and for each that the field flowed into."""
    uses = (row for use in usage.uses for row in _uses(use))
    rows = [_query(usage.column, usage.time_range), *uses, *map(_flow, usage.flows), *cut(usage.truncated)]
    return table(USAGE, rows)


def tag_table(usage: TagUsage) -> str:
    """Return a row for each tagged column, and for each that is made of one."""
    time_range = {"start": when(usage.time_range.start) or "", "end": when(usage.time_range.end) or ""}
    query = {"section": "query", "tag": usage.tag, **time_range}
    tagged = (row for column in usage.columns for row in _tagged(column))
    return table(TAGGED, [query, *tagged, *map(_flow, usage.flows), *cut(usage.truncated)])


def _tagged(column: TaggedColumn) -> Iterator[Row]:
    for tag in column.tags:
        reporter = tag.reported_by
        yield {
            "section": "column",
            **_column(column.column),
            "tag": tag.name,
            "source": tag.source or "",
            "producer": reporter.producer or "",
            "at": when(reporter.time),
            "caller": reporter.caller or "",
        }


def provenance_table(provenance: Provenance) -> str:
    """Return a row for each true source, and for each step from them."""
    query = _query(provenance.column, provenance.time_range)
    rows = [query, *map(_source, provenance.sources), *map(_step, provenance.steps), *cut(provenance.truncated)]
    return table(PROVENANCE, rows)


def _query(column: Column, time_range: TimeRange) -> Row:
    return {
        "section": "query",
        **_column(column),
        "start": when(time_range.start) or "",
        "end": when(time_range.end) or "",
    }


def cut(truncated: bool) -> list[Row]:
    """Return a last row that marks the table as cut, if there was more."""
    return [{"section": "truncated"}] if truncated else []


def _uses(use: Use) -> Iterator[Row]:
    row = {
        "section": "use",
        "kind": use.kind,
        "first": when(use.first) or "",
        "last": when(use.last) or "",
        "count": str(use.count),
        "states": join_words(f"{state}: {count}" for state, count in use.states),
        "runs": join_words(run.id if run.state is None else f"{run.id} ({run.state})" for run in use.runs),
        "known": flag(use.known),
        "operations": join_words(use.operations),
        "jobs": _jobs([] if use.job is None else [use.job]),
    }
    for column in use.fields:
        yield {**row, **_column(column)}
    if not use.fields:
        yield row


def _flow(flow: Flow) -> Row:
    flags = {"certain": flag(flow.certain), "failed": flag(flow.failed)}
    what = {**flags, "status": flow.status, "jobs": _jobs(flow.jobs)}
    return {"section": "flow", **_column(flow.column), **_way(flow), **what}


def _source(source: TrueSource) -> Row:
    return {
        "section": "source",
        **_column(source.column),
        **_way(source),
        "reason": source.reason,
        "jobs": _jobs(source.jobs),
        "runs": join_words(source.runs),
        "reads": join_words(dataset.node_id for dataset in source.reads),
    }


def _step(step: LineageStep) -> Row:
    return {
        "section": "step",
        **_column(step.source),
        **{f"into_{name}": text for name, text in _column(step.destination).items()},
        "transformations": join_words(_transformation(transformation) for transformation in step.transformations),
        "operations": join_words(step.operations),
        "jobs": _jobs(step.jobs),
        "runs": join_words(step.runs),
    }


def _column(column: Column | ColumnSource) -> Row:
    field = "" if column.field is None else print_dotted(column.field)
    return dict(zip(_COLUMN, (column.dataset.namespace, column.dataset.name, field), strict=True))


def _way(way: Flow | TrueSource) -> Row:
    return {"hops": str(way.hops), "direct": flag(way.direct), "masked": flag(way.masked)}


def _transformation(transformation: Transformation) -> str:
    kind = f"{transformation.type}/{transformation.subtype}" if transformation.subtype else transformation.type
    masked = " (masking)" if transformation.masking else ""
    return f"{kind}{masked}: {transformation.description}" if transformation.description else f"{kind}{masked}"


def _jobs(jobs: Iterable[JobId]) -> str:
    return join_words(job.node_id for job in jobs)


def flag(value: bool) -> str:
    """Return a cell of a condition."""
    return "true" if value else "false"


def join_words(values: Iterable[str]) -> str:
    """Join several values to one cell; the first of them, where there are more than a cell may hold."""
    texts = list(values)
    more = [f"… and {len(texts) - LISTED_MAX} more"] if len(texts) > LISTED_MAX else []
    return "; ".join([*texts[:LISTED_MAX], *more])


def table(names: Sequence[str], rows: Iterable[Row]) -> str:
    """Return a table with these columns."""
    return "".join(map(_line, (names, *([_cell(row.get(name, "")) for name in names] for row in rows))))


def _line(cells: Iterable[str]) -> str:
    r"""Return a line of RFC 4180, every cell quoted; the csv module of Python 3.10 refuses a NUL in a cell.

    >>> _line(["say", 'say "hi", please'])
    '"say","say ""hi"", please"\r\n'
    """
    quoted = (cell.replace('"', '""') for cell in cells)
    return ",".join(f'"{cell}"' for cell in quoted) + "\r\n"


def _cell(text: str) -> str:
    """Return the text as a cell that no spreadsheet computes.

    >>> _cell("=HYPERLINK(0)"), _cell("＝HYPERLINK(0)"), _cell("flight")
    ("'=HYPERLINK(0)", "'＝HYPERLINK(0)", 'flight')
    """
    return f"'{text}" if normalize("NFKC", text[:1]).startswith(_FORMULA) else text
