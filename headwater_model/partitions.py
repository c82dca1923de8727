"""A partition's name, cut to its dataset's: at the end by OpenLineage's rules, inside by ours for dates.

OpenLineage's Java client (`dataset/partition/trimmer`) trims its own events so by default: the last part of a path goes
while it only names a partition, as long as something is left.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from headwater_model.ids import DatasetId

# Counts the parts of a partition's name at the end of a path.
Rule = Callable[[list[str]], int]

_YEAR_MONTH = re.compile(r"(?P<year>\d{4})-?(?P<month>\d{2})", re.ASCII)
# The day is held to 31 only: Java's parser takes 30 February for its last day.
_DATES = tuple(
    re.compile(pattern, re.ASCII)
    for pattern in (
        r"(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})",
        r"(?P<day>\d{2})\.(?P<month>\d{2})\.(?P<year>\d{4})",
        r"(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})",
    )
)
# A date inside a path or a name. A number may be an id: years are held to two centuries, and months without a day to
# two separated numbers.
_YEAR, _MONTH, _DAY = r"(?:19|20)\d\d", r"(?:0[1-9]|1[0-2])", r"(?:0[1-9]|[12]\d|3[01])"
_HOUR = r"(?:[01]\d|2[0-3])"
_DAY_OF_YEAR = rf"{_YEAR}(?:-{_MONTH}(?:-{_DAY})?|_{_MONTH}(?:_{_DAY})?|{_MONTH}{_DAY})"
_TIME = r"(?:[T_ -]\d\d[-:.]?\d\d(?:[-:.]?\d\d)?Z?)?"
_INSIDE = tuple(
    re.compile(pattern, re.ASCII)
    for pattern in (
        # Folders: `2013-01-01`, `day=2013-01-01`, `2013/01/01`, each with an hour.
        rf"/(?:\w+=)?{_DAY_OF_YEAR}{_TIME}(?:/{_HOUR})?(?=/[^/]|$)",
        rf"/{_YEAR}/{_MONTH}(?:/{_DAY}(?:/{_HOUR})?)?(?=/[^/]*[^\d/]|$)",
        # Ends of names, before the suffixes of a file: `daily_2013-01-01.csv.gz`.
        rf"(?<=[^/])(?<!=)[-_.]{_DAY_OF_YEAR}{_TIME}(?=(?:\.[A-Za-z]\w*)*(?:/|$))",
    )
)
_REST_OF_TIME = re.compile(r"[\d\s:.\-]*", re.ASCII)


# Schemes of namespaces with paths as names, perhaps without a slash.
_STORES = frozenset({"file", "dbfs", "hdfs", "s3", "gs", "wasbs", "abfss", "adl", "oss", "cos", "obs"})

_BUCKET = re.compile(r"arn:aws[\w-]*:s3tables:[^:]+:\w+:bucket/")


def is_path(namespace: str, name: str) -> bool:
    """True if the name is a path: it has a slash, or belongs to a file. In an ARN's namespace a slash separates words.

    >>> is_path("s3://flights", "daily_2013-01-01"), is_path("postgres://db:5432", "flights.daily_2013-01-01")
    (True, False)
    """
    return ("/" in name and not namespace.startswith("arn:")) or namespace.partition(":")[0] in _STORES


def is_location(namespace: str) -> bool:
    """Check for the place of data: a store of files, or a bucket of S3 Tables.

    >>> is_location("s3://lake"), is_location("arn:aws:s3tables:eu-west-1:111122223333:bucket/lake")
    (True, True)
    >>> is_location("arn:aws:glue:eu-west-1:111122223333"), is_location("awsathena://athena.eu-west-1.amazonaws.com")
    (False, False)
    """
    return namespace.partition(":")[0] in _STORES or _BUCKET.match(namespace) is not None


def is_in_bucket(dataset: DatasetId) -> bool:
    """Check for a table of S3 Tables: by its bucket (`arn:aws:s3tables:…:bucket/lake`), or in the catalog of Athena."""
    return bool(_BUCKET.match(dataset.namespace)) or dataset.name.startswith("s3tablescatalog/")


def plain_name(namespace: str, name: str) -> str:
    """Spell a name as other producers do: without outer slashes in S3, without Spark's catalog in S3 Tables.

    Airflow's Athena operator keeps the slash of a URL, OpenLineage's jar prefixes the name of a catalog.

    >>> plain_name("s3://lake", "/web/orders/"), plain_name("s3://lake", "/"), plain_name("file", "/web/orders")
    ('web/orders', '/', '/web/orders')
    >>> plain_name("arn:aws:s3tables:eu-west-1:111122223333:bucket/lake", "spark_catalog.web.orders")
    'web.orders'
    """
    if _BUCKET.match(namespace) and name.count(".") == 2:
        return name.partition(".")[2]
    return name.strip("/") or "/" if namespace.startswith("s3://") else name


@lru_cache(4096)
def trim_partitions(name: str) -> str:
    """Trim the partitions of a dataset's path: at its end, and dates anywhere.

    >>> [trim_partitions(f"flights/{rest}") for rest in ("2013-01-01/checked", "2013/01/01/checked", "d=2013-01-01/x")]
    ['flights/checked', 'flights/checked', 'flights/x']
    >>> [trim_partitions(f"flights/{rest}") for rest in ("daily_2013-01-01", "daily-20130101/x", "daily_2013_01.csv")]
    ['flights/daily', 'flights/daily/x', 'flights/daily.csv']

    A date at the beginning of a name belongs to it, and so do six digits, perhaps an id:

    >>> [trim_partitions(f"flights/{rest}") for rest in ("2013-01-01_checked", "daily_201301", "201301/checked")]
    ['flights/2013-01-01_checked', 'flights/daily_201301', 'flights/201301/checked']
    >>> [trim_partitions(f"flights/{rest}") for rest in ("daily_2013-01-01/day=2013-01-01", "2013-01-01/05")]
    ['flights/daily', 'flights']
    """
    trimmed = _without_dates(trim_end(name))
    while trimmed != name:
        name, trimmed = trimmed, _without_dates(trim_end(trimmed))
    return name


def _without_dates(name: str) -> str:
    """Trim a kind of dates inside the path, unless nothing is left."""
    root = "" if name.startswith("/") else "/"
    shorter = (pattern.sub("", root + name).removeprefix(root) for pattern in _INSIDE)
    return next((rest for rest in shorter if rest != name and rest.strip(" /")), name)


def trim_end(name: str) -> str:
    """Trim the partitions at the end of a path, by OpenLineage's rules.

    >>> trim_end("flights/checked/day=2013-01-01/hour=05")
    'flights/checked'
    >>> {trim_end(f"flights/{end}") for end in ("20130101", "2013-01-01T05:00Z", "01.01.2013", "2013-01")}
    {'flights'}
    >>> [trim_end(f"/lake/flights/{end}") for end in ("2013/01/01", "2013/01")]
    ['/lake/flights', '/lake/flights']

    Text without a date or a single pair stays, and so does the last part:

    >>> [trim_end(name) for name in ("flights/2013-13-01", "flights/a=b=c", "flights/v20130101", "day=1/hour=2")]
    ['flights/2013-13-01', 'flights/a=b=c', 'flights/v20130101', 'day=1']
    """
    trimmed = _without_last_partition(name)
    while trimmed != name:
        name, trimmed = trimmed, _without_last_partition(trimmed)
    return name


def _without_last_partition(name: str) -> str:
    root = "/" if name.startswith("/") else ""
    parts = name[len(root) :].split("/")
    count = next((count for rule in _RULES if 0 < (count := rule(parts)) < len(parts)), 0)
    rest = root + "/".join(parts[: len(parts) - count])
    return rest if rest.strip() else name


def _key_value(parts: list[str]) -> int:
    return int(parts[-1].count("=") == 1)


def _date(parts: list[str]) -> int:
    last = parts[-1]
    rest = last.replace("T", "", 1).replace("Z", "", 1)
    dates = (form for pattern in _DATES for form in pattern.finditer(last))
    return int(_REST_OF_TIME.fullmatch(rest) is not None and any(map(_is_date, dates)))


def _is_date(form: re.Match[str]) -> bool:
    return _is_month(form) and 1 <= int(form["day"]) <= 31


def _is_month(form: re.Match[str]) -> bool:
    return int(form["year"]) > 0 and 1 <= int(form["month"]) <= 12


def _year_month(parts: list[str]) -> int:
    form = _YEAR_MONTH.fullmatch(parts[-1])
    return int(form is not None and _is_month(form))


def _folder_of_month(parts: list[str]) -> int:
    """Count the parts of a month as in `2013/01`."""
    form = _YEAR_MONTH.fullmatch("".join(parts[-2:]))
    return 2 if form is not None and "-" not in form[0] and _is_month(form) else 0


def _folder_of_day(parts: list[str]) -> int:
    """Count the parts of a day as in `2013/01/01`."""
    form = _DATES[-1].fullmatch("".join(parts[-3:]))
    return 3 if form is not None and _is_date(form) else 0


_RULES: tuple[Rule, ...] = (_key_value, _date, _year_month, _folder_of_month, _folder_of_day)
