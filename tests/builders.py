"""Valid requests and messages that a test changes only where it matters. The story is the demo's: flights of a day."""

NOON = 1_763_640_000  # 2025-11-20T12:00:00Z
DAY = "2025-11-20"
HOUR = 3600


def a_request(**changes):
    """A lineage request for a single record, in Carbonlake's minimum form."""
    request = {
        "root_id": "flights",
        "parent_id": "flights",
        "action_taken": "READ",
        "storage_location": "s3://b/in.csv",
    }
    return {**request, **changes}


def a_batch(number, location="s3://b/k"):
    """A lineage request for that many records."""
    records = [{"node_id": f"n-{index}", "storage_location": location} for index in range(number)]
    return {"root_id": "flights", "parent_id": "file", "action_taken": "SPLIT", "records": records}


def a_message(**changes):
    """A queued record, in Carbonlake's form."""
    message = {
        "root_id": "flights",
        "parent_id": "flights",
        "action_taken": "READ",
        "recordedAt": NOON,
        "storage_location": "s3://b/in.csv",
        "node_id": "n-1",
    }
    return {**message, **changes}


def messages(edges, root_id="flights", **changes):
    """A queued record for each node -> parent."""
    return [a_message(root_id=root_id, node_id=node, parent_id=parent, **changes) for node, parent in edges.items()]
