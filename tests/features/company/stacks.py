"""The stacks of the tests that have a company's rules (tests/stack/assemblies.py)."""

SPOKE = "210987654321"
PLACE, SECRET = "http://127.0.0.1:1/api/v1/lineage", "second/token"
KEY = "arn:aws:kms:eu-west-1:123456789012:key/01234567-89ab-cdef-0123-456789abcdef"
BOUNDARY = "arn:aws:iam::123456789012:policy/Boundary"
NAMED = {
    # Every feature with resources of its own is on.
    "company": {
        "auth": "token",
        "alarm_email": "ops@example.org",
        "name_prefix": "acme-",
        "permissions_boundary": BOUNDARY,
        "role_path": "/data/",
        "kms_key_arn": KEY,
        "endpoint": "private:vpce-0123456789abcdef0",
        "log_retention_days": 30,
        "tags": "team=data, cost-center=42",
        "producer_principals": ["111122223333", "o-a1b2c3d4e5"],
        "budget_usd": 100,
        "alerts": "sns",
        "graph_tables": True,
        "forward_url": "https://marquez.example/api/v1/lineage",
    },
    "hidden": {"endpoint": "private", "auth": "token"},
    # The second emulator runs its functions.
    "running": {
        "auth": "token",
        "sign_digests": True,
        "alerts": "eventbridge",
        "forward_url": PLACE,
        "forward_secret": SECRET,
        "producer_principals": [SPOKE],
    },
}
ABSENT = ("PermissionsBoundary", "PRIVATE", "AWS::Budgets", "PrincipalOrgID", "SSE_KMS")
