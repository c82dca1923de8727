"""The stacks of the tests that have the graph's tables (tests/stack/assemblies.py)."""

CONTEXT = {"graph_tables": "true"}
CONTEXTS = (CONTEXT,)
TURNED = {"graph_tables": True}
ABSENT = ("GraphTables",)
