"""Names of tables in a text of SQL."""

from __future__ import annotations

import re

_NAME_PART = re.compile(r'"((?:[^"]|"")+)"|`([^`]+)`|\[([^\]]+)\]|([^\s".`\[\]()]+)')


def parse_name(table: str) -> list[str] | None:
    """Parse the parts of a table's name, without quotes; None for any text beside a name.

    >>> [parse_name(text) for text in ('shop."my.orders"', "[dbo].[orders]", "(select 1) t")]
    [['shop', 'my.orders'], ['dbo', 'orders'], None]
    """
    rest, parts = table.strip(), []
    while match := _NAME_PART.match(rest):
        parts.append(next(group for group in match.groups() if group).replace('""', '"'))
        rest = rest[match.end() :]
        if not rest:
            return parts
        if not rest.startswith("."):
            return None
        rest = rest[1:]
    return None
