"""Build a release: `python scripts/dist.py [FOLDER]`, into dist/: the template, both wheels, their bills of materials.

SHA256SUMS names all of them. `--template FILE` takes a template of `headwater.features.release.construct`, `--local`
the synthesized template of `headwater serve`, which the wheel carries, too: an installation needs no Node. The same
tree gives the same bytes, on any day: hatchling reads the times of files from SOURCE_DATE_EPOCH, the time of the
commit. The explorer must have been built (`make explorer`), for it lies in the wheel of `headwater`.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from sbom import merge, read_lock, read_npm_lock, render_bom, select_required

ROOT = Path(__file__).resolve().parent.parent
# The folder of each distribution's pyproject.toml.
SOURCES = {"headwater": ROOT, "headwater-client": ROOT / "packaging" / "client"}


def main(arguments: Sequence[str]) -> int:
    """Build into the folder, and print the files."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "dist")
    parser.add_argument("--template", type=Path)
    parser.add_argument("--local", type=Path)
    given = parser.parse_args(arguments)
    folder = given.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    template = build_template(folder, given.template)
    with TemporaryDirectory() as assembly:
        local = given.local or synthesize(assembly)
        wheels = {name: build(source, folder, template, local) for name, source in SOURCES.items()}
    built = [*wheels.values(), template, *write_bills(wheels)]
    sums = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in built)
    (folder / "SHA256SUMS").write_text(sums, encoding="utf-8")
    sys.stdout.write(sums)
    return 0


def build_template(folder: Path, given: Path | None) -> Path:
    """Synthesize the template with its assets, or copy the given template; return the zip in the folder."""
    [version] = re.findall(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    file = folder / f"headwater-{version}-template.zip"
    if given:
        shutil.copyfile(given, file)
    else:
        subprocess.run([sys.executable, "-m", "headwater.features.release.construct", str(file)], cwd=ROOT, check=True)  # noqa: S603 - our own code
    return file


def synthesize(folder: str) -> Path:
    """Synthesize the template of the local stack into a folder."""
    code = f"from local_stack.template import synthesis; print(synthesis.synthesize_into(synthesis.Path({folder!r})))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own code
    return Path(done.stdout.strip())


def build(source: Path, folder: Path, template: Path, local: Path) -> Path:
    """Build the wheel of a folder with a pyproject.toml; the wheel of `headwater` has both templates in it."""
    code = f"from hatchling.build import build_wheel; print(build_wheel({str(folder)!r}))"
    templates = {"HEADWATER_TEMPLATE": str(template), "HEADWATER_LOCAL_TEMPLATE": str(local)}
    environment = {**os.environ, **templates, "SOURCE_DATE_EPOCH": _commit_s()}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=source, env=environment, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own code
    return folder / done.stdout.split()[-1]


def write_bills(wheels: Mapping[str, Path]) -> Sequence[Path]:
    """Write the bill of materials of each wheel beside it; return the paths."""
    client = wheels["headwater-client"]
    locked = read_lock(ROOT / "requirements" / "local.txt")
    # The layer of the functions and the libraries of the Spark jobs, in the template in the wheel.
    in_template = [
        package for name in ("lambda.txt", "jobs.txt") for package in read_lock(ROOT / "requirements" / name)
    ]
    page = read_npm_lock(ROOT / "explorer" / "package-lock.json")
    contents = {
        "headwater": (merge([*select_required(wheels["headwater"], locked), *in_template, *page]), [client]),
        "headwater-client": (select_required(client, locked), []),
    }
    bills = []
    for name, (packages, bundled) in contents.items():
        bill = wheels[name].with_name("-".join(wheels[name].name.split("-")[:2]) + ".cdx.json")
        bill.write_text(render_bom(wheels[name], packages, bundled=bundled, time_s=int(_commit_s())), encoding="utf-8")
        bills.append(bill)
    return bills


def _commit_s() -> str:
    """Find the time of the commit in seconds since 1970; without git, hatchling's own constant."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        return given
    command = ["git", "log", "-1", "--format=%ct"]
    try:
        return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()  # noqa: S603 - our own command
    except (OSError, subprocess.CalledProcessError):
        return "1580601600"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
