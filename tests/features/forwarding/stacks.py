"""The stacks of the tests that forward (tests/stack/assemblies.py)."""

# The context of a stack that forwards; a test puts its endpoint's URL in place of this one.
PLACE, SECRET = "http://127.0.0.1:1/api/v1/lineage", "second/token"
CONTEXT = {"forward_url": PLACE, "forward_namespaces": "flights*", "forward_secret": SECRET}
CONTEXTS = (CONTEXT,)
DOMAIN = "dzd_0123456789abcd"
SHARED = f"arn:aws:datazone:eu-west-1:210987654321:domain/{DOMAIN}"
NAMED = {
    "datazone": {"forward_domain": DOMAIN, "forward_namespaces": "flights*"},
    "shared datazone": {"forward_domain": SHARED},
}
LARGEST = {
    "forward_url": "https://marquez.example/" + "a" * 974,
    "forward_namespaces": ["a" * 992],
    "forward_secret": "s" * 512,
}
TURNED = {
    "forward_url": "https://marquez.example/api/v1/lineage",
    "forward_namespaces": "flights*, payments",
    "forward_secret": "marquez/token",
}
ABSENT = ("FORWARD", "Forwarding")
