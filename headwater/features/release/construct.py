"""The templates of a release, for CloudFormation alone.

    python -m headwater.features.release.construct FILE.zip

    make_release(Path("dist/headwater-0.1.0-template.zip"), version="0.1.0")

A context value that changes properties alone is a parameter of the template. `auth` and `retention` change the list of
resources and their fate: the zip has a template for each choice. All further values stay at their defaults, and need
`cdk deploy`. Assets are read from the bucket of the parameter `AssetsBucket`: no bootstrap stack.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import jsii
from aws_cdk import aws_sns as sns
from aws_cdk import aws_wafv2 as wafv2
from constructs import Construct

from headwater import settings
from headwater.features.release.archive import pack
from infra.context import GLUE_VERSIONS, NAMES, StackContext
from infra.package import PROJECT, build_layer
from infra.spark_code import build_libraries
from infra.stack import LineageStack
from infra.synth import make_app

# The choices with a template each; the first is the default.
CHOICES: Mapping[str, Sequence[str]] = {"auth": ("iam", "token"), "retention": ("retain", "destroy")}
ASSETS_BUCKET = "AssetsBucket"
_BOOLEANS = {"type": "String", "allowed_values": ["true", "false"]}
# For each context value with a parameter: the parameter's name and definition. No hyphen in a stage: the database of
# Glue would need a further word for its name.
_PARAMETERS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "stage": (
        "Stage",
        {
            "type": "String",
            "default": "prod",
            "allowed_pattern": "[a-z][a-z0-9]{0,19}",
            "constraint_description": "must be a lower-case letter, then at most 19 letters and digits",
            "description": "The name of the deployment; a stack of another stage lives beside it.",
        },
    ),
    "alarm_email": (
        "AlarmEmail",
        {
            "type": "String",
            "default": "",
            "allowed_pattern": r"([^@\s]+@[^@\s]+\.[^@\s]+)?",
            "constraint_description": "must be an e-mail address, or empty",
            "description": "The address that every alarm is mailed to; empty for none.",
        },
    ),
    "strict_namespaces": (
        "StrictNamespaces",
        {
            **_BOOLEANS,
            "default": "false",
            "description": "Whether a token for some namespaces sees neighbours in others by id and type alone.",
        },
    ),
    "partition_trimming": (
        "PartitionTrimming",
        {
            **_BOOLEANS,
            "default": "true",
            "description": "Whether datasets that differ only by a partition in their path are one dataset.",
        },
    ),
    "compaction_hour_utc": (
        "CompactionHourUtc",
        {
            "type": "Number",
            "default": 0,
            "min_value": 0,
            "max_value": 23,
            "description": "The daily compaction starts at half past this hour, UTC.",
        },
    ),
    "glue_version": (
        "GlueVersion",
        {
            "type": "String",
            "default": GLUE_VERSIONS[0],
            "allowed_values": list(GLUE_VERSIONS),
            "description": "The version of AWS Glue for the Spark jobs.",
        },
    ),
    "web_acl_arn": (
        "WebAclArn",
        {
            "type": "String",
            "default": "",
            "allowed_pattern": r"(arn:aws[a-z-]*:wafv2:[a-z0-9-]+:[0-9]{12}:regional/webacl/[\w-]+/[0-9a-f-]{36})?",
            "constraint_description": "must be the ARN of a regional web ACL of WAFv2, or empty",
            "description": "A web ACL that checks requests to the HTTP APIs; empty for none.",
        },
    ),
}


@dataclass(frozen=True, slots=True)
class Variant:
    """A combination of choices: the name of its template is `token-retain`."""

    auth: str
    retention: str

    @property
    def name(self) -> str:
        """The name of the variant's template, without a suffix."""
        return f"{self.auth}-{self.retention}"


VARIANTS = tuple(Variant(auth, retention) for auth, retention in product(*CHOICES.values()))


class _Assets(cdk.DefaultStackSynthesizer):
    """A synthesizer of a single stack: the deployer uploads the assets, so there is no role and no bootstrap stack."""

    def __init__(self) -> None:
        super().__init__(file_assets_bucket_name=f"${{{ASSETS_BUCKET}}}", generate_bootstrap_version_rule=False)

    @jsii.member(jsii_name="reusableBind")
    def reusable_bind(self, stack: cdk.Stack) -> cdk.IBoundStackSynthesizer:
        """Bind this synthesizer itself: jsii would show us the unbound original of the copy bound by the CDK."""
        self.bind(stack)
        return self


class ReleaseStack(LineageStack):
    """The stack of a variant, with parameters in the place of context values."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        variant: Variant,
        version: str,
        layer: Path | None,
        libraries: Path | None,
    ) -> None:
        context = StackContext(
            stage=_ref("stage"),
            retain=variant.retention == "retain",
            alarm_email=_ref("alarm_email"),
            token_api=variant.auth == "token",
            compaction_hour_utc=int_token(_ref("compaction_hour_utc")),
            glue_version=_ref("glue_version"),
            web_acl_arn=_ref("web_acl_arn"),
        )
        super().__init__(scope, construct_id, context=context, layer=layer, libraries=libraries, synthesizer=_Assets())
        cdk.CfnParameter(
            self,
            ASSETS_BUCKET,
            type="String",
            description="The bucket, in this region, that holds the assets of the release.",
            allowed_pattern="[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]",
        )
        for name, definition in _PARAMETERS.values():
            cdk.CfnParameter(self, name, **definition)
        self.query_api.function.set({settings.STRICT_NAMESPACES: _ref("strict_namespaces")})
        for function in (self.query_api.function, self.events.function):
            function.set({settings.PARTITION_TRIMMING: _ref("partition_trimming")})
        self._leave_out(sns.CfnSubscription, "alarm_email")
        self._leave_out(wafv2.CfnWebACLAssociation, "web_acl_arn")
        # A later deployment goes on with the choices of this deployment.
        for output, value in (("Auth", variant.auth), ("Retention", variant.retention), ("Version", version)):
            cdk.CfnOutput(self, output, value=value)

    def _leave_out(self, kind: type[cdk.CfnResource], value: str) -> None:
        """Leave the resources of a type out where the parameter is empty."""
        name, _ = _PARAMETERS[value]
        given = cdk.CfnCondition(
            self, f"Has{name}", expression=cdk.Fn.condition_not(cdk.Fn.condition_equals(_ref(value), ""))
        )
        for node in self.node.find_all():
            if isinstance(node, kind):
                node.cfn_options.condition = given


def int_token(text: str) -> int:
    """Encode a reference as a number; the CDK writes the number as the reference."""
    number: int = cdk.Token.as_number(text)  # type: ignore[assignment]  # such numbers are floats without a fraction
    return number


def make_release_app(
    outdir: Path, *, version: str, variants: Sequence[Variant], layer: Path | None, libraries: Path | None
) -> cdk.App:
    """Make an app with a stack for each variant, called by the variant's name."""
    app = make_app(outdir)
    for variant in variants:
        ReleaseStack(app, variant.name, variant=variant, version=version, layer=layer, libraries=libraries)
    return app


def describe_release(version: str, variants: Sequence[Variant]) -> Mapping[str, Any]:
    """Describe the release for `headwater deploy`: choices, the templates' parameters, and the names that need CDK."""
    return {
        "version": version,
        "choices": {name: list(values) for name, values in CHOICES.items()},
        "templates": {variant.name: f"{variant.name}.template.json" for variant in variants},
        "parameters": {value: name for value, (name, _) in _PARAMETERS.items()},
        "needs_cdk": [name for name in NAMES if name not in _PARAMETERS and name not in CHOICES],
    }


def make_release(
    file: Path, *, version: str, variants: Sequence[Variant] = VARIANTS, layer: Path | None, libraries: Path | None
) -> None:
    """Write the zip of a release."""
    with tempfile.TemporaryDirectory() as scratch:
        app = make_release_app(Path(scratch), version=version, variants=variants, layer=layer, libraries=libraries)
        app.synth()
        pack(Path(scratch), file, describe_release(version, variants))


def _ref(value: str) -> str:
    """Make a reference to the parameter of a context value."""
    reference: str = cdk.Fn.ref(_PARAMETERS[value][0])
    return reference


def read_version() -> str:
    """Read the version in pyproject.toml."""
    lines: Iterator[str] = iter((PROJECT / "pyproject.toml").read_text(encoding="utf-8").splitlines())
    return next(line.split('"')[1] for line in lines if line.startswith("version = "))


def main(arguments: Sequence[str]) -> int:
    """Write the zip of this tree's release, with the layer and the libraries."""
    [file] = arguments
    make_release(Path(file), version=read_version(), layer=build_layer(), libraries=build_libraries())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
