"""Whatever single thing is done to an archive, it is found; where it was not done, nothing is."""

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from headwater.records.signatures import signature_key_of
from tests.archives import MONDAY, three_days
from tests.examples import examples
from tests.unit.records.tampering import KEY, verified


@pytest.fixture(scope="module")
def sealed(tmp_path_factory):
    """A signed archive, and its files."""
    archive = three_days(tmp_path_factory.mktemp("archive"), KEY, events=True)
    return archive, {
        str(path.relative_to(archive.folder)): path.read_bytes()
        for path in sorted(archive.folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def restored(sealed):
    """The same, as it was sealed."""

    def restore():
        archive, files = sealed
        for name in ("traces", "digests", "events"):
            shutil.rmtree(archive.folder / name, ignore_errors=True)
        for key, body in files.items():
            archive.put(key, body)
        return archive

    return restore


def says_nothing(key, body, place):
    """Return True if the byte is of a signature's key id, which only names the key to try."""
    if not key.endswith(".sig.json"):
        return False
    start = body.index(b'"key_id":"') + len(b'"key_id":"')
    return start <= place < start + len(json.loads(body)["key_id"])


same_archive = examples(100, HealthCheck.function_scoped_fixture)


def test_as_it_was_sealed_nothing_is_found(restored):
    assert verified(restored()) == []


@same_archive
@given(data=st.data())
def test_any_byte_that_was_changed_is_found(sealed, restored, data):
    archive, files = sealed[0], sealed[1]
    key = data.draw(st.sampled_from(sorted(files)))
    place = data.draw(st.integers(0, len(files[key]) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda byte: byte != files[key][place]))
    restored()
    archive.put(key, files[key][:place] + bytes([byte]) + files[key][place + 1 :])

    assert verified(archive) or says_nothing(key, files[key], place)


@same_archive
@given(data=st.data())
def test_any_byte_that_was_inserted_or_removed_is_found(sealed, restored, data):
    archive, files = sealed[0], sealed[1]
    key = data.draw(st.sampled_from(sorted(files)))
    place = data.draw(st.integers(0, len(files[key]) - 1))
    insertion = data.draw(st.binary(max_size=1))
    restored()
    archive.put(key, files[key][:place] + insertion + files[key][place + (not insertion) :])

    assert verified(archive) or says_nothing(key, files[key], place)


@same_archive
@given(data=st.data())
def test_any_object_that_was_removed_or_renamed_is_found(sealed, restored, data):
    archive, files = sealed[0], sealed[1]
    # Later signatures prove what the first one does.
    key = data.draw(st.sampled_from(sorted(set(files) - {signature_key_of(MONDAY)})))
    new = data.draw(st.none() | st.text("/.=0a", min_size=1, max_size=8))
    restored()
    body = files[key]
    (archive.folder / key).unlink()
    if new is not None:
        path = Path(key).parent / f"x{new}x"
        archive.put(str(path), body)

    assert verified(archive)
