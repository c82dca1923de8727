"""Bounds of events, apart from the models that check them: the API documents them without loading these."""

from __future__ import annotations

NAME_BYTES_MAX = 2048
NAMESPACE_CHARS_MAX = 1024
# Events of a batch. A hundred calls of SQS: a second or two of the half minute that API Gateway waits.
EVENTS_MAX = 1000
