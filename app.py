"""The CDK entry: `cdk synth`, `cdk deploy`. Reads the context, makes one stack, calls nothing on AWS."""

from __future__ import annotations

import sys

import aws_cdk as cdk

from headwater_model.errors import Invalid
from infra.synth import make_stack

app = cdk.App()
try:
    make_stack(app)
except Invalid as wrong:
    sys.exit(f"headwater: {wrong}")
app.synth()
