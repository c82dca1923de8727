"""Amounts and partitions read of each input, by the scans in executed plans."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from urllib.parse import unquote

from headwater_model.ids import DatasetId
from spark_client.capturing.datasets.catalogs import Catalogs
from spark_client.capturing.datasets.locations import partition_of
from spark_client.capturing.model import Execution, InputStatistics
from spark_client.dataset_names import clean_name

# Folder of the rows without a value, by Hive's convention.
_NULL = "__HIVE_DEFAULT_PARTITION__"


def scanned(
    execution: Execution, catalogs: Catalogs, find_leaf: Callable[[Sequence[str]], DatasetId | None]
) -> Mapping[DatasetId, InputStatistics]:
    """Sum the scans of an execution by dataset; `find_leaf` finds a leaf's dataset by ids of its columns.

    Datasets of a scan of several datasets are left out, since the scan has a single count; so are a stream's batches.
    """
    statistics: dict[DatasetId, InputStatistics] = {}
    uncounted: set[DatasetId] = set()
    for scan in () if execution.stream else execution.scans:
        named = [catalogs.find_path(path) for path in scan.paths] if scan.paths else [find_leaf(scan.columns)]
        datasets = {dataset for dataset in named if dataset is not None}
        if len(datasets) != 1:
            uncounted |= datasets
            continue
        (dataset,) = datasets
        folders = scan.read.folders if all(map(catalogs.is_partition, scan.read.folders)) else ()
        read = replace(scan.read, folders=tuple(map(clean_name, folders)))
        statistics[dataset] = statistics[dataset].plus(read) if dataset in statistics else read
    return {dataset: read for dataset, read in statistics.items() if dataset not in uncounted}


def partitions_of(folders: Sequence[str]) -> list[Mapping[str, str | None]] | None:
    """Parse the columns and values of the partitions in folders; None for any folder without `name=value`.

    >>> partitions_of(["s3a://lake/flights/day=2013-01-01/hour=5"])
    [{'day': '2013-01-01', 'hour': '5'}]
    >>> partitions_of(["s3a://lake/flights/2013/01/01"])
    """
    parts = [partition_of(folder).split("/") for folder in folders]
    if not all(part.count("=") == 1 for each in parts for part in each):
        return None
    return [{unquote(name): _value(text) for name, text in (part.split("=") for part in each)} for each in parts]


def _value(text: str) -> str | None:
    return None if text == _NULL else unquote(text)
