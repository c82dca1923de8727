"""A trial of a stack: the names of its things, the calls of its steps, and the running of the steps."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Literal

from botocore.exceptions import BotoCoreError, ClientError

from headwater.cli.deployment import Deployment
from headwater.cli.service import NoResponse, send
from headwater_model.errors import HeadwaterError

NAMESPACE = "headwater-smoke"
_POLL_S = 2.0


class StepFailed(Exception):
    """A failed step; the message has the reason."""


class Lacking(Exception):
    """A step without means in this stack; the message has the reason."""


@dataclass(slots=True)
class Trial:
    """A trial: ids of its own, the stack, and the findings of the steps so far.

    A step waits `wait_s` seconds for a load.
    """

    deployment: Deployment
    is_local: bool
    wait_s: float
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    name: str = field(default_factory=lambda: uuid.uuid4().hex[:12])
    started: datetime = field(default_factory=lambda: datetime.now(timezone.utc))

    @property
    def day(self) -> str:
        """The day of the trial, in UTC."""
        return f"{self.started:%Y-%m-%d}"

    @property
    def root(self) -> str:
        """The root of the trial's records."""
        return f"{NAMESPACE}-{self.name}"

    @property
    def job(self) -> str:
        """The name of the trial's job."""
        return f"job-{self.name}"

    @property
    def source(self) -> str:
        """The name of the job's input."""
        return f"source-{self.name}"

    @property
    def result(self) -> str:
        """The name of the job's output."""
        return f"result-{self.name}"

    def client(self, service: str) -> Any:
        """Make a client of an AWS service in the stack's region."""
        return self.deployment.client(service)

    def output(self, name: str) -> str:
        """Read an output of the stack.

        Raises:
            Lacking: the stack has no such output.
        """
        if name not in self.deployment.outputs:
            raise Lacking(f"the stack has no output {name}")
        return self.deployment.outputs[name]

    def request(self, path: str, query: Mapping[str, object] | None = None, **options: Any) -> bytes:
        """Send a request to the API, signed with the caller's credentials (see `headwater.cli.service.send`)."""
        return send(self.output("ApiUrl"), path, query, **options)

    def fetch(self, path: str, query: Mapping[str, object] | None = None) -> Any:
        """Fetch the JSON of a path of the API."""
        return json.loads(self.request(path, query))

    def until(self, probe: Callable[[], str | None], missing: str, wait_s: float | None = None) -> str:
        """Call `probe` until it returns a text, for `wait_s` seconds; the API may refuse a missing thing meanwhile.

        Raises:
            StepFailed: the time is up; the error names what is `missing`.
        """
        wait_s = wait_s or self.wait_s
        end, why = self.clock() + wait_s, ""
        while True:
            try:
                if text := probe():
                    return text
            except NoResponse as error:
                why = f" ({error})"
            if self.clock() >= end:
                raise StepFailed(f"{missing} after {wait_s:.0f} s{why}")
            self.sleep(_POLL_S)


@dataclass(frozen=True, slots=True)
class Step:
    """A step: its name, its function (it returns its findings as a short text), and the steps to pass before it."""

    name: str
    run: Callable[[Trial], str]
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a step: its `seconds`, and a text."""

    step: str
    result: Literal["passed", "failed", "skipped"]
    seconds: float
    detail: str


def run_steps(
    steps: Sequence[Step], trial: Trial, skipped: Collection[str], report: Callable[[str], object]
) -> list[Outcome]:
    """Run the steps in their order; a step is skipped if its needs did not pass, and the rest runs all the same."""
    outcomes, passed = list[Outcome](), set[str]()
    for step in steps:
        report(f"trying: {step.name}")
        absent = [name for name in step.needs if name not in passed]
        if step.name in skipped:
            outcome = Outcome(step.name, "skipped", 0.0, "--skip")
        elif absent:
            outcome = Outcome(step.name, "skipped", 0.0, f"it needs {', '.join(absent)}")
        else:
            outcome = _outcome_of(step, trial)
        if outcome.result == "passed":
            passed.add(step.name)
        outcomes.append(outcome)
    return outcomes


def _outcome_of(step: Step, trial: Trial) -> Outcome:
    started = trial.clock()
    result: Literal["passed", "failed", "skipped"] = "passed"
    try:
        detail = step.run(trial)
    except Lacking as error:
        result, detail = "skipped", str(error)
    except (
        StepFailed,
        NoResponse,
        HeadwaterError,
        ClientError,
        BotoCoreError,
        OSError,
        ValueError,
        LookupError,
    ) as error:
        result, detail = "failed", " ".join(str(error).split()) or type(error).__name__
    return Outcome(step.name, result, trial.clock() - started, detail)
