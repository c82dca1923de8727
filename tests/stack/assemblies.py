"""The stacks of the tests, all synthesized by a single process: `python -m tests.stack.assemblies FOLDER`.

A process spends ten seconds of CPU on the CDK before its first stack, then half a second a stack.
No test imports the CDK at its head: each process with tests would pay for the import.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import quote

from local_stack.toolchain import with_node

PROJECT = Path(__file__).parents[2]
TURNED, LARGEST, GRANTS, REFUSED = "turned", "largest", "grants.json", "refused.json"
# The longest name in a list of a function's variable: eight characters are quotation marks, backslashes and brackets.
LIST_BYTES = 992
WEB_ACL = "arn:aws:wafv2:eu-west-1:123456789012:regional/webacl/any/01234567-89ab-cdef-0123-456789abcdef"
WHEEL = "orjson-3.11.4-cp311-cp311-manylinux2014_x86_64.whl"
# Features' parts of the stacks below: a module with any of `CONTEXTS`, `NAMED`, `LARGEST`, `TURNED`, `make(folder)`.
# A stack without the feature has none of the texts in `ABSENT`.
_FEATURES = [
    vars(import_module(f"tests.features.{file.parent.name}.stacks"))
    for file in sorted(PROJECT.glob("tests/features/*/stacks.py"))
]
ABSENT = [text for feature in _FEATURES for text in feature.get("ABSENT", ())]
# Sets of context values of the fixture `assembly`; another set costs a process of its own.
CONTEXTS: Sequence[Mapping[str, str]] = (
    {},
    {"auth": "token"},
    *(context for feature in _FEATURES for context in feature.get("CONTEXTS", ())),
)
# Stacks by their names.
NAMED: Mapping[str, Mapping[str, object]] = {
    "protected": {"auth": "token", "web_acl_arn": WEB_ACL},
    LARGEST: {
        "stage": "s" * 20,
        "dynamodb_client": "boto3",
        "temporary_patterns": ["a" * LIST_BYTES],
        "drop_running_events": ["a" * LIST_BYTES],
        **{name: value for feature in _FEATURES for name, value in feature.get("LARGEST", {}).items()},
    },
    **{name: context for feature in _FEATURES for name, context in feature.get("NAMED", {}).items()},
}
# All context values are changed, but not those of alerts, nor the web ACL: it excludes a limit for each address.
_TURNED: Mapping[str, object] = {
    "stage": "dev",
    "records_ttl_hours": 48,
    "retention": "destroy",
    "alarm_email": "ops@example.org",
    "alarm_ok": True,
    "dashboard": True,
    "auth": "token",
    "strict_namespaces": "true",
    "compaction_hour_utc": 3,
    "partition_trimming": False,
    "temporary_patterns": ["/scratch/"],
    "drop_running_events": "flink*",
    "search_scan_gb": 1,
    "glue_version": "5.0",
    "sign_digests": True,
    "requests_per_address": 2000,
    "api_concurrency": 50,
    "snap_start": True,
    "object_lock": "compliance:2555",
    "dynamodb_client": "boto3",
    **{name: value for feature in _FEATURES for name, value in feature.get("TURNED", {}).items()},
}


def make_assemblies(folder: Path) -> None:
    """Write all assemblies into the folder, each into a folder of its own."""
    environment = with_node({**os.environ, "PYTHONPATH": str(PROJECT)})
    subprocess.run([sys.executable, "-m", "tests.stack.assemblies", folder], cwd=PROJECT, env=environment, check=True)


def name_of(context: Mapping[str, str]) -> str:
    """Name the folder of a context's assembly: `assembly-auth=token`."""
    return "-".join(["assembly", *(f"{name}={quote(value, safe='')}" for name, value in sorted(context.items()))])


def read_template(folder: Path, name: str) -> dict[str, Any]:
    """Read the template of an assembly."""
    [file] = (folder / name).glob("*.template.json")
    template: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return template


def main(folder: Path) -> None:
    """Write the assemblies, also of features, the grants of three stacks, and the refusal of a wrong value."""
    from infra.synth import synthesize

    for context in CONTEXTS:
        synthesize(folder / name_of(context), context)
    for name, named in NAMED.items():
        _synthesize(folder / name, named)
    grants = {TURNED: _synthesize_turned(folder), "bare": _grants_of_bare(folder, None)}
    grants["explained"] = _grants_of_bare(folder, "Buckets come and go.")
    (folder / GRANTS).write_text(json.dumps(grants), encoding="utf-8")
    (folder / REFUSED).write_text(json.dumps(_refuse(folder / "refused")), encoding="utf-8")
    for feature in _FEATURES:
        if "make" in feature:
            feature["make"](folder)


def _synthesize(
    folder: Path, context: Mapping[str, object], *, layer: Path | None = None, libraries: Path | None = None
):
    from infra.context import parse_context
    from infra.stack import LineageStack
    from infra.synth import make_app

    app = make_app(folder)
    parsed = parse_context(context)
    stack = LineageStack(app, parsed.stack, context=parsed, layer=layer, libraries=libraries)
    app.synth()
    return stack


def _synthesize_turned(folder: Path) -> dict[str, Any]:
    """Synthesize the stack with its context values changed, a layer and libraries; list the grants of its roles."""
    from aws_cdk import aws_iam as iam

    layer, libraries = folder / "layer" / "0123abcd", folder / "libraries" / "4567cdef"
    for file in (layer / "python" / "dependency.py", libraries / WHEEL):
        file.parent.mkdir(parents=True)
        file.touch()
    stack = _synthesize(folder / TURNED, _TURNED, layer=layer, libraries=libraries)
    written = [
        (role.node.path.partition("/")[2].removesuffix("/Role").removesuffix("Role"), reason)
        for role in stack.node.find_all()
        if isinstance(role, iam.Role)
        for entry in role.node.metadata
        if entry.type == "aws:cdk:acknowledged-rules"
        for rule, reason in entry.data.items()
        if "IAM5[Resource::" in rule
    ]
    return {"grants": _grants_of(stack), "written": written}


def _grants_of_bare(folder: Path, reason: str | None) -> list[dict[str, Any]]:
    """List the grants of a role with a read of every bucket, with or without a reason for it."""
    import aws_cdk as cdk
    from aws_cdk import aws_iam as iam

    from infra.nag import accept
    from infra.synth import make_app

    app = make_app(folder / f"bare-{reason is not None}")
    stack = cdk.Stack(app, "Bare")
    role = iam.Role(stack, "SomeRole", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
    role.add_to_policy(iam.PolicyStatement(actions=["s3:GetObject"], resources=["*"]))
    if reason:
        accept(role, "IAM5[Resource::*]", reason)
    app.synth()
    return _grants_of(stack)


def _refuse(folder: Path) -> dict[str, Any]:
    """Synthesize a wrong context value: status, output and number of templates."""
    from infra.synth import main as synthesize

    with redirect_stderr(io.StringIO()) as printed:
        status = synthesize([str(folder), "retention=keep"])
    return {
        "status": status,
        "printed": printed.getvalue(),
        "templates": len(list(folder.rglob("*.template.json"))),
    }


def _grants_of(stack) -> list[dict[str, Any]]:
    from infra.permissions import grants_of

    return [asdict(grant) for grant in grants_of(stack)]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
