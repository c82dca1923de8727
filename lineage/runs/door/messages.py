"""The events queue's messages: one event (or deletion) as it was sent, or a pointer to one in S3."""

from __future__ import annotations

from collections.abc import Mapping

import orjson

from lineage.aws.bodies import Pointer, parse_pointer, render_body
from lineage.errors import Invalid


def render_event_message(body: Mapping[str, object]) -> str:
    """The body of a message with one event; `parse` has read it, so it has JSON."""
    return render_body(body)


def parse_event_message(body: str | bytes) -> object | Pointer:
    """Return what a message, or the object behind a pointer, holds: JSON for `parse`, or a pointer.

    Raises:
        Invalid: it is no JSON object, or a pointer that points nowhere.
    """
    try:
        form = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise Invalid.because("message", body, f"must be JSON ({error})") from error
    if not isinstance(form, dict):
        raise Invalid.because("message", form, "must be a JSON object")
    # An event has a time and a producer beside whatever it calls `s3`.
    return parse_pointer(form["s3"]) if form.keys() == {"s3"} else form
