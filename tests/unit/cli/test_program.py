"""The name by which the program is started, in all that it prints, and its version."""

from __future__ import annotations

import ast
import os
import re
import shlex
import sys
import sysconfig
from pathlib import Path

import pytest

from headwater.cli.main import _COMMANDS, main
from headwater.cli.program import program

PROJECT = Path(__file__).parents[3]
PRINTING = ("headwater", "headwater_model", "local_stack", "spark_client", "infra", "lambdas", "jobs")
# A command to type; `headwater graph: ...` begins an error.
BARE = re.compile(rf"(?<![\w./-])headwater (?:{'|'.join(_COMMANDS)})\b(?!:)")


@pytest.fixture
def scripts(tmp_path, monkeypatch):
    """The folder of an environment's programs, in a checkout whose path has a space; it is not on the PATH."""
    folder = tmp_path / "check out" / ".venv" / "bin"
    folder.mkdir(parents=True)
    write_program(folder)
    monkeypatch.setattr(sysconfig, "get_path", lambda _: str(folder))
    monkeypatch.setenv("PATH", os.defpath)
    monkeypatch.chdir(folder.parents[1])
    return folder


def write_program(folder):
    file = folder / "headwater"
    file.write_text("#!/bin/sh\n", encoding="utf-8")
    file.chmod(0o755)


def test_without_it_on_the_path_it_is_the_path_to_it(scripts):
    assert program() == ".venv/bin/headwater"


def test_where_the_path_leads_to_it_also_by_a_link_it_is_its_name(scripts, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(scripts))
    assert program() == "headwater"
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "headwater").symlink_to(scripts / "headwater")
    monkeypatch.setenv("PATH", str(tmp_path / "links"))
    assert program() == "headwater"


def test_without_a_script_it_is_a_module_of_this_python(scripts):
    (scripts / "headwater").unlink()
    assert shlex.split(program()) == [sys.executable, "-m", "headwater"]


@pytest.mark.parametrize("command", [*((name,) for name in _COMMANDS if name != "cdk"), ("token", "create"), ()])
def test_every_command_that_help_prints_begins_with_what_starts_it(command, scripts, capsys):
    with pytest.raises(SystemExit):
        main([*command, "--help"])

    shown = capsys.readouterr().out
    assert shown.startswith("usage: .venv/bin/headwater ")
    assert BARE.findall(shown) == []


def texts_of(file):
    """The file's strings, without those that are documentation of the source."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    about = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in about:
            yield node.value


@pytest.mark.parametrize("folder", PRINTING)
def test_no_text_of_the_program_has_a_command_that_the_shell_may_not_find(folder):
    files = sorted((PROJECT / folder).rglob("*.py"))
    assert files
    assert [(file.name, text) for file in files for text in texts_of(file) if BARE.search(text)] == []
