"""State machines, executed by moto: their executions, followed to their outputs."""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from local_stack.compute.poller import Failure
from local_stack.errors import MachineFailed

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions import SFNClient

_POLL_S = 0.1


class Machines:
    """The stack's state machines, by ARN."""

    def __init__(self, states: SFNClient, *, report: Callable[[Failure], None]) -> None:
        self._states = states
        self._report = report
        self._stopping = threading.Event()
        self._followers: list[threading.Thread] = []

    def run(
        self,
        arn: str,
        machine_input: object,
        *,
        name: str | None = None,
        timeout_s: float,
        progress: Callable[[str], None] | None = None,
    ) -> Any:
        """Start an execution, wait for its end, and return its output.

        `progress` is called with the name of each state, soon after its start.

        Raises:
            MachineFailed: It did not succeed, or `timeout_s` passed.
        """
        name = name or str(uuid.uuid4())
        started = self._states.start_execution(stateMachineArn=arn, name=name, input=json.dumps(machine_input))
        deadline = time.monotonic() + timeout_s
        seen = 0
        while True:
            execution = self._states.describe_execution(executionArn=started["executionArn"])
            if progress is not None:
                seen = self._report_states(started["executionArn"], seen, progress)
            if execution["status"] == "SUCCEEDED":
                return json.loads(execution["output"])
            if execution["status"] != "RUNNING":
                raise MachineFailed(execution["status"], execution.get("error", ""), execution.get("cause", ""))
            if time.monotonic() > deadline:
                raise MachineFailed("RUNNING", "Local.Timeout", f"still running after {timeout_s} s")
            if self._stopping.wait(_POLL_S):
                raise MachineFailed("RUNNING", "Local.Stopped", "the stack has stopped")

    def start(self, arn: str, machine_input: str) -> None:
        """Start an execution in the background; a failure goes to `report`."""
        follower = threading.Thread(target=self._follow, args=(arn, json.loads(machine_input)), daemon=True)
        self._followers.append(follower)
        follower.start()

    def stop(self) -> None:
        """Stop following executions."""
        self._stopping.set()
        for follower in self._followers:
            follower.join()

    def _follow(self, arn: str, machine_input: object) -> None:
        try:
            self.run(arn, machine_input, timeout_s=86_400)
        except MachineFailed as error:
            if not self._stopping.is_set():
                self._report(Failure(arn.rpartition(":")[2], "schedule", error.error, error.cause))

    def _report_states(self, execution_arn: str, seen: int, progress: Callable[[str], None]) -> int:
        events = self._states.get_execution_history(executionArn=execution_arn, maxResults=1000)["events"]
        for event in events[seen:]:
            if "stateEnteredEventDetails" in event:
                progress(event["stateEnteredEventDetails"]["name"])
        return len(events)
