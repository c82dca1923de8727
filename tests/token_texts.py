"""The two parts of a bearer token's text, `hw_<id>_<secret>`."""

from __future__ import annotations


def id_of(text: str) -> str:
    """Return the id that a token's text names."""
    return text.split("_", 2)[1]


def secret_of(text: str) -> str:
    """Return the secret of a token's text, which may hold `_` itself."""
    return text.split("_", 2)[2]
