"""The compaction: a scheduled state machine that ends after any failure."""

from __future__ import annotations

import json
import re

import pytest

from headwater.records.compaction import DEADLINE_S, LEFT_ROOT_S
from lambdas import compact
from tests.stack.assemblies import PROJECT

STATE_MACHINE_FILE = PROJECT / "infra" / "compaction.asl.json"

MACHINE = json.loads(STATE_MACHINE_FILE.read_text(encoding="utf-8"))
STEPS = ("Plan", "Slice", "Check", "Left", "Seal", "Unpublished", "Publish", "PublishEmpty", "Release")


def states(machine):
    """Each state's name, the state, and the Map around it."""

    def inside(level, around):
        for name, state in level["States"].items():
            yield name, state, around
            if state["Type"] == "Map":
                yield from inside(state["ItemProcessor"], state)

    return inside(machine, None)


def next_states(state):
    default = [{"Next": state["Default"]}] if "Default" in state else []
    ways = [state, *state.get("Choices", []), *state.get("Catch", []), *default]
    return {way["Next"] for way in ways if "Next" in way}


def levels(machine):
    yield machine
    for _, state, _ in states(machine):
        if state["Type"] == "Map":
            yield state["ItemProcessor"]


TASKS = {name: (state, around) for name, state, around in states(MACHINE) if state["Type"] == "Task"}


def test_every_state_is_reached_and_every_next_state_exists():
    for level in levels(MACHINE):
        reached, waiting = set(), {level["StartAt"]}
        while waiting:
            name = waiting.pop()
            reached.add(name)
            waiting |= next_states(level["States"][name]) - reached
        assert reached == set(level["States"])


@pytest.mark.parametrize("name", STEPS)
def test_a_task_is_tried_again_unless_trying_again_cannot_help(name):
    """Every step may be run twice, so whatever failed may be tried: a service, a time-out, no memory."""
    retried = TASKS[name][0]["Retry"]
    assert retried[0] == {"ErrorEquals": ["Conflict", "Invalid"], "MaxAttempts": 0}
    assert retried[-1]["ErrorEquals"] == ["States.ALL"]


@pytest.mark.parametrize("name", TASKS)
def test_no_error_ends_the_execution_unhandled(name):
    state, around = TASKS[name]
    catcher = (state.get("Catch") or around["Catch"])[-1]
    assert catcher["ErrorEquals"] == ["States.ALL"]
    assert catcher["ResultPath"] != "$", "the state is kept, for the steps that clean up"


@pytest.mark.parametrize(
    ("name", "follows"),
    [
        ("Plan", {"Conflict": "AlreadyRunning", "States.ALL": "CompactionFailed"}),
        ("Enqueue", {"States.ALL": "Release"}),
        ("Check", {"States.ALL": "Release"}),
        ("Seal", {"States.ALL": "Release"}),
        ("Release", {"States.ALL": "CompactionFailed"}),
    ],
)
def test_a_day_that_was_leased_is_released_and_one_that_another_holds_is_left_alone(name, follows):
    catchers = MACHINE["States"][name]["Catch"]
    assert {catcher["ErrorEquals"][0]: catcher["Next"] for catcher in catchers} == follows


def test_a_failed_release_does_not_hide_why_the_compaction_failed():
    assert MACHINE["States"]["Release"]["Catch"][0]["ResultPath"] != "$.error"
    assert MACHINE["States"]["CompactionFailed"]["CausePath"] == "$.error.Cause"


def test_a_root_on_spark_is_waited_for_as_long_as_the_plan_reckons_with():
    assert TASKS["TraceOnSpark"][0]["TimeoutSeconds"] == LEFT_ROOT_S


def test_an_execution_that_hangs_ends_before_the_next_night():
    waited_s = DEADLINE_S + LEFT_ROOT_S + TASKS["CompactOnSpark"][0]["TimeoutSeconds"]
    assert waited_s < MACHINE["TimeoutSeconds"] < 24 * 3600


# Step Functions' quota of events in an execution's history, and the events of a state ("Execution history"): entered,
# exited, and of a task scheduled, started, succeeded.
HISTORY_EVENTS_MAX = 25_000
EVENTS = {"Wait": 2, "Task": 5, "Choice": 2, "Pass": 2}
# A night's events beside its checks: shards, roots on Spark, days to publish, with every retry.
OTHER_EVENTS = 4_000


def loop_events(start):
    """Count the events of a loop from `start` back to it, by `Next` or the default of a choice."""
    events, name = 0, start
    while True:
        state = MACHINE["States"][name]
        events += EVENTS[state["Type"]]
        name = state.get("Next") or state["Default"]
        if name == start:
            return events


def test_the_shortest_pause_until_the_deadline_fits_an_executions_history():
    assert loop_events("Wait") == 9
    assert DEADLINE_S / compact._POLL_MIN_S * loop_events("Wait") + OTHER_EVENTS < HISTORY_EVENTS_MAX


def test_a_seal_goes_on_from_its_cursor_until_it_has_none():
    assert MACHINE["States"]["Seal"]["Parameters"]["Payload"]["cursor.$"] == "$.sealed.cursor"
    assert MACHINE["States"]["Seal"]["ResultPath"] == "$.sealed"
    assert MACHINE["States"]["Sealed"] == {
        "Type": "Choice",
        "Choices": [{"Variable": "$.sealed.cursor", "IsNull": True, "Next": "Unpublished"}],
        "Default": "Seal",
    }


def test_the_file_needs_no_value_but_those_that_the_stack_puts_in(template):
    machine = template.of_type("AWS::StepFunctions::StateMachine")["StateMachine"]
    requested = set(re.findall(r"\$\{(\w+)\}", STATE_MACHINE_FILE.read_text(encoding="utf-8")))
    assert machine["DefinitionSubstitutions"] == {
        "InvokeFunction": "arn:AWS::Partition:states:::lambda:invoke",
        "RunJob": "arn:AWS::Partition:states:::glue:startJobRun.sync",
        "CompactFunctionArn": "CompactFunction.Arn",
        "CompactArchiveJobName": "CompactArchive",
        "TraceRootJobName": "TraceRoot",
    }
    assert requested == set(machine["DefinitionSubstitutions"])
    assert json.loads(machine["DefinitionString"]) == MACHINE


@pytest.mark.parametrize(("stack", "hour"), [("template", 0), ("turned", 3)])
def test_the_compaction_starts_every_day_at_half_past_the_hour_of_the_context_value(request, stack, hour):
    rule = request.getfixturevalue(stack).of_type("AWS::Events::Rule")["Daily"]
    [target] = rule.pop("Targets")
    assert rule == {
        "Description": "Starts the compaction of the day before.",
        "ScheduleExpression": f"cron(30 {hour} * * ? *)",
        "State": "ENABLED",
    }
    assert (target["Arn"], json.loads(target["Input"])) == ("StateMachine", {})
