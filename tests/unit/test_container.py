"""The Containerfile: no container runtime is needed to see that its steps are ones that this tree has."""

import argparse
import json
import re
import subprocess
from pathlib import Path

import yaml

from headwater.cli.main import add_commands

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "Containerfile").read_text(encoding="utf-8")


def test_each_target_that_the_image_makes_is_one_of_the_makefile():
    targets = re.findall(r"\bmake ([a-z]+)", "\n".join(re.findall(r"^RUN (.*)$", TEXT, re.MULTILINE)))

    listed = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert targets == ["explorer", "synth"]
    assert all(re.search(rf"^{target} ", listed, re.MULTILINE) for target in targets)


def test_the_image_serves_what_it_synthesized_and_keeps_it_in_its_volume():
    program, *arguments = json.loads(re.search(r"^CMD (.*)$", TEXT, re.MULTILINE)[1])
    parser = argparse.ArgumentParser()
    add_commands(parser)

    given = parser.parse_args(arguments)

    assert program == ".venv/bin/headwater"
    assert str(given.data) in re.findall(r"^VOLUME (.*)$", TEXT, re.MULTILINE)
    assert given.template == Path("cdk.out/Headwater-prod.template.json")
    assert re.findall(r"^EXPOSE (.*)$", TEXT, re.MULTILINE) == [f"{given.api_port} {given.aws_port}"]


def test_the_user_of_the_image_owns_the_folder_that_the_project_is_copied_into():
    [user] = re.findall(r"^USER (.*)$", TEXT, re.MULTILINE)
    before, folder = re.search(r"(.*)^WORKDIR (\S+)$", TEXT, re.MULTILINE | re.DOTALL).groups()

    # WORKDIR makes a folder as root, and COPY gives away what it copies, not the folder: `make` writes .venv there.
    assert folder in re.findall(r"\bmkdir (.*?) &&", before)[0].split()
    assert folder in re.findall(rf"\bchown {user} (.*)$", before, re.MULTILINE)[0].split()


def test_compose_builds_this_image_with_its_volume_and_publishes_no_port():
    service = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]["headwater"]

    assert (ROOT / service["build"]["dockerfile"]).exists()
    assert service["volumes"] == ["data:/data"]
    assert service["network_mode"] == "host"
    assert "ports" not in service
