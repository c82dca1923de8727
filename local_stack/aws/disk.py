"""Databases of the local stack: a change is in the file before its response leaves, and on the disk by `sync`."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

VERSION = 2


class UnknownVersion(Exception):
    """A file of a different version."""


class Disk:
    """A database for one transaction at a time, in a file or in memory.

    A transaction survives the end of this process. After `sync` it survives a loss of power, too, and with it all
    transactions before: SQLite reads its write-ahead log up to the first damage. Waiting threads share a write to
    the disk.

    Raises:
        UnknownVersion: the file is of a different version.
    """

    def __init__(self, file: Path | None = None) -> None:
        self.database = open_database(file)
        self._written = self._synced = 0
        self._syncing = threading.Lock()
        self._log: int | None = None
        if file is not None:
            self.database.execute("PRAGMA synchronous = NORMAL")
            # Hot pages in memory, in kB, and a longer write-ahead log: it is copied to the file less often.
            self.database.execute("PRAGMA cache_size = -64000")
            self.database.execute("PRAGMA wal_autocheckpoint = 16000")
            self._log = os.open(f"{file}-wal", os.O_RDONLY)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Write all or nothing."""
        self.database.execute("BEGIN IMMEDIATE")
        try:
            yield self.database
        except BaseException:
            self.database.execute("ROLLBACK")
            raise
        self.database.execute("COMMIT")
        self._written += 1

    def sync(self) -> None:
        """Wait until all transactions so far are on the disk."""
        written = self._written
        if self._log is None or self._synced >= written:
            return
        with self._syncing:
            if self._synced < written:
                written = self._written
                os.fsync(self._log)
                self._synced = written


def open_database(file: Path | None) -> sqlite3.Connection:
    """Open a database with each change on the disk before its response leaves; without a file it is in memory.

    Raises:
        UnknownVersion: the file is of a different version.
    """
    connection = sqlite3.connect(file or ":memory:", timeout=60, check_same_thread=False, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    [version] = connection.execute("PRAGMA user_version").fetchone()
    if version not in {0, VERSION}:  # 0 is a new file's
        raise UnknownVersion(f"is of version {version}, and this program reads {VERSION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    return connection
