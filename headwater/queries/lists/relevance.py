"""The order of names that hold a text: equal ones first, then those that hold it as whole words, then the rest."""

from __future__ import annotations

from headwater.facts.words import typed_words

_EQUAL, _LAST, _WHOLE, _BEGINNING, _REST = range(5)


def rank_of(name: str, text: str) -> int:
    """Return the rank of a name that holds the words of the text, in any case; the least is the best.

    A name that equals the text, or whose last words do, comes first; then a name in which each word is whole; then one
    that begins with the text.

    >>> [rank_of(name, "check") for name in ("CHECK", "emissions.check", "check_all", "checked", "emissions.checks")]
    [0, 1, 2, 3, 4]
    """
    lowered, phrase = name.lower(), text.strip().lower()
    if lowered == phrase:
        return _EQUAL
    typed = typed_words(text)
    held = typed_words(name)
    if held[-len(typed) :] == typed:
        return _LAST
    if set(typed) <= set(held):
        return _WHOLE
    return _BEGINNING if lowered.startswith(phrase) else _REST
