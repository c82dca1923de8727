"""A job of Spark: a module of `jobs/`, its constant arguments, and its rights."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from constructs import Construct

from headwater_model.archive_tables import PREFIX
from infra.role_permissions import Rights

# A large file is uploaded in parts; a repeated attempt replaces its own files.
_WRITE = ("s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts")


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


def open_folders(rights: Rights, archive_bucket: s3.Bucket, folders: Iterable[str]) -> None:
    """Allow writing tables in the folders, such as `["records"]`, and the folders' marks of Hadoop's file systems.

    The folders are without the last slash: Hadoop looks at a folder, and marks it, under its own name.
    """
    for folder in folders:
        rights.allow_objects(_WRITE, archive_bucket, f"{PREFIX}{folder}")
    root = PREFIX.removesuffix("/")
    marks = [archive_bucket.arn_for_objects(f"{root}{mark}") for mark in ("", "/", "_$folder$")]
    rights.allow(["s3:GetObject", "s3:PutObject"], marks)
