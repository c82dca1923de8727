"""`make test-formats`: jars are the locked ones, and a format that cannot be fetched is skipped with a sentence."""

import hashlib
from pathlib import Path

import pytest

from scripts import table_formats

LOCK = Path(__file__).resolve().parents[2] / "requirements" / "jars.sha256"
LOCKED = [line.split("  ") for line in LOCK.read_text(encoding="utf-8").splitlines()]


def test_every_line_of_the_lock_is_a_hash_and_a_jar_in_order_and_each_version_has_its_jar():
    assert [name for digest, name in LOCKED if len(digest) != 64 or not name.endswith(".jar")] == []
    names = [name for _, name in LOCKED]
    assert names == sorted(set(names))
    of_versions = {
        f"{table_formats.package_of(name, spark).partition(':')[2]}-{version}.jar"
        for spark, versions in table_formats.VERSIONS.items()
        for name, version in versions.items()
    }
    of_connectors = {
        "{1}-{2}.jar".format(*package.split(":"))
        for packages in table_formats.CONNECTORS.values()
        for package in packages
    }
    assert (of_versions | of_connectors) - set(names) == set()


def test_a_jar_of_another_hash_is_refused_and_so_is_one_that_is_not_locked(tmp_path):
    jar, lock = tmp_path / "delta-spark_2.12-3.3.2.jar", tmp_path / "jars.sha256"
    jar.write_bytes(b"classes")
    digest = hashlib.sha256(b"classes").hexdigest()
    for locked in ("", f"{'0' * 64}  {jar.name}\n"):
        lock.write_text(locked, encoding="utf-8")
        with pytest.raises(table_formats.WrongHash, match=f"{jar.name} has the SHA-256 {digest}, must be"):
            table_formats.compare_hashes([jar], lock, add=False)

    lock.write_text(f"{digest}  {jar.name}\n", encoding="utf-8")
    table_formats.compare_hashes([jar], lock, add=False)


def test_locking_adds_what_is_new_and_changes_no_hash(tmp_path):
    new, old, lock = tmp_path / "b-1.jar", tmp_path / "a-1.jar", tmp_path / "jars.sha256"
    new.write_bytes(b"new")
    old.write_bytes(b"changed")
    lock.write_text(f"{'0' * 64}  a-1.jar\n", encoding="utf-8")
    table_formats.compare_hashes([new], lock, add=True)
    assert lock.read_text("utf-8") == f"{'0' * 64}  a-1.jar\n{hashlib.sha256(b'new').hexdigest()}  b-1.jar\n"
    with pytest.raises(table_formats.WrongHash):
        table_formats.compare_hashes([old], lock, add=True)


@pytest.mark.large  # a JVM that starts three times
@pytest.mark.parametrize(("spark", "newest", "code"), [("3.5", False, 0), ("3.5", True, 1), ("4.3", True, 0)], ids=str)
def test_what_cannot_be_fetched_is_skipped_and_fails_only_the_newest_of_what_has_a_version(
    spark, newest, code, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Dhttp.proxyHost=nowhere.invalid -Dhttps.proxyHost=nowhere.invalid")
    assert table_formats.run("hudi", spark, newest=newest, cache=tmp_path) == code
    [line] = capsys.readouterr().out.splitlines()
    assert line.startswith(f"formats: hudi for Spark {spark} could not be fetched, so its tests are skipped: ")
    assert "org.apache.hudi#hudi-spark" in line
