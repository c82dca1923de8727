"""Directions through lineage, as the data flows: up to what a thing is made of, down to what is made of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

# A side of a node; the directions of a walk; and which of them a graph follows from its start. `both`: of every node,
# whichever way it was reached; `through`: only up from the start, and only down from it.
Side: TypeAlias = Literal["up", "down"]
Direction: TypeAlias = Literal["up", "down", "both"]
GraphDirection: TypeAlias = Literal["up", "down", "both", "through"]
UP: Side = "up"
DOWN: Side = "down"
SIDES: Mapping[Direction, tuple[Side, ...]] = {"up": (UP,), "down": (DOWN,), "both": (UP, DOWN)}
