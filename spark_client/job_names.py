"""Names of jobs: an application's name and the target of its write, the same in all runs of the program.

A job is `{application}.{suffix}`. The suffix is the written target, as in OpenLineage's own integration for Spark: the
table, or the last two segments of the path. Capture names its jobs so, and `headwater import` names Spline's jobs so.
"""

from __future__ import annotations

import re

_DATE = r"(?:19|20)\d\d[-_.]?(?:0[1-9]|1[0-2])(?:[-_.]?(?:0[1-9]|[12]\d|3[01]))?"
_TIME = r"[T_ -]?\d\d[-:_.]?\d\d(?:[-:_.]?\d\d(?:[.,]?\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?"
# Suffixes of a run made by launchers: Glue's and YARN's ids, UUIDs and hashes, times; and the uid of an estimator or a
# model of Spark's, as in `LogisticRegression_4a8b0c1d2e3f`.
_OF_A_RUN = re.compile(
    r"(?:^|[\s_.:/-]+)(?:"
    r"jr_[0-9a-f]{16,}"
    r"|(?:application|local|app|spark)[-_]\d{10,}(?:[-_]\d+)?"
    r"|[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}"
    r"|(?=[a-f]*\d)[0-9a-f]{20,}"
    r"|(?=[a-f]*\d)[0-9a-f]{12}(?<=[A-Za-z]_.{12})"
    r"|run[-_]\d+(?:[-_][a-z0-9]+)?"
    r"|\d{10,19}"
    rf"|{_DATE}(?:{_TIME})?"
    r")$",
    re.IGNORECASE,
)
# Folders of a date inside a path, as `trim_partitions` removes them from its end.
_FOLDERS_OF_A_DATE = re.compile(r"(?:^|/)(?:19|20)\d\d/(?:0[1-9]|1[0-2])(?:/(?:[0-2]\d|3[01])){0,2}(?=/|$)")
_WHEN = re.compile(r"(?:year|month|day|hour|minute|date|dt|ds|time|timestamp|ts|run|run_?id|batch|batch_?id)=.*", re.I)
_UNSAFE = re.compile(r"[^\w.-]+")
_NOT_A_WORD = re.compile(r"\W+")
_NAMELESS = "spark"


def application_name(spark_app_name: str) -> str:
    """Make the application's name a job's name: safe characters, no id or time of a run.

    A name of nothing but ids and times keeps them.

    >>> application_name("Nightly emissions"), application_name("nativespark-emissions-jr_0a1b2c3d4e5f60718293a4b5")
    ('Nightly_emissions', 'nativespark-emissions')
    >>> application_name("emissions-2025-11-20T12:00:00+00:00"), application_name("emissions_v2")
    ('emissions', 'emissions_v2')
    """
    return _UNSAFE.sub("_", _without_run(spark_app_name.strip())).strip("_.-") or _NAMELESS


def suffix_of(written: str) -> str:
    """Make the suffix of a job from the table or the path it writes.

    >>> suffix_of("raw/2013/flights.parquet"), suffix_of("emissions.estimated")
    ('2013_flights_parquet', 'emissions_estimated')

    It is the same in two runs with different paths:

    >>> suffix_of("raw/2013-01-01/flights/day=2013-01-01/checked"), suffix_of("models/KMeans_4a8b0c1d2e3f")
    ('flights_checked', 'models_KMeans')
    """
    return _NOT_A_WORD.sub("_", "_".join(segments_of_every_run(written)[-2:])).strip("_") or "root"


def segments_of_every_run(name: str) -> list[str]:
    """List the segments of a path without dates and ids of a run: `["raw", "flights"]` of `raw/2013-01-01/flights`."""
    segments = map(_without_run, _FOLDERS_OF_A_DATE.sub("", name).split("/"))
    return [
        segment for segment in segments if segment and not (_WHEN.fullmatch(segment) or _OF_A_RUN.fullmatch(segment))
    ]


def _without_run(name: str) -> str:
    """Cut the suffix of a run from the name, unless nothing would be left."""
    while (shorter := _OF_A_RUN.sub("", name)) not in (name, ""):
        name = shorter
    return name
