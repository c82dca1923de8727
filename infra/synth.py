"""Synthesize the stack into a folder: `python -m infra.synth OUTDIR [name=value ...]` prints the template's path.

Nothing here needs the network: the layer is left out, so the template describes the stack but cannot run on Lambda.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import aws_cdk as cdk

from headwater_model.errors import Invalid
from infra.context import parse_context
from infra.package import PROJECT, build_layer
from infra.spark_code import build_libraries
from infra.stack import LineageStack


def make_stack(app: cdk.App) -> LineageStack:
    """Make the stack of the app's context, `Headwater-prod` for the stage `prod`.

    Raises:
        Invalid: a context value is wrong.
    """
    context = parse_context(app.node.get_all_context())
    return LineageStack(
        app,
        context.stack,
        context=context,
        layer=build_layer() if context.layer else None,
        libraries=build_libraries() if context.layer else None,
    )


def synthesize(outdir: Path, context: Mapping[str, object] | None = None) -> Path:
    """Write the cloud assembly, with `context` over cdk.json's context; return the template's path."""
    app = make_app(outdir, context)
    stack = make_stack(app)
    app.synth()
    return outdir / stack.template_file


def make_app(outdir: Path, context: Mapping[str, object] | None = None) -> cdk.App:
    """Make an app as `cdk synth` would start it, but without the layer."""
    values = json.loads((PROJECT / "cdk.json").read_text(encoding="utf-8"))["context"]
    return cdk.App(outdir=str(outdir), analytics_reporting=False, context={**values, "layer": False, **(context or {})})


def main(arguments: list[str]) -> int:
    """Run the command line and return its status."""
    if not arguments:
        sys.stderr.write("usage: python -m infra.synth OUTDIR [name=value ...]\n")
        return 2
    outdir, *turned = arguments
    try:
        template = synthesize(Path(outdir), dict(text.split("=", 1) for text in turned))
    except Invalid as wrong:
        sys.stderr.write(f"{wrong}\n")
        return 2
    sys.stdout.write(f"{template}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
