"""Names of log groups where a service requires one; all other names are CloudFormation's."""

from __future__ import annotations

import aws_cdk as cdk


def log_name(prefix: str) -> str:
    """Make a name, `/aws-glue/Headwater-prod-4a5b6c7d8e9f`; a later stack has new digits: logs outlive their stack."""
    of_this_stack = cdk.Fn.select(4, cdk.Fn.split("-", cdk.Fn.select(2, cdk.Fn.split("/", cdk.Aws.STACK_ID))))
    return f"{prefix}/{cdk.Aws.STACK_NAME}-{of_this_stack}"
