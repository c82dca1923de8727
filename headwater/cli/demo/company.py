"""The run of `headwater demo --company`: a company's lineage through the stack, then the explorer."""

from __future__ import annotations

from contextlib import ExitStack, nullcontext
from time import monotonic

from rich.console import Group
from rich.text import Text

from examples.company.send import send_company
from headwater.cli.demo.stages import end_demo, explorer_build, load_queued, open_console, start_stack
from headwater.cli.service import fetch_json
from headwater.cli.text.progress import Progress
from headwater.cli.text.terminal import print_part
from headwater.times import day_of
from local_stack.stack import LocalStack
from local_stack.template.synthesis import synthesize
from spark_client import LineageClient
from spark_client.transport.retry import Clock


def demonstrate_company(*, keep: bool) -> bool:
    """Load the company and seal a day of its records; return True if no function of the stack failed.

    With `keep`, the explorer is built meanwhile, and the stack stays up at the end until Ctrl-C.
    """
    console, started = open_console(), monotonic()
    with ExitStack() as on_exit:
        with Progress(console) as progress:
            with progress.stage("Synthesizing the CDK stack"):
                template = synthesize()
            with explorer_build(progress) if keep else nullcontext():
                stack = start_stack(progress, template, on_exit)
                sent = _load(progress, stack)
                day = day_of(int(stack.now))
                with progress.stage(f"Compacting {day}: records with a proof") as report:
                    stack.run_state_machine({"day": day}, progress=report)
        jobs = fetch_json(stack.api_url, "/api/v1/jobs", {"limit": 1})["totalCount"]
        done = f"{jobs:,} jobs of {sent:,} events and records. Done in {monotonic() - started:.0f} s."
        failures = [Text(f"a function failed during the demo: {failure}", "yellow") for failure in stack.errors[:3]]
        print_part(console, Group(Text(done), *failures))
        about = "The stack stays up until Ctrl-C. The company in the explorer:"
        end_demo(console, stack, about, f"{stack.api_url}/explore/", keep=keep, options="--company --keep")
    return not stack.errors


def _load(progress: Progress, stack: LocalStack) -> int:
    """Send thirty nights of events and a day of records; wait until they are loaded, and return how many were sent."""
    with (
        LineageClient(url=stack.api_url, strict=True, clock=Clock(now=lambda: stack.now)) as lineage,
        progress.stage("Sending thirty nights of a company's runs") as report,
    ):
        sent = send_company(lineage, now_s=stack.now, report=lambda events: report(f"{events:,} events"))
    load_queued(progress, stack, timeout_s=3600)
    return sent
