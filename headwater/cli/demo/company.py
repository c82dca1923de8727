"""The run of `headwater demo --company`: a company's lineage through the stack, then the explorer."""

from __future__ import annotations

import logging
from contextlib import ExitStack, nullcontext
from time import monotonic

from rich.console import Group
from rich.text import Text

from examples.company.send import send_company
from examples.emissions.session import FOLDER
from headwater.cli.demo.end import end_demo
from headwater.cli.explorer_build import explorer_build
from headwater.cli.explorer_links import start_link
from headwater.cli.service import fetch_json
from headwater.cli.text.progress import Progress
from headwater.cli.text.terminal import log_handler, output_console, print_part
from headwater.times import day_of
from local_stack.stack import LocalStack
from local_stack.template.synthesis import synthesize
from spark_client import LineageClient
from spark_client.transport.retry import Clock

_DRAIN_S = 3600.0
_BUILD_LOG = FOLDER / "explorer.log"


def demonstrate_company(*, keep: bool) -> bool:
    """Load the company and seal a day of its records; return True if no function of the stack failed.

    With `keep`, the explorer is built meanwhile, and the stack stays up at the end until Ctrl-C.
    """
    console, started = output_console(), monotonic()
    logging.basicConfig(level=logging.WARNING, format="%(message)s", handlers=[log_handler(console)])
    with ExitStack() as on_exit:
        with Progress(console) as progress:
            with progress.stage("Synthesizing the CDK stack"):
                template = synthesize()
            with explorer_build(progress, _BUILD_LOG) if keep else nullcontext():
                with progress.stage("Starting the stack: moto, queues, functions, HTTP API"):
                    stack = on_exit.enter_context(LocalStack(template))
                sent = _load(progress, stack)
                day = day_of(int(stack.now))
                with progress.stage(f"Compacting {day}: records with a proof") as report:
                    stack.run_state_machine({"day": day}, progress=report)
        print_part(console, _summary(stack, sent, monotonic() - started))
        about = "The stack stays up until Ctrl-C. The company in the explorer:"
        end_demo(
            console, stack, about, start_link(stack.api_url), keep=keep, log=_BUILD_LOG, options="--company --keep"
        )
    return not stack.errors


def _load(progress: Progress, stack: LocalStack) -> int:
    """Send thirty nights of events and a day of records; wait until they are loaded, and return how many were sent."""
    with (
        LineageClient(url=stack.api_url, strict=True, clock=Clock(now=lambda: stack.now)) as lineage,
        progress.stage("Sending thirty nights of a company's runs") as report,
    ):
        sent = send_company(lineage, now_s=stack.now, report=lambda events: report(f"{events:,} events"))
    with progress.stage("Loading queued records and events") as report:
        stack.drain(_DRAIN_S, progress=lambda left: report(f"{left:,} messages left"))
    return sent


def _summary(stack: LocalStack, sent: int, elapsed_s: float) -> Group:
    jobs = fetch_json(stack.api_url, "/api/v1/jobs", {"limit": 1})["totalCount"]
    failures = [Text(f"a function failed during the demo: {failure}", "yellow") for failure in stack.errors[:3]]
    return Group(
        Text(f"{jobs:,} jobs of {sent:,} events and records. Done in {elapsed_s:.0f} s."),
        *failures,
    )
