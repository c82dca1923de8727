"""The context values of forwarding: no typing mistake deploys."""

import pytest

from headwater.features.forwarding.context import ForwardTo
from headwater_model.errors import Invalid
from infra.context import parse_context
from tests.features.forwarding.stacks import DOMAIN, SHARED

MARQUEZ = "https://marquez.example/api/v1/lineage"
SECRET = "arn:aws:secretsmanager:eu-west-1:123456789012:secret:marquez/token-a1B2c3"
URL_RULE = "must be an https URL, without credentials in it, or none"
DOMAIN_RULE = "must be the id or the ARN of a domain of DataZone, or none"
SECRET_RULE = "must be the name or the ARN of a secret in Secrets Manager, or none"


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        ({"forward_url": "none", "forward_namespaces": "none", "forward_secret": ""}, {}),
        ({"forward_url": MARQUEZ}, {"forwarding": ForwardTo(MARQUEZ, ("*",), None)}),
        (
            {"forward_url": MARQUEZ, "forward_namespaces": "flights*, raw", "forward_secret": "marquez/token"},
            {"forwarding": ForwardTo(MARQUEZ, ("flights*", "raw"), "marquez/token")},
        ),
        (
            {"forward_url": MARQUEZ, "forward_secret": SECRET},
            {"forwarding": ForwardTo(MARQUEZ, ("*",), SECRET)},
        ),
        (
            {"forward_url": "http://127.0.0.1:5000/api/v1/lineage"},
            {"forwarding": ForwardTo("http://127.0.0.1:5000/api/v1/lineage")},
        ),
        ({"forward_domain": DOMAIN}, {"forwarding": ForwardTo(None, domain=DOMAIN)}),
        (
            {"forward_domain": SHARED, "forward_namespaces": "flights*"},
            {"forwarding": ForwardTo(None, ("flights*",), domain=SHARED)},
        ),
    ],
)
def test_a_context_value_is_read_from_the_command_line_as_from_the_file(context, expected):
    assert parse_context(context).features == expected


@pytest.mark.parametrize(
    ("context", "message"),
    [
        *(
            ({"forward_url": value}, f"forward_url: {URL_RULE}, got {value!r}")
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
            ({"forward_url": MARQUEZ, "forward_secret": value}, f"forward_secret: {SECRET_RULE}, got {value!r}")
            for value in ("two words", "*", 7, "arn:aws:s3:::bucket", "marquez/token*")
        ),
        (
            {"forward_namespaces": "flights*", "forward_secret": "token"},
            "forward_namespaces: must be given with forward_url or forward_domain, got ('flights*',); "
            "forward_secret: must be given with forward_url, got 'token'",
        ),
        *(
            ({"forward_domain": value}, f"forward_domain: {DOMAIN_RULE}, got {value!r}")
            for value in ("dzd", "dzd_a/b", "domain/dzd_a", "arn:aws:datazone:eu-west-1:1:domain/dzd_a", 7)
        ),
        (
            {"forward_domain": DOMAIN, "forward_url": MARQUEZ},
            f"forward_domain: must not be given with forward_url, got {DOMAIN!r}",
        ),
        (
            {"forward_domain": DOMAIN, "forward_secret": "token"},
            "forward_secret: must be given with forward_url, got 'token'",
        ),
    ],
)
def test_a_wrong_context_value_is_refused_by_name_value_and_rule(context, message):
    with pytest.raises(Invalid) as refused:
        parse_context(context)
    assert str(refused.value) == message
