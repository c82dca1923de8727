"""The local stack's EventBridge resources: buses, rules and schedules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import model_validator

from local_stack.template.properties import Properties, Target

SHOWN = "the events of a bus are shown, and sent nowhere"


class ScheduleTarget(Properties):
    """The target of a schedule, a state machine or a function, and its input."""

    arn: Target
    input: str = "{}"


class EventBus(Properties):
    """AWS::Events::EventBus, made by moto; `local_stack.aws.moto_events` shows its events."""

    name: str


class Rule(Properties):
    """AWS::Events::Rule: with a schedule, run by `local_stack.compute.schedules`; with a pattern, left out."""

    ignored: ClassVar[Mapping[str, str]] = {"EventBusName": SHOWN, "EventPattern": SHOWN}
    schedule_expression: str
    state: Literal["ENABLED", "DISABLED"] = "ENABLED"
    targets: list[ScheduleTarget]

    @model_validator(mode="before")
    @classmethod
    def _leave_patterns_out(cls, given: object) -> object:
        if isinstance(given, dict) and "EventPattern" in given:
            return {**given, "ScheduleExpression": "", "Targets": []}
        return given


class Schedule(Properties):
    """AWS::Scheduler::Schedule; run by `local_stack.compute.schedules`."""

    schedule_expression: str
    schedule_expression_timezone: Literal["UTC", "Etc/UTC"] = "UTC"
    state: Literal["ENABLED", "DISABLED"] = "ENABLED"
    target: ScheduleTarget
