"""The template, synthesized from app.py's stack in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from local_stack.errors import ChildFailed
from local_stack.template.template import RawTemplate, load_template
from local_stack.toolchain import with_node

_ROOT = Path(__file__).resolve().parents[2]
# In a wheel: the template of the context of cdk.json.
_CARRIED = _ROOT / "local.template.json"


def synthesize(**context: str) -> RawTemplate:
    """Synthesize a template without the layer: `synthesize(stage="test")`; context replaces cdk.json's. Works offline.

    A wheel carries the template without context, which is quicker, and needs no Node.

    Raises:
        ToolMissing: Node is missing.
        ChildFailed: Synthesis failed; the message ends with its output.
    """
    if not context and _CARRIED.exists():
        return load_template(_CARRIED)
    with tempfile.TemporaryDirectory(prefix="headwater-") as outdir:
        return load_template(synthesize_into(Path(outdir), **context))


def synthesize_into(outdir: Path, **context: str) -> Path:
    """Write the cloud assembly into `outdir` and return the template's path; raises as `synthesize` does."""
    environment = with_node({**os.environ, "PYTHONPATH": str(_ROOT)})
    done = subprocess.run(  # noqa: S603 - our own module, by our own interpreter
        [sys.executable, "-m", "infra.synth", str(outdir), *(f"{name}={value}" for name, value in context.items())],
        cwd=_ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise ChildFailed(f"the stack could not be synthesized:\n{done.stderr[-4000:]}")
    return Path(done.stdout.strip().splitlines()[-1])
