"""Versions of Delta's and Iceberg's tables: read by an execution, or made by its commit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

from headwater_model.ids import DatasetId
from spark_client.capturing.datasets.catalogs import Catalogs
from spark_client.capturing.latest import Latest
from spark_client.capturing.model import Commit, Dataset, Execution, Symlink

# Versions by dataset; None for several versions.
Versions: TypeAlias = Mapping[DatasetId, str | None]
NO_VERSIONS: Versions = {}
# Bound on running statements with parts.
_ROOTS_MAX = 100


class ReadVersions:
    """Versions read by executions; Delta's MERGE may checkpoint its source in an execution of its own, a part."""

    def __init__(self, catalogs: Catalogs) -> None:
        self._catalogs = catalogs
        self._parts: Latest[int, dict[str, str | None]] = Latest(_ROOTS_MAX)

    def add_part(self, execution: Execution) -> None:
        """Remember the read versions of a part of a statement."""
        if execution.read_versions and execution.root_id != execution.id:
            part = self._parts[execution.root_id] = self._parts.get(execution.root_id, {})
            for path, version in execution.read_versions.items():
                part[path] = version if part.get(path, version) == version else None

    def of(self, execution: Execution) -> Versions:
        """Collect the read versions of an execution and its parts; the execution's own scans win."""
        return self.locate({**self._parts.pop(execution.id, {}), **execution.read_versions})

    def locate(self, versions: Mapping[str, str | None]) -> Versions:
        """Map versions by path to versions by dataset."""
        located = ((self._catalogs.find_path(path), version) for path, version in versions.items())
        return {dataset: version for dataset, version in located if dataset is not None}


def read_at(inputs: Iterable[Dataset], versions: Versions) -> Iterator[Dataset]:
    """Yield the inputs at the read versions; a scan's version wins over the query's."""
    for dataset in inputs:
        yield replace(dataset, version=versions[dataset.id]) if dataset.id in versions else dataset


def with_before(versions: Versions, output: DatasetId, commit: Commit | None) -> Versions:
    """Add the version of a changed table, as read by its transaction; None if the scans read a different version.

    >>> table = DatasetId("s3://lake", "orders")
    >>> with_before({}, table, Commit("8", read_version="7")) == {table: "7"}
    True
    """
    if commit is None or commit.read_version is None:
        return versions
    same = versions.get(output, commit.read_version) == commit.read_version
    return {**versions, output: commit.read_version if same else None}


def committed(output: Dataset | None, commit: Commit | None, catalogs: Catalogs) -> Dataset | None:
    """Complete an output by its commit: the new version, branch and rows, and the location of a created table."""
    if output is None or commit is None:
        return output
    place = catalogs.find_path(commit.location) if commit.location else None
    if place is not None and place != output.id:
        by_name = Symlink(output.id.namespace, output.id.name)
        output = replace(output, id=place, symlinks=(by_name, *output.symlinks))
    return replace(output, version=commit.version, branch=commit.branch, rows=commit.rows)
