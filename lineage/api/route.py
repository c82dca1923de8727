"""What a route is: a method on a path, and what answers it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from aws_lambda_powertools.event_handler import Response

from lineage.api.request import HttpRequest
from lineage.api.services import Services

Answerer: TypeAlias = Callable[[Services, HttpRequest], Response[str]]


@dataclass(frozen=True, slots=True)
class Route:
    """A method on a path, and what answers it; segments in angle brackets are ids, each percent-encoded.

    HEAD is answered wherever GET is.
    """

    method: str
    path: str
    answer: Answerer
