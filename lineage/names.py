"""The identities that more than one part prints, as pure functions of what they name."""

from __future__ import annotations

import uuid

# Any fixed UUID does; changing it would give a retried request a second node.
_REQUESTS = uuid.UUID("7c0d3c1e-9a0b-5f60-8c57-2f1f1b7b2f55")


def derive_node_id(root_id: str, parent_id: str, action_taken: str, request_id: str, index: int) -> str:
    """The node id of the `index`-th record of a request that names none: the same for every retry.

    The whole identity of the step goes in, so that one request id used for two steps by mistake still makes two nodes.

    >>> derive_node_id("flights", "flights", "READ", "r-1", 0)
    '357d959f-5302-5c2a-933c-78f3e3edde97'
    """
    name = "\0".join((root_id, parent_id, action_taken, request_id, str(index)))
    return str(uuid.uuid5(_REQUESTS, name))
