"""The stores of an archive under verification: its bucket, or a copy in a folder (`aws s3 sync`)."""

from __future__ import annotations

import heapq
import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from botocore.exceptions import ClientError, HTTPClientError, IncompleteReadError

from headwater.attempts import attempts
from headwater.aws.objects import list_objects
from headwater_model.errors import HeadwaterError, NotFound

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import GetObjectOutputTypeDef

# Bytes of a read of a file: they stay in the processor's cache, and hashing them lets other threads run.
_FILE_BYTES = 256 * 1024
# Bytes of a read of a response.
_BODY_BYTES = 1024 * 1024
# A connection may break within a body; boto3 does not try again.
_ATTEMPTS = 3
# S3's refusals of a single object: a key of another account, or a storage class to restore first.
_UNREADABLE = {"AccessDenied", "InvalidObjectState"}


class Unreadable(HeadwaterError):
    """A failure to read an object that exists."""


@dataclass(frozen=True, slots=True)
class Listed:
    """An object as a listing names it."""

    key: str
    size_bytes: int


class Store(Protocol):
    """The objects of an archive."""

    @property
    def name(self) -> str:
        """The name of the store."""

    def list_objects(self, prefix: str, after: str = "") -> Iterator[Listed]:
        """Yield the objects below a folder, `prefix`, after a key, in the order of keys."""

    def chunks(self, key: str) -> Iterator[bytes | memoryview]:
        """Yield the object's bytes; a chunk is valid until the next read. Raises `NotFound`, `Unreadable`."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """A store that is a bucket."""

    s3: S3Client
    bucket: str
    sleep: Callable[[float], None] = time.sleep

    @property
    def name(self) -> str:
        """The URL of the bucket."""
        return f"s3://{self.bucket}"

    def list_objects(self, prefix: str, after: str = "") -> Iterator[Listed]:
        """See `Store`."""
        for entry in list_objects(self.s3, self.bucket, prefix, after=after):
            yield Listed(entry["Key"], entry["Size"])

    def chunks(self, key: str) -> Iterator[bytes | memoryview]:
        """See `Store`; after a broken connection, the rest of the same version is requested."""
        done, etag = 0, ""
        for attempt in attempts(_ATTEMPTS, self.sleep):
            response = self._get(key, done, etag)
            etag = response["ETag"]
            try:
                with closing(response["Body"]) as body:
                    for chunk in body.iter_chunks(_BODY_BYTES):
                        done += len(chunk)
                        yield chunk
                return
            except (HTTPClientError, IncompleteReadError):
                if attempt == _ATTEMPTS - 1:
                    raise

    def _get(self, key: str, start: int, etag: str) -> GetObjectOutputTypeDef:
        try:
            if start:
                return self.s3.get_object(Bucket=self.bucket, Key=key, Range=f"bytes={start}-", IfMatch=etag)
            return self.s3.get_object(Bucket=self.bucket, Key=key)
        except ClientError as error:
            code = error.response["Error"]["Code"]
            if code == "NoSuchKey":
                raise NotFound(f"{key} is not there") from error
            if code in _UNREADABLE or code.startswith("KMS."):
                raise Unreadable(f"S3 answers {code}") from error
            raise


@dataclass(frozen=True, slots=True)
class Folder:
    """A store that is a folder; its files are the bucket's objects, by their paths.

    Of each folder, `names_max` names are held at a time; the folder is read again for the next names.
    """

    path: Path
    names_max: int = 100_000

    @property
    def name(self) -> str:
        """The path of the folder."""
        return str(self.path)

    def list_objects(self, prefix: str, after: str = "") -> Iterator[Listed]:
        """See `Store`. A link to a folder is not followed: it counts as an unreadable object."""
        return self._walk(prefix, after)

    def _walk(self, prefix: str, after: str) -> Iterator[Listed]:
        """Yield the files below a folder, in the order of their keys."""
        # Names of folders end with a slash, as in keys: `a-b` comes before the content of `a`.
        last = ""
        while names := heapq.nsmallest(self.names_max, (name for name in _names(self.path / prefix) if name > last)):
            for name in names:
                key = prefix + name
                if not name.endswith("/"):
                    yield from _list_file(self.path, key, after)
                elif key > after or after.startswith(key):
                    # All keys in the folder begin with its key: a folder before `after` is skipped.
                    yield from self._walk(key, after)
            last = names[-1]

    def chunks(self, key: str) -> Iterator[bytes | memoryview]:
        """See `Store`."""
        buffer = bytearray(_FILE_BYTES)
        view = memoryview(buffer)
        try:
            with open(self.path / key, "rb", buffering=0) as file:
                while size := file.readinto(buffer):
                    yield view[:size]
        except FileNotFoundError as error:
            raise NotFound(f"{key} is not there") from error
        except OSError as error:
            raise Unreadable(error.strerror or str(error)) from error


def _list_file(folder: Path, key: str, after: str) -> Iterator[Listed]:
    """Yield the file if it comes after `after`; a removed file or broken link is skipped."""
    if key > after:
        with suppress(OSError):
            yield Listed(key, (folder / key).stat().st_size)


def _names(folder: Path) -> Iterator[str]:
    try:
        entries = os.scandir(folder)
    except FileNotFoundError:
        return
    with entries:
        for entry in entries:
            yield f"{entry.name}/" if entry.is_dir(follow_symlinks=False) else entry.name
