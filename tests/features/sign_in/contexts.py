"""Context values of sign-in."""

from headwater.features.sign_in.context import SignInValues
from tests.features.sign_in.stacks import SIGN_IN

_ISSUER = SIGN_IN["sign_in_issuer"]
_NEEDED = {"auth": "token", "sign_in_issuer": _ISSUER, "sign_in_audience": "headwater"}
_OF_PAGE = {"sign_in_client": "page", "sign_in_origins": "https://auth.example.org"}
READ = [
    (
        {**_NEEDED, "sign_in_audience": "a, b", "sign_in_scope": "openid offline_access", **_OF_PAGE},
        SignInValues(
            issuer=_ISSUER,
            audiences=("a", "b"),
            client="page",
            scope="openid offline_access",
            origins=("https://auth.example.org",),
        ),
    ),
    ({"auth": "token", "sign_in_issuer": "none"}, None),
    # An issuer has https, but for this machine's.
    *(
        ({**_NEEDED, "sign_in_issuer": issuer}, SignInValues(issuer=issuer, audiences=("headwater",)))
        for issuer in ("https://id.example.org", "http://127.0.0.1:9090/realm", "http://localhost")
    ),
]
REFUSED_AS = [
    ({**_NEEDED, **changed}, field)
    for changed, field in (
        ({"sign_in_issuer": "http://id.example.org"}, "sign_in_issuer"),
        ({"sign_in_issuer": "https://user@id.example.org"}, "sign_in_issuer"),
        ({"sign_in_issuer": "https://id.example.org/?a"}, "sign_in_issuer"),
        ({"auth": "iam"}, "sign_in_issuer: must be given with auth=token"),
        ({"sign_in_audience": ""}, "sign_in_audience: must be given with sign_in_issuer"),
        ({"sign_in_audience": "a b"}, "sign_in_audience: must be audiences"),
        ({"sign_in_client": 'a"b'}, "sign_in_client"),
        ({"sign_in_origins": "https://a.example.org/path"}, "sign_in_origins: must be https:// origins"),
        ({"sign_in_issuer": None}, "sign_in_audience: must not be given without sign_in_issuer"),
    )
]
