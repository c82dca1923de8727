"""Erasure among dead letters: each is received, judged, and deleted if it concerns a target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import orjson

from headwater.features.erase.targets import Target

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import MessageTypeDef

_AT_ONCE = 10
# Seconds until a letter that stays is there again.
_LOOKED_AT_S = 120
# A sender's message may nest; a letter that nests deeper is judged by its text.
_LEVELS_MAX = 100


def erase_letters(sqs: SQSClient, url: str, targets: Sequence[Target], *, confirmed: bool) -> int:
    """Delete the messages of a queue that concern a target, if `confirmed`; count them. The rest is visible again."""
    stay, number = list[str](), 0
    for letter in _receive(sqs, url):
        is_hit = concerns(letter["Body"], targets)
        number += is_hit
        if is_hit and confirmed:
            sqs.delete_message(QueueUrl=url, ReceiptHandle=letter["ReceiptHandle"])
        else:
            stay.append(letter["ReceiptHandle"])
    for receipt in stay:
        sqs.change_message_visibility(QueueUrl=url, ReceiptHandle=receipt, VisibilityTimeout=0)
    return number


def _receive(sqs: SQSClient, url: str) -> Iterator[MessageTypeDef]:
    """Yield each message once: a received message is invisible for a while."""
    seen = set[str]()
    while letters := sqs.receive_message(
        QueueUrl=url, MaxNumberOfMessages=_AT_ONCE, VisibilityTimeout=_LOOKED_AT_S
    ).get("Messages"):
        new = [letter for letter in letters if letter["MessageId"] not in seen]
        seen |= {letter["MessageId"] for letter in new}
        yield from new
        if not new:
            return


def concerns(body: str, targets: Sequence[Target]) -> bool:
    """True if all names of a target are texts of the JSON.

    >>> concerns('{"root_id": "flights"}', [Target("root", name="flights")])
    True
    >>> concerns('{"root_id": "flights-2"}', [Target("root", name="flights")])
    False
    """
    try:
        texts = set(_texts(orjson.loads(body)))
    except orjson.JSONDecodeError:
        return any(all(name in body for name in target.names) for target in targets)
    return any(texts.issuperset(target.names) for target in targets)


def _texts(document: Any) -> Iterator[str]:
    level = [document]
    for _ in range(_LEVELS_MAX):
        yield from (value for value in level if isinstance(value, str))
        inner: list[Any] = []
        for value in level:
            inner += value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        level = inner
