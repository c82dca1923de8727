"""A job of Spark: a module of `jobs/`, its constant arguments, and its rights."""

from __future__ import annotations

from collections.abc import Mapping

from aws_cdk import aws_iam as iam
from constructs import Construct

from infra.role_permissions import Rights


class SparkJob(Construct):
    """The module `jobs.<module>`, with a role of its own, without rights until they are allowed.

    A job that does not scale keeps its workers to its end: their data cannot be computed again.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        module: str,
        about: str,
        arguments: Mapping[str, str],
        timeout_min: int,
        runs_max: int,
        scales: bool = True,
    ) -> None:
        super().__init__(scope, construct_id)
        self.about = about
        self.arguments = {"--job": module, **arguments}
        self.timeout_min = timeout_min
        self.runs_max = runs_max
        self.scales = scales
        self.role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("glue.amazonaws.com"))
        self.rights = Rights(self.role)
