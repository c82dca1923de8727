"""The attempts of a run: a START later than a terminal event begins another, as when a failed run is cleared.

    START 0  FAIL 60  START 600  COMPLETE 660      two attempts; the run completed
    START 0  FAIL 60  COMPLETE 61                  a single attempt (of Spark's listener); the run failed
    START 0  START 300  COMPLETE 660               a single attempt (of a sensor that is rescheduled)

The last attempt with a terminal event decides. A START alone reopens nothing: clocks differ. At equal times the START
comes first, so a run of no duration is a single attempt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, cast

from headwater.events.event import WEIGHT
from headwater.facts.facts import RunFacts
from headwater.facts.lattice import STARTS_MAX

State: TypeAlias = Literal["NEW", "RUNNING", "COMPLETED", "FAILED", "ABORTED"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt of a run, begun with the run or by a later START; `ended` is None until it ends."""

    state: State
    started: str
    ended: str | None = None


class _Part(NamedTuple):
    """The start of an attempt, and its terminal events as the facts hold them."""

    started: str
    terminals: list[str]


def attempts_of(facts: RunFacts) -> tuple[Attempt, ...]:
    """List the run's attempts, `Attempt("FAILED", start, end)`, as far as its facts hold them; a mere parent: none."""
    return tuple(map(_attempt, _parts(facts))) if facts.first_typed else ()


def are_attempts_cut(facts: RunFacts) -> bool:
    """True if `starts` is full: STARTs in its middle may be forgotten, and attempts there show as a single attempt."""
    return len(facts.starts) >= 2 * STARTS_MAX


def last_ended(facts: RunFacts) -> Attempt | None:
    """Find the attempt that decides, `Attempt("FAILED", start, end)`; None before the run ends."""
    ended = [part for part in _parts(facts) if part.terminals] if facts.terminals else []
    return _attempt(ended[-1]) if ended else None


def completed_before(facts: RunFacts) -> str | None:
    """Find the end of the last COMPLETED attempt before the attempt that decides; None without such an attempt."""
    ended = [part for part in _parts(facts) if part.terminals] if facts.first_typed and len(facts.terminals) > 1 else []
    before = map(_attempt, ended[-2::-1])
    return next((attempt.ended for attempt in before if attempt.state == "COMPLETED"), None)


def _parts(facts: RunFacts) -> list[_Part]:
    if not facts.starts or not facts.terminals or facts.starts[-1] <= facts.terminals[0]:
        return [_Part(facts.first or "", list(facts.terminals))]
    marks = [(start, "") for start in facts.starts]
    marks += [(terminal.partition("#")[0], terminal) for terminal in facts.terminals]
    parts = [_Part(facts.first or "", [])]
    for time, terminal in sorted(marks):
        if terminal:
            parts[-1].terminals.append(terminal)
        elif parts[-1].terminals:
            parts.append(_Part(time, []))
    return parts


def _attempt(part: _Part) -> Attempt:
    """Name the state by the terminal events: FAIL decides before ABORT before COMPLETE, and the last of a type."""
    if not part.terminals:
        return Attempt("RUNNING", part.started)
    ended, _, state = max((terminal.split("#") for terminal in part.terminals), key=_weight)
    return Attempt(cast(State, state), part.started, ended)


def _weight(terminal: Sequence[str]) -> tuple[int, Sequence[str]]:
    return WEIGHT[terminal[2]], terminal
