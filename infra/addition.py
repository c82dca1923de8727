"""The parts of the stack that a feature adds, as its `construct` module returns them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_sqs as sqs
from aws_cdk import aws_stepfunctions as sfn

from infra.function import ServiceFunction


@dataclass(frozen=True, slots=True)
class WatchedQueue:
    """A queue with alarms; `age_max` is None for dead letters, where each message is for a person."""

    name: str
    queue: sqs.Queue
    age_max: Duration | None = None


@dataclass(frozen=True, slots=True)
class WatchedMachine:
    """A state machine with an alarm of executions that did not succeed."""

    name: str
    machine: sfn.StateMachine
    label: str
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """The parts of a feature that others watch, show or look up; its resources are in the stack already."""

    functions: Sequence[ServiceFunction] = ()
    queues: Sequence[WatchedQueue] = ()
    machines: Sequence[WatchedMachine] = ()
    rows: Sequence[list[cloudwatch.IWidget]] = ()
    outputs: Mapping[str, str] = field(default_factory=dict)
