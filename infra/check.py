"""`python -m infra.check`: synthesize the stack with everything on, and print its faults.

cdk-nag (AWS Solutions) and cfn-lint check it. Exits 1 if there is a finding. Offline: no layer.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import aws_cdk as cdk
from cdk_nag import AwsSolutionsChecks
from cfnlint.api import lint_file
from cfnlint.config import ManualArgs

from infra.context import FEATURES_CONTEXT
from infra.synth import make_app, make_stack

_REPORT = "validation-report.json"
_IGNORED = {
    "W3005": "the CDK writes DependsOn beside a GetAtt, so that a role's policies are there before its function is"
}


# Everything on; mutually exclusive values have a template each.
_A_WEB_ACL = "arn:aws:wafv2:us-east-1:123456789012:regional/webacl/any/01234567-89ab-cdef-0123-456789abcdef"
_TURNED: Mapping[str, object] = {
    "alarm_email": "someone@example.org",
    "auth": "token",
    "sign_digests": True,
    "api_concurrency": 50,
    "snap_start": True,
    "dashboard": True,
    "object_lock": "governance:365",
}
_EITHER: Sequence[Mapping[str, object]] = (
    {"web_acl_arn": _A_WEB_ACL},
    {"requests_per_address": 2000},
)


def main() -> int:
    """Run the command line and return its status."""
    findings = [
        finding
        for number, either in enumerate(_EITHER)
        for finding in check({**_TURNED, **either, **_features_turned(number)})
    ]
    sys.stdout.writelines(f"{finding}\n" for finding in findings)
    sys.stdout.write(f"cdk-nag and cfn-lint: {len(findings)} findings\n")
    return 1 if findings else 0


def _features_turned(number: int) -> Mapping[str, object]:
    """Choose an example of each feature's context values, by its number; a short list starts over."""
    examples = [module.EXAMPLES for module in FEATURES_CONTEXT.values()]
    return {name: value for each in examples for name, value in each[number % len(each)].items()}


def check(context: Mapping[str, object]) -> list[str]:
    """List the faults of the stack with the context."""
    with tempfile.TemporaryDirectory() as scratch:
        app = make_app(Path(scratch), context)
        stack = make_stack(app)
        return [*nag(app), *lint(Path(scratch) / stack.template_file)]


def nag(app: cdk.App) -> Iterator[str]:
    """Synthesize the app and yield cdk-nag's findings without an acceptance; warnings count."""
    cdk.Validations.of(app).add_plugins(AwsSolutionsChecks(app))
    report = Path(app.outdir) / _REPORT
    try:
        app.synth()
    except RuntimeError:  # jsii knows no other class; with a report it is ValidationFailed, else it is not ours
        if not report.is_file():
            raise
    for plugin in json.loads(report.read_text(encoding="utf-8"))["pluginReports"]:
        for violation in plugin["violations"]:
            for construct in violation["violatingConstructs"]:
                yield f"{violation['ruleName']}: {construct['constructPath']}: {violation['description']}"


def lint(template: Path) -> Iterator[str]:
    """Yield cfn-lint's findings in a template."""
    for match in lint_file(template, config=ManualArgs(ignore_checks=list(_IGNORED))):
        yield f"{match.rule.id}: {match.filename}:{match.linenumber}: {match.message}"


if __name__ == "__main__":
    sys.exit(main())
