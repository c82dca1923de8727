"""The context value of erasures: S3 must not defeat it."""

READ = [({"erase": "true", "object_lock": "governance:30"}, True), ({"erase": False}, None), ({"erase": None}, None)]
REFUSED = [
    ({"erase": "yes"}, "erase: must be true or false, got 'yes'"),
    (
        {"erase": True, "object_lock": "compliance:30"},
        "erase: must not be given with object_lock=compliance: S3 keeps the objects, got True",
    ),
    (
        {"erase": True, "events_days": 400},
        "erase: must not be given with events_days: the rest of the graph is made of all events, got True",
    ),
]
