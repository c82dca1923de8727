"""The columns that the demo prints: the sources of a flight's CO2, and the columns made from its distance."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.cli.column_graph import ColumnGraph, GraphDataset, fetch_columns
from headwater.cli.demo import drill_down, field_paths
from headwater.cli.service import NoResponse
from headwater.cli.text.column_text import trees_of
from headwater.cli.text.terminal import print_part

if TYPE_CHECKING:
    from rich.console import Console

    from headwater.cli.demo.drill_down import DrillDown
    from headwater.cli.demo.field_paths import FieldPaths

_DEPTH = 20
_RESULT, _SOURCE = "co2_kg", "distance"
# A dataset and a column of the step that records its operations itself.
_RECORDED, _BY_HAND = "factors.json", "average_seats"


@dataclass(frozen=True, slots=True)
class ColumnStory:
    """The results: columns upstream of the result and downstream of the source, records, and CDAP's paths."""

    result: str
    source: str
    up: ColumnGraph
    down: ColumnGraph
    origins: DrillDown
    paths: FieldPaths


def fetch_story(url: str, folder: Path) -> ColumnStory:
    """Fetch the columns of the demo's pipeline over the data in a folder.

    Raises:
        NoResponse: the service did not respond, or does not know the columns.
    """
    datasets = (GraphDataset("file", str((folder / name).resolve())) for name in ("landing", "estimated", _RECORDED))
    landing, estimated, recorded = datasets
    result, source = estimated.id_of(_RESULT), landing.id_of(_SOURCE)
    up, down = (fetch_columns(url, column, depth=_DEPTH, down=True) for column in (result, source))
    if result not in up.columns:
        raise NoResponse(f"{url}: no column {result}")
    origins = drill_down.drill_down(url, up.columns[result])
    return ColumnStory(result, source, up, down, origins, field_paths.fetch_paths(url, recorded, _BY_HAND))


def print_story(console: Console, story: ColumnStory) -> None:
    """Print each result under a title."""
    parts = (
        ("Where a flight's CO2 comes from, column by column", trees_of(story.up, story.result)),
        ("What the distance in the flights file goes into", trees_of(story.down, story.source, up=False, down=True)),
        ("From the column down to records, by the links of the responses", drill_down.tree_of(story.origins)),
        (
            f"CDAP's field lineage of a step that recorded its operations: the operation paths to {_BY_HAND}",
            field_paths.text_of(story.paths),
        ),
    )
    for title, part in parts:
        console.print(f"\n[bold underline]{title}[/]")
        print_part(console, part)
    console.print(f"  {story.paths.command}", style="dim", highlight=False, markup=False, soft_wrap=True)
