"""Context values of forwarding."""

from headwater.features.forwarding.context import ForwardTo
from tests.features.forwarding.stacks import DOMAIN, SHARED

_MARQUEZ = "https://marquez.example/api/v1/lineage"
_SECRET = "arn:aws:secretsmanager:eu-west-1:123456789012:secret:marquez/token-a1B2c3"
_URL = "must be an https URL, without credentials in it, or none"
_DOMAIN = "must be the id or the ARN of a domain of DataZone, or none"
_OF_SECRET = "must be the name or the ARN of a secret in Secrets Manager, or none"
READ = [
    ({"forward_url": "none", "forward_namespaces": "none", "forward_secret": ""}, None),
    ({"forward_url": _MARQUEZ}, ForwardTo(_MARQUEZ, ("*",), None)),
    (
        {"forward_url": _MARQUEZ, "forward_namespaces": "flights*, raw", "forward_secret": "marquez/token"},
        ForwardTo(_MARQUEZ, ("flights*", "raw"), "marquez/token"),
    ),
    ({"forward_url": _MARQUEZ, "forward_secret": _SECRET}, ForwardTo(_MARQUEZ, ("*",), _SECRET)),
    ({"forward_url": "http://127.0.0.1:5000/api/v1/lineage"}, ForwardTo("http://127.0.0.1:5000/api/v1/lineage")),
    ({"forward_domain": DOMAIN}, ForwardTo(None, domain=DOMAIN)),
    (
        {"forward_domain": SHARED, "forward_namespaces": "flights*"},
        ForwardTo(None, ("flights*",), domain=SHARED),
    ),
]
REFUSED = [
    *(
        ({"forward_url": value}, f"forward_url: {_URL}, got {value!r}")
        for value in (
            "http://marquez.example/api/v1/lineage",
            "https://user:password@marquez.example/",
            "https:///api/v1/lineage",
            "https://marquez.example/#x",
            "ftp://marquez.example",
            "https://marquez.example/ x",
            7,
        )
    ),
    *(
        ({"forward_url": _MARQUEZ, "forward_secret": value}, f"forward_secret: {_OF_SECRET}, got {value!r}")
        for value in ("two words", "*", 7, "arn:aws:s3:::bucket", "marquez/token*")
    ),
    (
        {"forward_namespaces": "flights*", "forward_secret": "token"},
        "forward_namespaces: must be given with forward_url or forward_domain, got ('flights*',); "
        "forward_secret: must be given with forward_url, got 'token'",
    ),
    *(
        ({"forward_domain": value}, f"forward_domain: {_DOMAIN}, got {value!r}")
        for value in ("dzd", "dzd_a/b", "domain/dzd_a", "arn:aws:datazone:eu-west-1:1:domain/dzd_a", 7)
    ),
    (
        {"forward_domain": DOMAIN, "forward_url": _MARQUEZ},
        f"forward_domain: must not be given with forward_url, got {DOMAIN!r}",
    ),
    (
        {"forward_domain": DOMAIN, "forward_secret": "token"},
        "forward_secret: must be given with forward_url, got 'token'",
    ),
]
