"""A change set of CloudFormation: made, shown, executed, and followed by the events of its stack."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError
from rich.table import Table

from headwater.cli.program import CommandFailed
from headwater.cli.text.terminal import output_console, print_part

if TYPE_CHECKING:
    from mypy_boto3_cloudformation import CloudFormationClient
    from mypy_boto3_cloudformation.type_defs import ParameterTypeDef, StackEventTypeDef

_POLL_S = 3
# CloudFormation's words for a change set without a change; it has no code for it.
_NO_CHANGES = ("didn't contain changes", "No updates are to be performed")
# Reasons of resources stopped by a failure elsewhere.
_STOPPED = "cancelled"


@dataclass
class ChangeSet:
    """A change set before its execution."""

    formation: CloudFormationClient
    stack: str
    arn: str
    is_first: bool
    sleep: Callable[[float], None]
    _seen: set[str] = field(default_factory=set)

    def print_changes(self) -> None:
        """Print what happens to each resource; a replacement makes a new, empty resource."""
        table = Table(box=None, pad_edge=False)
        for heading in ("change", "type", "resource"):
            table.add_column(heading, overflow="fold")
        pages = self.formation.get_paginator("describe_change_set").paginate(ChangeSetName=self.arn)
        for change in (listed["ResourceChange"] for page in pages for listed in page["Changes"]):
            replaces = change.get("Replacement") in ("True", "Conditional")
            action = f"{change['Action']}, replaces" if replaces else change["Action"]
            table.add_row(action, change["ResourceType"], change["LogicalResourceId"])
        print(f"\nChanges to {self.stack}: {table.row_count} resources")
        print_part(output_console(), table)

    def delete(self) -> None:
        """Delete the change set, and CloudFormation's stack around a first change set."""
        self.formation.delete_change_set(ChangeSetName=self.arn)
        if self.is_first:
            self.formation.delete_stack(StackName=self.stack)

    def execute(self) -> str | None:
        """Execute it, print the stack's events to the end, and return the reason of a failure, or None."""
        # Events of earlier deployments are not printed.
        self._seen.update(event["EventId"] for event in self._events())
        self.formation.execute_change_set(ChangeSetName=self.arn)
        print(f"\nDeploying {self.stack}")
        failed: list[StackEventTypeDef] = []
        while True:
            # The status is read before the events, so the last events are among them.
            status = self.formation.describe_stacks(StackName=self.stack)["Stacks"][0]["StackStatus"]
            for event in reversed([event for event in self._events() if event["EventId"] not in self._seen]):
                self._seen.add(event["EventId"])
                at, reason = f"{event['Timestamp']:%H:%M:%S}", event.get("ResourceStatusReason", "")
                words = (at, event["ResourceStatus"], event["ResourceType"], event["LogicalResourceId"], reason)
                print("  ".join(filter(None, words)), flush=True)
                if event.get("ResourceStatus", "").endswith("_FAILED"):
                    failed.append(event)
            if status == "REVIEW_IN_PROGRESS" or status.endswith("_IN_PROGRESS"):
                self.sleep(_POLL_S)
                continue
            return None if status in ("CREATE_COMPLETE", "UPDATE_COMPLETE") else _failure(self.stack, status, failed)

    def _events(self) -> list[StackEventTypeDef]:
        """Read the events of the stack, the newest first."""
        pages = self.formation.get_paginator("describe_stack_events").paginate(StackName=self.stack)
        return [event for page in pages for event in page["StackEvents"]]


def find_stack(formation: CloudFormationClient, name: str) -> Mapping[str, Any] | None:
    """Find a stack; None if it is missing, or only holds an unexecuted change set."""
    try:
        [stack] = formation.describe_stacks(StackName=name)["Stacks"]
    except ClientError as error:
        if error.response["Error"]["Code"] == "ValidationError" and "does not exist" in str(error):
            return None
        raise
    return None if stack["StackStatus"] == "REVIEW_IN_PROGRESS" else stack


def _parameter(name: str, value: str | None) -> ParameterTypeDef:
    if value is None:
        return {"ParameterKey": name, "UsePreviousValue": True}
    return {"ParameterKey": name, "ParameterValue": value}


def make_change_set(
    formation: CloudFormationClient,
    stack: str,
    *,
    url: str,
    parameters: Mapping[str, str | None],
    tags: Mapping[str, str],
    sleep: Callable[[float], None],
) -> ChangeSet | None:
    """Make a change set of the template at the URL; None without a change.

    A parameter without a value keeps the deployed stack's.

    Raises:
        ClientError: CloudFormation refuses the template or a parameter.
        CommandFailed: the change set could not be made, with CloudFormation's reason.
    """
    is_first = find_stack(formation, stack) is None
    arn = formation.create_change_set(
        StackName=stack,
        ChangeSetName=f"headwater-{int(time.time())}",
        ChangeSetType="CREATE" if is_first else "UPDATE",
        TemplateURL=url,
        Parameters=[_parameter(name, value) for name, value in parameters.items()],
        Capabilities=["CAPABILITY_IAM"],
        Tags=[{"Key": key, "Value": value} for key, value in tags.items()],
    )["Id"]
    # CloudFormation compares the template with the stack in the background.
    while (description := formation.describe_change_set(ChangeSetName=arn))["Status"] not in (
        "CREATE_COMPLETE",
        "FAILED",
    ):
        sleep(_POLL_S)
    changes = ChangeSet(formation, stack, arn, is_first, sleep)
    if description["Status"] == "CREATE_COMPLETE":
        return changes
    # A failed change set would block the next.
    changes.delete()
    reason = description.get("StatusReason", "CloudFormation gives no reason")
    if any(words in reason for words in _NO_CHANGES):
        print(f"\n{stack} is as the template says: nothing to change")
        return None
    raise CommandFailed(f"the change set of {stack} could not be made: {reason}")


def _failure(stack: str, status: str, failed: list[StackEventTypeDef]) -> str:
    """Find the first failure that is no consequence of an earlier failure."""
    own = [event for event in failed if _STOPPED not in event.get("ResourceStatusReason", "").lower()]
    for event in own or failed:
        reason = event.get("ResourceStatusReason", "no reason given")
        return f"{stack} is {status}: {event['LogicalResourceId']} ({event['ResourceType']}) failed: {reason}"
    return f"{stack} is {status}, and no event names a resource that failed"
