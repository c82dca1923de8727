"""The CDK entry: `cdk synth`, `cdk deploy`. Reads the context, makes one stack, calls nothing on AWS."""

from __future__ import annotations

import sys

import aws_cdk as cdk

from infra.synth import make_stack
from lineage_model.errors import Invalid

app = cdk.App()
try:
    make_stack(app)
except Invalid as wrong:
    sys.exit(f"headwater: {wrong}")
app.synth()
