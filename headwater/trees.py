"""A directed graph as trees of text that stay on the screen, each node told once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from rich.tree import Tree

if TYPE_CHECKING:
    from rich.text import Text

# Beyond this, lines would have no room left for their text.
_LEVELS_MAX = 12
# What is said of a node: its id, and that of the node above it, None at the top.
Label: TypeAlias = "Callable[[str, str | None], Text]"


@dataclass(frozen=True, slots=True)
class Words:
    """How nodes are told: in full, and by name alone where they are told elsewhere."""

    full: Label
    name: Label


def grow(starts: Iterable[str], below: Mapping[str, Sequence[str]], words: Words) -> Tree:
    """The trees that begin at `starts`, as far as they are not in one before; what grows too deep goes on as another.

    A node that is reached twice is told once, and named where it is reached again.
    """
    top = Tree("", hide_root=True, guide_style="dim")
    seen: set[str] = set()
    for start in starts:
        waiting = deque([start])
        while waiting:
            if (one := waiting.popleft()) not in seen:
                waiting += _grow(top, one, below, words, seen)
    return top


def _grow(top: Tree, start: str, below: Mapping[str, Sequence[str]], words: Words, seen: set[str]) -> list[str]:
    """Add a tree that begins at a node; the nodes where it became too deep are left to trees of their own."""
    left = []
    waiting: list[tuple[Tree, str, str | None, int]] = [(top, start, None, 0)]
    while waiting:
        branch, node, above, level = waiting.pop()
        following = below.get(node, ())
        if node in seen:
            branch.add(words.name(node, above).append("  shown above", "dim"))
        elif level == _LEVELS_MAX and following:
            branch.add(words.name(node, above).append("  shown below", "dim"))
            left.append(node)
        else:
            seen.add(node)
            grown = branch.add(words.full(node, above))
            waiting.extend((grown, one, node, level + 1) for one in reversed(following))
    return left
