"""Addresses of servers in options, without users and passwords; an unknown form gives no address."""

from __future__ import annotations

import re

_HOST = re.compile(r"(?P<host>\[[0-9a-f:.]+\]|[a-z0-9_](?:[\w.-]*[a-z0-9_])?)(?::(?P<port>\d{1,5}))?", re.IGNORECASE)


def find_address(text: str, port: str | None) -> str | None:
    """Parse `host:port` into lower case, with a default port; None for any text beside an address.

    >>> [find_address(text, "9200") for text in ("Search-1", "10.0.0.1:9243", "[::1]:9200", "ann:s3cret", "a@b")]
    ['search-1:9200', '10.0.0.1:9243', '[::1]:9200', None, None]
    """
    match = _HOST.fullmatch(text.strip())
    if match is None:
        return None
    number = match["port"] or port
    return f"{match['host'].lower()}{f':{number}' if number else ''}"
