"""Examples of records, and of what no dialect owns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Example: TypeAlias = Mapping[str, Any]

ROOT = "flights/2013-01-01.csv"

_READ = "8f14e45f-ceea-467f-a8b1-3a2d5f1c7e10"
_CHECK = "c9f0f895-fb98-4b91-9f41-1f0e3c9d2b55"
_READ_RECORD: Example = {
    "root_id": ROOT,
    "parent_id": ROOT,
    "action_taken": "READ",
    "recordedAt": 1763640000,
    "storage_location": "s3://lake/raw/2013-01-01.parquet",
    "node_id": _READ,
    "ttl_expiry": 1763726400,
}
_CHECK_RECORD: Example = {
    **_READ_RECORD,
    "parent_id": _READ,
    "action_taken": "CHECK",
    "storage_location": "s3://lake/checked/2013-01-01.parquet",
    "node_id": _CHECK,
}
_PATH: Example = {
    "record": _CHECK_RECORD,
    "path": [_READ_RECORD, _CHECK_RECORD],
    "descendants": [],
    "truncated": False,
}
_LIVE: Example = {**_READ_RECORD, "archivedOn": None}
_ARCHIVED: Example = {
    **_READ_RECORD,
    "recordedAt": 1763553600,
    "storage_location": "s3://lake/raw/2012-12-31.parquet",
    "ttl_expiry": None,
    "archivedOn": "2025-11-19",
}
_OBJECT_KEY = f"traces/year=2025/month=11/day=20/{'0a' * 32}.{'1b' * 32}.jsonl.gz"
_DIGEST_KEY = "digests/year=2025/month=11/day=20/digest.jsonl.gz"
_STEPS = [
    {name: value for name, value in record.items() if name not in ("root_id", "ttl_expiry")}
    for record in (_READ_RECORD, _CHECK_RECORD)
]
REQUESTS: Sequence[Example] = [
    {
        "root_id": ROOT,
        "parent_id": ROOT,
        "action_taken": "READ",
        "storage_location": "s3://lake/raw/2013-01-01.parquet",
        "request_id": "flights-2013-01-01-read",
        "requested_at": 1763640000,
    },
    {
        "root_id": ROOT,
        "parent_id": _READ,
        "action_taken": "SPLIT",
        "records": [
            {"node_id": "UA", "storage_location": "s3://lake/split/UA.parquet"},
            {"storage_location": "s3://lake/split/B6.parquet"},
        ],
    },
    {
        "requested_at": 1763640000,
        "records": [
            {
                "root_id": ROOT,
                "parent_id": "UA",
                "action_taken": "CHECKED",
                "node_id": "UA1545",
                "storage_location": "s3://lake/checked/UA.parquet",
            },
        ],
    },
]
_ACCEPTED: Example = {
    "root_id": ROOT,
    "action_taken": "READ",
    "recordedAt": 1763640000,
    "ttl_expiry": 1763726400,
    "node_id": _READ,
    "storage_location": "s3://lake/raw/2013-01-01.parquet",
}
EXAMPLES: Mapping[str, Sequence[Any]] = {
    "LineageRequest": REQUESTS,
    "LineageResponse": [_ACCEPTED],
    "Record": [_READ_RECORD],
    "RootPage": [{"roots": [{"root_id": ROOT, "archivedOn": "2025-11-20", "archivedRecords": 3}], "cursor": None}],
    "RecordPage": [{"records": [_READ_RECORD], "cursor": None}],
    "NodePath": [_PATH],
    "NodePaths": [{"matches": [_PATH], "truncated": False}],
    "TraceLine": [{"record_id": _CHECK, "root_id": ROOT, "lineage": _STEPS}],
    "Outline": [
        {
            "root_id": ROOT,
            "records": 3,
            "groups": [
                {
                    "id": 0,
                    "parent": None,
                    "action_taken": "READ",
                    "records": 1,
                    "leaves": 0,
                    "firstRecordedAt": 1763640000,
                    "lastRecordedAt": 1763640000,
                    "complete": True,
                    "examples": [{"node_id": "read", "storage_location": "s3://lake/raw/2013-01-01.parquet"}],
                },
                {
                    "id": 1,
                    "parent": 0,
                    "action_taken": "CHECK",
                    "records": 2,
                    "leaves": 2,
                    "firstRecordedAt": 1763640060,
                    "lastRecordedAt": 1763640120,
                    "complete": True,
                    "examples": [
                        {"node_id": "UA1545", "storage_location": "s3://lake/checked/part-0.parquet"},
                        {"node_id": "UA1714", "storage_location": "s3://lake/checked/part-0.parquet"},
                    ],
                },
            ],
            "truncated": False,
        }
    ],
    "RecordProof": [
        {
            "root_id": ROOT,
            "node_id": _CHECK,
            "state": "sealed",
            "object": {
                "day": "2025-11-20",
                "key": _OBJECT_KEY,
                "sha256": "1b" * 32,
                "size_bytes": 812,
                "records": 2,
                "lines": 1,
                "listed": True,
                "location": f"https://archive.s3.amazonaws.com/{_OBJECT_KEY}?response-content-encoding=identity",
            },
            "digests": [
                {
                    "day": "2025-11-20",
                    "key": _DIGEST_KEY,
                    "size_bytes": 611,
                    "location": f"https://archive.s3.amazonaws.com/{_DIGEST_KEY}?response-content-encoding=identity",
                }
            ],
            "end": {"day": "2025-11-20", "key": _DIGEST_KEY, "sha256": "2c" * 32},
            "next": None,
            "fault": None,
        }
    ],
    "TraceQueued": [{"root_id": ROOT, "status": "queued"}],
    "SearchRecord": [_LIVE, _ARCHIVED],
    "SearchPage": [{"records": [_LIVE, _ARCHIVED], "cursor": None, "truncated": False}],
    "Redirect": [{"location": "https://archive.s3.amazonaws.com/traces/year=2025/month=11/day=20/0a.1b.jsonl.gz"}],
    "ApiInfo": [{"name": "Headwater", "version": "1", "openapi": "openapi.json"}],
    "Me": [
        {
            "caller": "token:0123456789abcdef",
            "scopes": ["records"],
            "namespaces": [],
            "references": [],
            "roots": ["flights/*"],
            "expiresAt": "2026-02-18T12:00:00Z",
            "stage": "prod",
            "strictNamespaces": False,
            "features": [
                "document",
                "getMe",
                "getNode",
                "getOutline",
                "getProof",
                "getRoot",
                "getTrace",
                "listRoots",
                "postRecords",
                "postTrace",
                "searchRecords",
                "start",
            ],
        }
    ],
    "Error": [{"code": 404, "message": "root_id: no root 'flights/2013-13-01.csv' is known"}],
    "TooLarge": [{"code": 413, "message": "body: must be at most 33554432 bytes once unpacked"}],
}
