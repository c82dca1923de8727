"""Spark SQL statements of a file, as a checked job: `python -m headwater.features.check.job statements.py FILE`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

# Texts with semicolons of their own: strings, quoted names and comments.
_PART = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`|--[^\n]*|/\*.*?\*/|;", re.DOTALL)


def split_statements(text: str) -> Iterator[str]:
    r"""Yield the statements of a text, without empty statements.

    >>> list(split_statements("SELECT ';' -- a; b\n; INSERT INTO t SELECT 1;\n"))
    ["SELECT ';' -- a; b", 'INSERT INTO t SELECT 1']
    """
    start = 0
    ends = [match.start() for match in _PART.finditer(text) if match[0] == ";"]
    for end in (*ends, len(text)):
        statement = text[start:end].strip()
        start = end + 1
        if re.sub(r"--[^\n]*|/\*.*?\*/", "", statement, flags=re.DOTALL).strip():
            yield statement


def main(file: str, app: str) -> None:
    """Run the statements of a file in order."""
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.appName(app).getOrCreate()
    for statement in split_statements(Path(file).read_text(encoding="utf-8")):
        spark.sql(statement)


if __name__ == "__main__":
    main(*sys.argv[1:])
