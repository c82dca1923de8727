"""Acceptance of a cdk-nag finding, on its resource, with the reason."""

from __future__ import annotations

import aws_cdk as cdk
from constructs import IConstruct


def accept(construct: IConstruct, rule: str, reason: str) -> None:
    """Accept one finding of the AWS Solutions rules (`IAM5[Resource::*]`) for this construct and its children."""
    cdk.Validations.of(construct).acknowledge(cdk.Acknowledgment(id=f"AwsSolutions-{rule}", reason=reason))
