"""Versions of Delta's and Iceberg's tables: those that an execution read, and the one that it made."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

from headwater_model.ids import DatasetId
from spark_client.capturing.datasets.catalogs import Catalogs
from spark_client.capturing.model import Commit, Dataset, Execution, Symlink

# By dataset; None where several versions were read.
Versions: TypeAlias = Mapping[DatasetId, str | None]
NO_VERSIONS: Versions = {}
# Statements whose sources were checkpointed on the way, and that have not ended.
_ROOTS_MAX = 100


class ReadVersions:
    """Versions that executions read; a MERGE of Delta's may checkpoint its source in an execution of its own."""

    def __init__(self, catalogs: Catalogs) -> None:
        self._catalogs = catalogs
        self._parts: OrderedDict[int, dict[str, str | None]] = OrderedDict()

    def add_part(self, execution: Execution) -> None:
        """Remember what a part of an execution read."""
        if execution.read_versions and execution.root_id != execution.id:
            part = self._parts.setdefault(execution.root_id, {})
            for path, version in execution.read_versions.items():
                part[path] = version if part.get(path, version) == version else None
            while len(self._parts) > _ROOTS_MAX:
                self._parts.popitem(last=False)

    def of(self, execution: Execution) -> Versions:
        """Return what an execution read, with its parts; a scan of its own knows better."""
        return self.locate({**self._parts.pop(execution.id, {}), **execution.read_versions})

    def locate(self, versions: Mapping[str, str | None]) -> Versions:
        """Return by dataset what is known by path."""
        located = ((self._catalogs.find_path(path), version) for path, version in versions.items())
        return {dataset: version for dataset, version in located if dataset is not None}


def read_at(inputs: Iterable[Dataset], versions: Versions) -> Iterator[Dataset]:
    """Yield the inputs at the versions that were read; a scan knows better than the query."""
    for dataset in inputs:
        yield replace(dataset, version=versions[dataset.id]) if dataset.id in versions else dataset


def with_before(versions: Versions, output: DatasetId, commit: Commit | None) -> Versions:
    """Return the versions with that of the table whose rows a statement changed, as its transaction read it."""
    if commit is None or commit.read_version is None:
        return versions
    same = versions.get(output, commit.read_version) == commit.read_version
    return {**versions, output: commit.read_version if same else None}


def committed(output: Dataset | None, commit: Commit | None, catalogs: Catalogs) -> Dataset | None:
    """Return a target at the version that the commit made, and by its place if only the commit knows that."""
    if output is None or commit is None:
        return output
    place = catalogs.find_path(commit.location) if commit.location else None
    if place is not None and place != output.id:
        by_name = Symlink(output.id.namespace, output.id.name)
        output = replace(output, id=place, symlinks=(by_name, *output.symlinks))
    return replace(output, version=commit.version, branch=commit.branch)
