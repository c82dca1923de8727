"""Names and docstrings use the words of the field; a function's docstring begins with a verb, a class's with a noun."""

from __future__ import annotations

import ast
import re
import tokenize
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
# A function's docstring begins with a verb in the packages; a test's name is a sentence already.
PACKAGES: tuple[str, ...] = (
    "benchmarks",
    "examples",
    "headwater",
    "headwater_model",
    "infra",
    "jobs",
    "lambdas",
    "local_stack",
    "scripts",
    "spark_client",
)
_RETIRED = """
tell tells told telling tellings teller tellers said ask asks asked asking question questions
answer answers answered answering mum journey journeys knob knobs outlet outlets intake settle settles settled
understand understood understanding borne heard
"""
RETIRED = frozenset(_RETIRED.split())
# Names without a meaning for variables. Fields and methods stand behind the name of their object.
VAGUE = frozenset({"one", "some", "every", "found", "near", "made", "wanted"})
# Names that keep a retired word.
ALLOWED = frozenset({"INTAKE_BUCKET"})  # an environment variable of the functions
# Such an opening describes the docstring, not the code.
_UNCLEAR = re.compile(r"(What|Whether|Where|How|Which|That|Who|Whose|Whom|When|Why)\b")
_ARTICLE = re.compile(r"(The|A|An|One|Each|Every|All|Those|Its|Their|This|These|No)\b")
# "S" and a digit but 3, the store of AWS, was the name of a source.
_IN_TEXT = re.compile(
    r"\b(tells?|told|tellings?|tellers?|said|asks?|asked|mum|journeys?|knobs?|outlets?|settled?|borne|bears? out|heard|"
    r"nobody knows|understood|the seed|the seed's|S[0124]|FLL-\d|the proposal's)\b"
)


def _folders(*packages: str) -> list[Path]:
    return sorted({file.parent for package in packages for file in (PROJECT / package).rglob("*.py")})


def _name_of(path: Path) -> str:
    return path.relative_to(PROJECT).as_posix()


@cache
def _words(name: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


def _documented(tree: ast.AST):
    """Yield each docstring with its node: of modules, classes and functions, and texts below attributes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if text := ast.get_docstring(node):
                yield node, text
            for before, below in pairwise(node.body):
                text = getattr(getattr(below, "value", None), "value", None)
                if (
                    isinstance(before, ast.AnnAssign | ast.Assign)
                    and isinstance(below, ast.Expr)
                    and isinstance(text, str)
                ):
                    yield below, text


def _is_function(node: ast.AST) -> bool:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    return not any("property" in ast.unparse(decorator) for decorator in node.decorator_list)


def _retired(file: Path, documented: list[tuple[ast.AST, str]]):
    """Yield each retired word in names, comments and docstrings."""
    with file.open("rb") as source:
        for token in tokenize.tokenize(source.readline):
            if token.type == tokenize.NAME and _words(token.string) & RETIRED and token.string not in ALLOWED:
                yield token.start[0], f"the name {token.string}"
            elif token.type == tokenize.COMMENT and (word := _IN_TEXT.search(token.string)):
                yield token.start[0], f"the comment's {word[0]!r}"
    for node, text in documented:
        if word := _IN_TEXT.search(text):
            yield getattr(node, "lineno", 1), f"the docstring's {word[0]!r}"


def _vague(tree: ast.AST):
    """Yield each variable, parameter and function with a vague name."""
    in_classes = {id(part) for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for part in _members(node)}
    for node in ast.walk(tree):
        if id(node) not in in_classes and (names := VAGUE.intersection(_names_bound_by(node))):
            yield getattr(node, "lineno", 1), f"the variable {', '.join(names)}: name what it holds"


def _members(node: ast.ClassDef):
    """Yield the methods of a class, and the names of its fields."""
    for statement in node.body:
        yield statement
        if isinstance(statement, ast.Assign | ast.AnnAssign):
            yield from getattr(statement, "targets", None) or [statement.target]


def _names_bound_by(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Name):
        return [node.id] if isinstance(node.ctx, ast.Store) else []
    if isinstance(node, ast.arg | ast.alias):
        return [node.arg if isinstance(node, ast.arg) else node.asname or ""]
    name = getattr(node, "name", None)  # of functions, exceptions and patterns
    return [name] if isinstance(name, str) else []


def _openings(file: Path, documented: list[tuple[ast.AST, str]]):
    """Yield each docstring that begins with a wrong word."""
    for node, text in documented:
        line = getattr(node, "lineno", 1)
        if _UNCLEAR.match(text):
            yield line, f"a docstring that begins with {text.split()[0]!r}"
        # A test's name is a sentence; its docstring adds to the name.
        if "tests" not in file.relative_to(PROJECT).parts and _is_function(node) and _ARTICLE.match(text):
            yield line, f"a function's docstring that begins with {text.split()[0]!r}, not with a verb"


def _faults(file: Path) -> list[str]:
    tree = ast.parse(file.read_text("utf-8"))
    documented = list(_documented(tree))
    faults = [*_retired(file, documented), *_openings(file, documented), *_vague(tree)]
    return [f"{_name_of(file)}:{line}: {fault}" for line, fault in faults]


@pytest.mark.parametrize("folder", _folders(*PACKAGES, "tests"), ids=_name_of)
def test_names_comments_and_docstrings_use_the_words_of_the_field(folder):
    assert [fault for file in sorted(folder.glob("*.py")) for fault in _faults(file)] == []


@pytest.mark.parametrize(
    "text",
    [
        "one = 1",
        "[some] = [1]",
        "total += sum(every for every in [])",
        "def load(*, found): ...",
        "lambda **wanted: 0",
        "def near(): ...",
        "if (made := 1): ...",
        "with open('f') as found: ...",
        "import os as one",
        "try: ...\nexcept OSError as found: ...",
        "match 1:\n    case some: ...",
        "class Run:\n    def end(self):\n        made = 1",
    ],
)
def test_a_variable_that_does_not_say_what_it_holds_is_a_fault(text):
    assert len(list(_vague(ast.parse(text)))) == 1


@pytest.mark.parametrize(
    "text", ["class Run:\n    made: int = 0\n    one = 2\n    def found(self): ...", "run.made = 1", "f(one=some)"]
)
def test_fields_methods_and_the_arguments_of_others_may_have_any_name(text):
    assert list(_vague(ast.parse(text))) == []
