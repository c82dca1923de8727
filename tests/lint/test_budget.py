"""No room holds more lines than its ceiling in budget.toml."""

import subprocess
from pathlib import Path

import pytest

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib

PROJECT = Path(__file__).parents[2]
BUDGET = tomllib.loads((PROJECT / "budget.toml").read_text(encoding="utf-8"))
LARGEST_FILE = 400_000
CODE = {".css", ".java", ".py", ".ts", ".tsx"}


def files_of(room):
    """Return the files of a room, new files among them: all that git does not ignore."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *room["paths"]],
        cwd=PROJECT,
        capture_output=True,
        check=True,
    ).stdout.decode()
    files = {PROJECT / name for name in listed.split("\0") if name}
    return [file for file in sorted(files) if file.is_file() and file.suffix in room.get("suffixes", CODE)]


@pytest.mark.parametrize("name", BUDGET)
def test_a_room_is_within_its_ceiling(name):
    room = BUDGET[name]
    unit = "words" if "words" in room else "lines"
    texts = [file.read_text(encoding="utf-8") for file in files_of(room)]
    size = sum(len(text.split()) if unit == "words" else text.count("\n") for text in texts)
    assert 0 < size <= room[unit], f"{name}: has {size} {unit}, the ceiling of budget.toml is {room[unit]}"


def test_no_file_is_larger_than_a_lock_file():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=PROJECT, capture_output=True, check=True).stdout.decode()
    files = [PROJECT / name for name in listed.split("\0") if name]
    assert {file.name for file in files if file.is_file() and file.stat().st_size > LARGEST_FILE} == set()


def test_code_is_in_a_room():
    rooms = [file for room in BUDGET.values() for file in files_of(room)]
    assert len(rooms) == len(set(rooms))
    outside = set(files_of({"paths": ["."]})) - set(rooms)
    assert {file.relative_to(PROJECT).as_posix() for file in outside} == set()
