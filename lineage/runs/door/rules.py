"""What a dataset's name tells: that it is a partition of a larger one, or private temporary storage."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from lineage.names import DatasetId
from lineage.partitions import trim_partitions
from lineage.settings import PARTITION_TRIMMING, TEMPORARY_PATTERNS

# Searched in `<namespace>/<name>`.
DEFAULT_TEMPORARY = (
    r"^inmemory://",  # what OpenLineage names data that is never stored
    r"/_temporary(/|$)",  # Hadoop's output committers
    r"/\.spark-staging-",
    r"/\.hive-staging",
    r"[/.]pg_temp_\d+\.",  # PostgreSQL's temporary schemas
    r"__dbt_(tmp|backup)(\d*)$",
    r"^bigquery/[^.]+\._[0-9a-f]{40}\.anon",  # where BigQuery keeps results that nobody asked to keep
)


@dataclass(frozen=True, slots=True)
class NameRules:
    """The knobs of a deployment: `trim_partitions=False` takes names as sent, `temporary=()` finds none temporary.

    `temporary` are regular expressions, searched in `<namespace>/<name>` as it was sent.

    Raises:
        ValueError: one of them is no regular expression.
    """

    trim_partitions: bool = True
    temporary: tuple[str, ...] = field(default=DEFAULT_TEMPORARY)

    def __post_init__(self) -> None:
        for pattern in self.temporary:
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"temporary: must be regular expressions, got {pattern!r} ({error})") from error

    def dataset(self, namespace: str, name: str) -> DatasetId:
        """The dataset that a name as sent stands for.

        Partitions are trimmed where the name is a path: it has a slash, and its namespace is no ARN (AWS Glue's
        `table/<database>/<table>` is no path, whatever its tables are called).

        >>> NameRules().dataset("s3://flights", "checked/day=2013-01-01").name
        'checked'
        >>> NameRules().dataset("postgres://db:5432", "flights.checked.2013-01-01").name
        'flights.checked.2013-01-01'
        >>> NameRules().dataset("arn:aws:glue:eu-west-1:111122223333", "table/flights/201301").name
        'table/flights/201301'
        """
        path = self.trim_partitions and "/" in name and not namespace.startswith("arn:")
        return DatasetId(namespace, trim_partitions(name) if path else name)

    def is_temporary(self, namespace: str, name: str) -> bool:
        """Whether the name tells of storage that only its own job uses, for a while.

        >>> NameRules().is_temporary("s3://flights", "checked/_temporary/0/part-0")
        True
        """
        return bool(self.temporary) and _any_of(self.temporary).search(f"{namespace}/{name}") is not None


def parse_rules(variables: Mapping[str, str]) -> NameRules:
    """The rules that a function's variables give; the built-in patterns where they give none.

    >>> parse_rules({"PARTITION_TRIMMING": "false", "TEMPORARY_PATTERNS": "[]"})
    NameRules(trim_partitions=False, temporary=())
    """
    patterns = variables.get(TEMPORARY_PATTERNS)
    return NameRules(
        trim_partitions=variables.get(PARTITION_TRIMMING, "true") == "true",
        temporary=DEFAULT_TEMPORARY if patterns is None else tuple(json.loads(patterns)),
    )


@lru_cache(8)
def _any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))
