"""A local copy of the input of a day's compaction; its output is copied back, without a Spark connector to S3."""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from headwater.aws.objects import list_objects
from headwater.records.archive import prefix_of
from headwater.records.digest import DigestLines, key_of
from headwater.settings import REMOVED_PREFIX
from headwater_model.archive_tables import PREFIX

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


@contextmanager
def mirror_day(s3: S3Client, location: str, day: str) -> Iterator[Path]:
    """Yield a scratch folder with the day's digest, its objects and their bases, from `s3://bucket`.

    At the end, files under `tables/` are uploaded, manifests last; if the block raises, none are.
    """
    bucket = urlsplit(location).netloc
    with mirror_prefixes(s3, bucket, [key_of(day), prefix_of(day), f"{REMOVED_PREFIX}{prefix_of(day)}"]) as folder:
        for key in sorted(_bases(folder, day)):
            _download(s3, bucket, key, folder)
        yield folder


@contextmanager
def mirror_prefixes(s3: S3Client, bucket: str, prefixes: Sequence[str]) -> Iterator[Path]:
    """Yield a scratch folder with the objects under these prefixes; it is uploaded as `mirror_day` does."""
    with tempfile.TemporaryDirectory(prefix="headwater-archive-") as name:
        folder = Path(name)
        for key in sorted({entry["Key"] for prefix in prefixes for entry in list_objects(s3, bucket, prefix)}):
            _download(s3, bucket, key, folder)
        yield folder
        _upload(s3, bucket, folder)


def _download(s3: S3Client, bucket: str, key: str, folder: Path) -> None:
    target = folder / key
    target.parent.mkdir(parents=True, exist_ok=True)
    s3.download_file(bucket, key, str(target))


def _bases(folder: Path, day: str) -> set[str]:
    """List the objects of earlier days in the digest: bases of the day's objects, but for removed objects."""
    digest, removed = folder / key_of(day), folder / REMOVED_PREFIX
    if not digest.exists():
        return set()
    with gzip.open(digest) as lines:
        entries = DigestLines(lines).objects()
        return {entry.base for entry in entries if entry.base and not (removed / entry.key).exists()}


def _upload(s3: S3Client, bucket: str, folder: Path) -> None:
    """Upload every file of the tables but Hadoop's hidden checksums; a folder of Parquet replaces the stored one."""
    files = [file for file in (folder / PREFIX).rglob("*") if file.is_file() and not file.name.startswith(".")]
    written = {file.relative_to(folder).as_posix(): file for file in files}
    for prefix in {key.rpartition("/")[0] + "/" for key in written if key.endswith(".parquet")}:
        for entry in list_objects(s3, bucket, prefix):
            s3.delete_object(Bucket=bucket, Key=entry["Key"])
    for key in sorted(written, key=lambda key: (key.endswith(".json"), key)):
        s3.upload_file(str(written[key]), bucket, key)
