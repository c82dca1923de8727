"""What the demo tells of columns: where the CO2 of a flight comes from, and what the distance in its file goes into."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from headwater import drill_down, field_paths
from headwater.column_graph import ColumnGraph, Place, ask_columns
from headwater.column_picture import write_column_picture
from headwater.column_text import ways_of
from headwater.service import NoAnswer

if TYPE_CHECKING:
    from rich.console import Console

    from headwater.drill_down import DrillDown
    from headwater.field_paths import FieldPaths

_DEPTH = 20
_RESULT, _SOURCE = "co2_kg", "distance"
# Of a step that recorded its operations itself.
_RECORDED, _BY_HAND = "factors.json", "average_seats"


@dataclass(frozen=True, slots=True)
class ColumnStory:
    """The answers: up from the result, down from the source, down to records, and CDAP's."""

    result: str
    source: str
    up: ColumnGraph
    down: ColumnGraph
    origins: DrillDown
    paths: FieldPaths


def ask_story(url: str, folder: Path, picture: Path) -> ColumnStory:
    """Ask for the columns of the demo's pipeline, whose data lies in a folder, and draw the result's way.

    Raises:
        NoAnswer: the service did not answer, or does not know the columns.
    """
    places = (Place("file", str((folder / name).resolve())) for name in ("landing", "estimated", _RECORDED))
    landing, estimated, recorded = places
    result, source = estimated.id_of(_RESULT), landing.id_of(_SOURCE)
    up, down = (ask_columns(url, one, depth=_DEPTH, down=True) for one in (result, source))
    if result not in up.columns:
        raise NoAnswer(f"{url}: no column {result}")
    write_column_picture(up, result, picture)
    origins = drill_down.drill_down(url, up.columns[result])
    return ColumnStory(result, source, up, down, origins, field_paths.ask_paths(url, recorded, _BY_HAND))


def print_story(console: Console, story: ColumnStory) -> None:
    """The answers, each under a title."""
    parts = (
        ("Where a flight's CO2 comes from, column by column", ways_of(story.up, story.result)),
        ("What the distance in the flights file goes into", ways_of(story.down, story.source, up=False, down=True)),
        ("From the column down to records, by the links of the answers", drill_down.tree_of(story.origins)),
        (
            f"CDAP's question of the step that was recorded by hand: by which operations was {_BY_HAND} made?",
            field_paths.text_of(story.paths),
        ),
    )
    for title, part in parts:
        console.print(f"\n[bold underline]{title}[/]")
        console.print(part, highlight=False)
    console.print(f"  {story.paths.command}", style="dim", highlight=False, markup=False, soft_wrap=True)
