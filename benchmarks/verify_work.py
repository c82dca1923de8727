"""The cost of hashing an archive: `python -m benchmarks.verify_work ours|sha256sum|openssl FOLDER`, or `make FOLDER N`.

Everything runs on one core; the figures are bytes for a second of its CPU, and for a second. Ours is the whole
verification: list, read the digest, then read, hash and compare each object.
"""

from __future__ import annotations

import gzip
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from hashlib import sha256
from pathlib import Path

from benchmarks.processes import print_figures
from headwater.records.archive import prefix_of
from headwater.records.archive_state import Seal
from headwater.records.digest import Head, key_of, render_digest
from headwater.records.pointers import ArchiveObject
from headwater.records.verify.archive import TrustAnchors, read_digests
from headwater.records.verify.chain import DayRange
from headwater.records.verify.stores import Folder
from headwater_model.ids import sha256_hex

_DAY = "2025-11-20"
_MB = 1_000_000


def make(folder: Path, objects: int) -> None:
    """Write an archive of a sealed day, of objects of 1 to 8 MB."""
    dice = random.Random(1)
    (folder / prefix_of(_DAY)).mkdir(parents=True)
    listed = []
    for number in range(objects):
        body = dice.randbytes(dice.randrange(_MB, 8 * _MB))
        content = sha256(body).hexdigest()
        key = f"{prefix_of(_DAY)}{sha256_hex(str(number))}.{content}.jsonl.gz"
        (folder / key).write_bytes(body)
        listed.append(ArchiveObject(key, content, len(body), records=1, lines=1, version=1))
    listed.sort(key=lambda item: item.key)
    lines = render_digest(Head(_DAY, Seal("nightly", 0), None), listed, [])
    digest = folder / key_of(_DAY)
    digest.parent.mkdir(parents=True)
    digest.write_bytes(gzip.compress(b"".join(lines)))


def ours(folder: Path) -> None:
    """Verify as `headwater verify --archive FOLDER --jobs 1` does, without its output."""
    read = read_digests(Folder(folder), DayRange(), TrustAnchors())
    compared = sum(item.finding is None for item in read.check(1).outcomes())
    assert read.sealed[0].counts is not None
    assert compared == read.sealed[0].counts.objects


def tool(command: tuple[str, ...], folder: Path) -> None:
    """Hash all files by a program."""
    files = sorted((folder / prefix_of(_DAY)).iterdir())
    subprocess.run([*command, *map(str, files)], stdout=subprocess.DEVNULL, check=True)  # noqa: S603 - see WORKS


WORKS: Mapping[str, Callable[[Path], None]] = {
    "ours": ours,
    "sha256sum": partial(tool, ("sha256sum",)),
    "openssl": partial(tool, ("openssl", "dgst", "-sha256")),
}


def measure(work: Callable[[Path], None], folder: Path) -> dict[str, float]:
    """Measure the bytes a second of the archive's objects, by CPU and by the clock, on one core."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    size = sum(path.stat().st_size for path in (folder / prefix_of(_DAY)).iterdir())
    began, cpu = time.perf_counter(), _cpu_s()
    work(folder)
    return {"per_cpu_s": size / (_cpu_s() - cpu), "per_s": size / (time.perf_counter() - began)}


def _cpu_s() -> float:
    """Read the CPU seconds of this process and of its ended children."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(item.ru_utime + item.ru_stime for item in used)


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        print_figures(**measure(WORKS[sys.argv[1]], Path(sys.argv[2])))
