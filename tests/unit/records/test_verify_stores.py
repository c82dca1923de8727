"""A folder is read as a bucket is listed: by whole keys, in their order, from any key on; and left by its reader."""

import itertools
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.records.verify.archive import TrustAnchors, read_digests
from headwater.records.verify.chain import DayRange
from headwater.records.verify.stores import Folder, Listed, Unreadable
from headwater_model.errors import Conflict, NotFound
from tests.archives import MONDAY, three_days
from tests.unit.records.tampering import forge, setting

NAMES = st.text("ab-.0", min_size=1, max_size=3).filter(lambda name: name.strip("."))
PATHS = st.sets(st.lists(NAMES, min_size=1, max_size=3).map("/".join), max_size=12)


@settings(deadline=None)
@given(paths=PATHS, names_max=st.integers(1, 4), after=st.lists(NAMES, max_size=3).map("/".join))
def test_a_folder_is_listed_as_a_bucket_is(paths, names_max, after):
    # A name is a file or a folder, not both.
    paths = {path for path in paths if not any(other.startswith(f"{path}/") for other in paths)}
    with TemporaryDirectory() as temporary:
        for path in paths:
            (Path(temporary) / "traces" / path).parent.mkdir(parents=True, exist_ok=True)
            (Path(temporary) / "traces" / path).write_bytes(path.encode())
        after = f"traces/{after}" if after else ""
        listed = list(Folder(Path(temporary), names_max).list_objects("traces/", after))

    keys = sorted(f"traces/{path}" for path in paths)
    assert listed == [Listed(key, len(key) - len("traces/")) for key in keys if key > after]


def test_what_is_no_file_is_not_read(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(NotFound, match="other is not there"):
        list(Folder(tmp_path).chunks("other"))
    with pytest.raises(Unreadable, match="Is a directory"):
        list(Folder(tmp_path).chunks("folder"))


class Endless:
    """The folder's files, of which one has no end."""

    def __init__(self, folder, endless):
        self.name, self.list_objects = folder.name, folder.list_objects
        self._folder, self._endless = folder, endless

    def chunks(self, key):
        return itertools.repeat(b"x") if key == self._endless else self._folder.chunks(key)


def test_a_stopped_check_does_not_wait_for_work_under_way(tmp_path):
    archive = three_days(tmp_path)
    first, second = sorted(stored.key for stored in archive.objects[MONDAY])
    outcomes = read_digests(Endless(Folder(tmp_path), second), DayRange(), TrustAnchors()).check(2).outcomes()

    assert next(outcomes).key == first
    outcomes.close()


def test_a_digest_that_is_replaced_in_the_meantime_ends_the_verification(tmp_path):
    archive = three_days(tmp_path)
    read = read_digests(Folder(tmp_path), DayRange(), TrustAnchors())
    forge(archive, MONDAY, setting(0, sealed_at=1))

    with pytest.raises(Conflict, match="was replaced while it was read; verify again"):
        list(read.check(1).outcomes())
