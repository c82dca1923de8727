"""The code of the Spark jobs: a script, our code in an archive, and the libraries missing in Glue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import aws_cdk as cdk
from aws_cdk import aws_s3_assets as assets
from constructs import Construct

from infra.nag import accept
from infra.package import PROJECT, SERVICE
from infra.role_permissions import Rights
from infra.wheels import Target, built_once

LIBRARIES = PROJECT / "build" / "jobs"
_SCRIPT = PROJECT / "jobs" / "launch.py"
_LOCKS = PROJECT / "requirements"
# Glue brings boto3, pandas and pyarrow.
_GLUE = Target(("manylinux_2_28_x86_64", "manylinux2014_x86_64"), "3.11")


def build_libraries(*, locks: Path = _LOCKS, libraries: Path = LIBRARIES) -> Path:
    """Download the wheels of `requirements/jobs.txt` into a folder, unless it is there.

    Raises:
            subprocess.CalledProcessError: if a wheel is missing or its hash is not the locked hash; pip says which.
    """
    lock_file = locks / "jobs.txt"
    return built_once(("glue",), lock_file, libraries, lambda folder: _GLUE.download(lock_file, folder))


@dataclass(frozen=True, slots=True)
class Uploaded:
    """A file among the assets of the account."""

    bucket: str
    key: str

    @property
    def url(self) -> str:
        """The URL of the file."""
        return f"s3://{self.bucket}/{self.key}"


class SparkCode(Construct):
    """The files, uploaded with the stack; `libraries` is the folder of `build_libraries`, or None to go without."""

    def __init__(self, scope: Construct, construct_id: str, *, libraries: Path | None) -> None:
        super().__init__(scope, construct_id)
        self._libraries = libraries
        self.script = _uploaded(assets.Asset(self, "Script", path=str(_SCRIPT)))
        package = assets.Asset(
            self,
            "Package",
            path=str(PROJECT),
            ignore_mode=cdk.IgnoreMode.GIT,
            exclude=["/*", "!/jobs", *SERVICE],
        )
        self.package = _uploaded(package)

    def wheels(self) -> Sequence[Uploaded]:
        """Upload each wheel under its own name, because pip reads it: an asset is named by its hash otherwise."""
        synthesizer = cdk.Stack.of(self).synthesizer
        uploaded = []
        for wheel in sorted(self._libraries.glob("*.whl")) if self._libraries else ():
            location = synthesizer.add_file_asset(
                file_name=str(wheel), source_hash=wheel.stem, packaging=cdk.FileAssetPackaging.FILE
            )
            uploaded.append(Uploaded(location.bucket_name, location.object_key))
        return uploaded

    def read_by(self, rights: Rights, files: Sequence[Uploaded]) -> None:
        """Let a role read the files alone among the account's assets."""
        names = [f"{file.bucket}/{file.key}" for file in files]
        rights.allow(["s3:GetObject"], self._arns_of_s3(names))
        self._decrypt_by(rights, files[0].bucket)

    def _decrypt_by(self, rights: Rights, bucket: str) -> None:
        """Let a role decrypt the bucket's objects, by S3 alone: a company may encrypt them by a key of its own."""
        key = cdk.Stack.of(self).format_arn(service="kms", resource="key", resource_name="*")
        rights.allow(
            ["kms:Decrypt"],
            [key],
            conditions={
                "StringEquals": {"kms:ViaService": f"s3.{cdk.Aws.REGION}.{cdk.Aws.URL_SUFFIX}"},
                "StringLike": {"kms:EncryptionContext:aws:s3:arn": self._arns_of_s3([bucket, f"{bucket}/*"])},
            },
        )
        accept(
            rights.role,
            "IAM5[Resource::arn:<AWS::Partition>:kms:<AWS::Region>:<AWS::AccountId>:key/*]",
            "The stack knows no key of the assets' bucket; the conditions name the bucket, and S3 as the caller.",
        )

    def _arns_of_s3(self, names: Sequence[str]) -> list[str]:
        stack = cdk.Stack.of(self)
        return [stack.format_arn(service="s3", region="", account="", resource=name) for name in names]


def _uploaded(asset: assets.Asset) -> Uploaded:
    return Uploaded(asset.s3_bucket_name, asset.s3_object_key)
