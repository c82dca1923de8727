"""Messages of the queue of events: one event each, or a pointer to one that is too large."""

from __future__ import annotations

from collections.abc import Mapping

from headwater.aws.bodies import StoredBody, parse_body, parse_pointer, render_body


def render_event_message(body: Mapping[str, object]) -> str:
    """Return the body of a message with one event, which `parse_event` has accepted."""
    return render_body(body)


def parse_event_message(body: str | bytes) -> object | StoredBody:
    """Return the content of a message, or of the object behind a pointer: JSON for `parse_event`, or a pointer.

    Raises:
        Invalid: the content is no JSON object, or a pointer without bucket and key.
    """
    document = parse_body(body)
    # An event has a time and a producer beside whatever it calls `s3`.
    return parse_pointer(document["s3"]) if document.keys() == {"s3"} else document
