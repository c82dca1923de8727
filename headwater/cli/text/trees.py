"""A directed graph as trees of text of bounded depth, each node in full once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from rich.tree import Tree

if TYPE_CHECKING:
    from rich.text import Text

# Below this level, indentation would leave no room for text.
_LEVELS_MAX = 12
# Arguments: a node's id, and the id of the node above it, None at the top.
Label: TypeAlias = "Callable[[str, str | None], Text]"


@dataclass(frozen=True, slots=True)
class NodeLabels:
    """The labels of a node: in full, and by name alone where the full label is elsewhere."""

    full: Label
    name: Label


def grow(starts: Iterable[str], below: Mapping[str, Sequence[str]], labels: NodeLabels) -> Tree:
    """Return the trees that begin at `starts`, without those in a tree before; a deep branch continues as another tree.

    A node that is reached twice is shown in full once, and by name where it is reached again.
    """
    top = Tree("", hide_root=True, guide_style="dim")
    seen: set[str] = set()
    for start in starts:
        pending = deque([start])
        while pending:
            if (node := pending.popleft()) not in seen:
                pending += _grow(top, node, below, labels, seen)
    return top


def _grow(top: Tree, start: str, below: Mapping[str, Sequence[str]], labels: NodeLabels, seen: set[str]) -> list[str]:
    """Add a tree that begins at a node; return the nodes at which it became too deep."""
    too_deep = []
    pending: list[tuple[Tree, str, str | None, int]] = [(top, start, None, 0)]
    while pending:
        branch, node, above, level = pending.pop()
        following = below.get(node, ())
        if node in seen:
            branch.add(labels.name(node, above).append("  shown above", "dim"))
        elif level == _LEVELS_MAX and following:
            branch.add(labels.name(node, above).append("  shown below", "dim"))
            too_deep.append(node)
        else:
            seen.add(node)
            grown = branch.add(labels.full(node, above))
            pending.extend((grown, child, node, level + 1) for child in reversed(following))
    return too_deep
