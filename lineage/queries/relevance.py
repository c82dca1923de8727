"""The order of names that hold a text: equal ones, then those that begin with it, then words that do, then the rest."""

from __future__ import annotations

_EQUAL, _PREFIX, _WORD, _INSIDE = range(4)


def rank_of(name: str, text: str) -> int:
    """Return the rank of a name that holds the text, in any case; the least is the best.

    A word begins after a sign (`.`, `_`, `-`, `/`), or with a capital after a small letter.

    >>> [rank_of(name, "check") for name in ("CHECK", "checked", "emissions.check", "preCheck", "uncheck")]
    [0, 1, 2, 2, 3]
    """
    lowered, wanted = name.lower(), text.lower()
    if lowered == wanted:
        return _EQUAL
    if lowered.startswith(wanted):
        return _PREFIX
    # Some capitals are two letters in lower case: then their places in the name are not known.
    letters = name if len(name) == len(lowered) else lowered
    position = lowered.find(wanted)
    while position > 0:
        if _begins_word(letters, position):
            return _WORD
        position = lowered.find(wanted, position + 1)
    return _INSIDE


def _begins_word(name: str, position: int) -> bool:
    before, letter = name[position - 1], name[position]
    return not before.isalnum() or (before.islower() and letter.isupper())
