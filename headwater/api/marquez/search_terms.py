"""The words of a search, and its filters: `tag:`, `owner:` and `ns:`, each with a word or a text in quotes behind it.

>>> parse_terms('orders owner:team:finance NS:"gold lake" 2026')
SearchTerms(words='orders 2026', tag=None, owner='team:finance', within='gold lake')
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from headwater_model.errors import Invalid

_FILTER = re.compile(r'(?:^|(?<=\s))(tag|owner|ns):\s*(?:"([^"]*)"|(\S+))', re.IGNORECASE)
_FIELDS = {"tag": "tag", "owner": "owner", "ns": "within"}


@dataclass(frozen=True, slots=True)
class SearchTerms:
    """Words of names, a tag, an owner, and words of the namespace."""

    words: str
    tag: str | None = None
    owner: str | None = None
    within: str = ""


def parse_terms(text: str) -> SearchTerms:
    """Return the terms of a text as a reader types it.

    Raises:
        Invalid: A filter stands twice.
    """
    filters: dict[str, str] = {}
    for name, quoted, word in _FILTER.findall(text):
        field = _FIELDS[name.lower()]
        if field in filters:
            raise Invalid.because("q", text, f"must have {name.lower()}: once at most")
        filters[field] = quoted or word
    return SearchTerms(" ".join(_FILTER.sub(" ", text).split()), **filters)
