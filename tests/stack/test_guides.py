"""The commands in the guides: existing outputs and context values, and options that the services know."""

from __future__ import annotations

import argparse
import io
import re
import shlex
import subprocess
from contextlib import redirect_stdout

import botocore.session
import pytest
from botocore import xform_name

from headwater.cli.main import add_commands, main
from infra.context import parse_context
from tests.stack.assemblies import PROJECT

GUIDES = ("deploy.md", "operations.md")
# Commands of the CLI's own, and options that it has for every command.
CUSTOM = {"s3", "configure", "logs tail", "emr add-steps", "cloudformation wait"}
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
GLOBAL = {"output", "query", "region", "no-paginate", "max-items"}


def shell(guide):
    """The guide's shell blocks, each command on one line, with X where a reader is to put something."""
    text = (PROJECT / "docs" / guide).read_text(encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return re.sub(r"<[a-z][^>\n]*>", "X", "\n".join(blocks).replace("\\\n", " "))


def simple_commands(guide):
    """The guide's commands, those inside others too, with V for what they hold of text and of answers."""
    text = re.sub(r"\\[\"']|\s# .*", "", shell(guide))
    inner_commands = []
    while inner := re.search(r"\$\(([^()]*)\)", text):
        inner_commands.append(inner[1])
        text = text[: inner.start()] + "V" + text[inner.end() :]
    return [line for part in [*inner_commands, text] for line in _QUOTED.sub("V", part).splitlines()]


def aws_commands():
    """Guide, service, operation, options."""
    calls = set()
    for guide in GUIDES:
        commands = [command for text in simple_commands(guide) for command in re.split(r"[|;&]", text)]
        for command in commands:
            requested = re.search(r"\baws ([a-z0-9-]+) ([a-z-]+)(.*)", command)
            if requested and requested[1] not in CUSTOM and f"{requested[1]} {requested[2]}" not in CUSTOM:
                calls.add(
                    (guide, requested[1], requested[2], frozenset(re.findall(r"(?<=\s)--([a-z-]+)", requested[3])))
                )
    return sorted(calls, key=str)


def test_the_guides_have_the_commands_that_they_are_read_for():
    services = {service for _, service, _, _ in aws_commands()}
    assert {"athena", "cloudformation", "dynamodb", "glue", "lambda", "s3api", "sqs", "stepfunctions"} <= services


@pytest.mark.parametrize(("guide", "service", "operation", "options"), aws_commands())
def test_an_aws_command_has_an_operation_and_options_that_the_service_knows(guide, service, operation, options):
    session = botocore.session.get_session()
    model = session.get_service_model("s3" if service == "s3api" else service)
    operations = {xform_name(name, "-"): name for name in model.operation_names}
    assert operation in operations
    shape = model.operation_model(operations[operation]).input_shape
    known = {xform_name(member, "-") for member in shape.members}
    assert {option for option in options if option.removeprefix("no-") not in known} <= GLOBAL


@pytest.mark.parametrize("guide", GUIDES)
def test_an_output_that_a_guide_names_is_one_of_the_stacks(guide, template, turned):
    text = (PROJECT / "docs" / guide).read_text(encoding="utf-8")
    outputs = {*template.content["Outputs"], *turned.content["Outputs"]}
    named = set(re.findall(r"\$\(output (\w+)\)", text))
    assert named - outputs == set()
    assert named


@pytest.mark.parametrize("guide", GUIDES)
def test_a_context_value_that_a_guide_turns_is_one(guide):
    text = (PROJECT / "docs" / guide).read_text(encoding="utf-8")
    turned = re.findall(r"-c ([a-z_]+)=([a-z0-9_@.-]+)", text)
    assert turned
    for name, value in turned:
        parse_context({name: value})


@pytest.mark.parametrize("guide", GUIDES)
def test_a_command_of_ours_that_a_guide_names_has_its_options(guide):
    commands = set(re.findall(r"\.venv/bin/headwater ([a-z]+)([^|;&\n`]*)", shell(guide)))
    assert commands
    known = add_commands(argparse.ArgumentParser())
    for command, rest in commands:
        # A command of a feature that was left out is not there.
        if command == "cdk" or command not in known:
            continue
        words = [word for word in shlex.split(rest.split(" #")[0]) if re.fullmatch(r"[a-z]+", word)][:1]
        returned = help_of(command) + (help_of(command, *words) if command == "token" else "")
        options = set(re.findall(r"(?<=\s)(--[a-z-]+)", rest))
        assert {option for option in options if option not in returned} == set()


def help_of(*command):
    with redirect_stdout(io.StringIO()) as printed, pytest.raises(SystemExit):
        main([*command, "--help"])
    return printed.getvalue()


@pytest.mark.parametrize("guide", GUIDES)
def test_the_shell_of_a_guide_is_shell(guide):
    subprocess.run(["bash", "-n"], input=shell(guide), text=True, check=True)
