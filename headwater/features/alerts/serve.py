"""`headwater serve --alerts`: alerts on this machine, a line each."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from typing import Any

from headwater.cli.service import printable


def add_option(parser: argparse.ArgumentParser) -> None:
    """Add the option."""
    parser.add_argument(
        "--alerts",
        action="store_true",
        help="find what is wrong with jobs and datasets, and print it (the context value alerts=eventbridge)",
    )


def context_of(arguments: argparse.Namespace) -> Mapping[str, str]:
    """Turn the options into context values: `{"alerts": "eventbridge"}`."""
    return {"alerts": "eventbridge"} if arguments.alerts else {}


def greet(outputs: Mapping[str, str]) -> str:
    """Render a paragraph about the alerts; empty for a stack without alerts."""
    if "AlertsBusName" not in outputs:
        return ""
    return f"""
Alerts are printed here: send a run that fails. Rules for the event bus {outputs["AlertsBusName"]} work, too.
"""


def show(event: Mapping[str, Any]) -> str:
    """Render an event of the alerts' bus as a line, with the explorer's page below."""
    detail = json.loads(event["Detail"])
    link = f"\n  {detail['link']}" if detail.get("link") else ""
    return printable(f"alert {event['DetailType']}: {detail.get('summary', '')}") + link
