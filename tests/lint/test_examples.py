"""A public function used by another room has an example in its docstring: a doctest, a row, a value or a call."""

import ast
import re

from tests.lint.test_budget import PROJECT, files_of

ROOM = {"paths": ["headwater", "headwater_model", "infra", "jobs", "lambdas", "local_stack", "spark_client"]}
_EXAMPLE = re.compile(r'>>> |[`{"]|for example|such as ')


def room_of(module):
    """Name the room of a module: `headwater.facts` of `headwater.facts.keys`, `infra` of `infra.synth`."""
    parts = module.split(".")
    return ".".join(parts[: 2 if parts[0] in ("headwater", "spark_client") and len(parts) > 2 else 1])


def without_example(sources):
    """List the functions imported by another room and without an example: `["infra.synth.make_app"]`."""
    trees = {module: ast.parse(source) for module, source in sources.items()}
    functions = {
        (module, node.name): ast.get_docstring(node) or ""
        for module, tree in trees.items()
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    }
    imported = {
        (node.module, alias.name)
        for module, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and room_of(node.module) != room_of(module)
        for alias in node.names
    }
    return sorted(".".join(key) for key in imported & functions.keys() if not _EXAMPLE.search(functions[key]))


def test_a_function_of_several_rooms_has_an_example():
    files = {file.relative_to(PROJECT).with_suffix(""): file for file in files_of({**ROOM, "suffixes": {".py"}})}
    sources = {".".join(path.parts).removesuffix(".__init__"): file.read_text() for path, file in files.items()}
    assert without_example(sources) == []


def test_a_function_without_an_example_is_listed():
    keys = 'def job_pk():\n    """Name a key: `JOB#1`."""\n\ndef run_pk():\n    """Name a key."""\n'
    rows = "from headwater.facts.keys import job_pk, run_pk"
    sources = {"headwater.facts.keys": keys, "headwater.facts.rows": rows}
    assert without_example(sources) == []
    assert without_example({**sources, "headwater.queries.rows": rows}) == ["headwater.facts.keys.run_pk"]
