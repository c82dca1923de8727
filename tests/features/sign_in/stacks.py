"""The stacks of the tests that have sign-in (tests/stack/assemblies.py)."""

import json

SIGN_IN = {
    "auth": "token",
    "sign_in_issuer": "https://id.example.org/realms/data",
    "sign_in_audience": "headwater",
    "sign_in_client": "headwater-page",
    "sign_in_origins": ["https://data.auth.example.org"],
}
NAMED = {"sign_in": SIGN_IN}
CONTEXTS = ({name: value if isinstance(value, str) else json.dumps(value) for name, value in SIGN_IN.items()},)
