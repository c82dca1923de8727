"""Expressions in the text of an analyzed plan, made into nodes for the rules of the driver's expressions.

Spark prints operators between their operands and in parentheses, functions by their names in SQL, and literals bare.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from spark_client.capturing.connect.columns.frames import Nodes, Typed, field_of, is_nested
from spark_client.capturing.connect.columns.functions import BY_PLACE, CASTS, function
from spark_client.capturing.connect.columns.texts import MARK, PYTHON, REFERENCE, VARIABLE, Texts
from spark_client.capturing.connect.snapshots import Unreadable
from spark_client.capturing.model import SchemaField
from spark_client.capturing.plans.plan import Node

_WORD = re.compile(r"[^\s()\[\],\x01-\x04]+")
# The id of a program's function: printed, as in `f(a)#7`, and marked.
_PRINTED_ID = re.compile(r"\)#(\d+)L?")
_OWN_ID = re.compile(rf"{PYTHON}(\d+);")
# Word of an IN's subquery.
_LIST = " list"
# Classes without an effect, as Spark prints them.
_SAME = frozenset({"outer", "knownnullable", "knownnotnull", "assertnotnull", "checkoverflow"})


def read_expression(texts: Texts, text: str, plans: Sequence[Node]) -> Typed:
    """Read a marked expression; `plans` are its subqueries, in order.

    An expression of an unknown form is made of its references, without a kind.

    Raises:
        Unreadable: the references cannot be read either.
    """
    text = _PRINTED_ID.sub(rf"){PYTHON}\1;", text)
    if not texts.risks.parts:
        try:
            return _Parser(texts, text, plans).whole()
        except (Unreadable, RecursionError, IndexError, ValueError):
            pass
    return texts.references(text, plans)


def own_ids(marked: str) -> list[str]:
    """List the ids of the program's functions in a marked text."""
    return _PRINTED_ID.findall(marked)


class _Atom(NamedTuple):
    """Part of an expression; `word` is its text if it is no column: `AND`."""

    item: Typed
    word: str = ""


class _Parser:
    """Parser of a marked expression.

    Raises:
        Unreadable: from every method, for an unknown form.
    """

    def __init__(self, texts: Texts, text: str, plans: Sequence[Node]) -> None:
        self._texts = texts
        self._nodes = texts.nodes
        self._text = text
        self._plans = plans
        self._at = 0

    def whole(self) -> Typed:
        item = self._sequence(())
        if self._at != len(self._text):
            raise Unreadable("the text of an expression")
        return item

    def _sequence(self, until: Sequence[str]) -> Typed:
        """Parse up to a word of `until`, a comma or a closing bracket, at this level."""
        atoms: list[_Atom] = []
        while self._at < len(self._text) and self._text[self._at] not in ",)]":
            if self._text[self._at] == " ":
                self._at += 1
                continue
            if any(self._text.startswith(word, self._at) for word in until):
                break
            atoms.append(self._atom())
        return self._joined(atoms)

    def _joined(self, atoms: Sequence[_Atom]) -> Typed:
        words = [atom.word for atom in atoms]
        if _LIST in words and len(atoms) > 1:
            return self._in(atoms, words.index(_LIST))
        if len(atoms) == 1:
            return atoms[0].item
        if len(atoms) == 2 and words[1] == "windowspecdefinition":
            spec = atoms[1].item.node
            return Typed(self._nodes.node("WindowExpression", windowFunction=atoms[0].item.node, windowSpec=spec))
        if "windowspecdefinition" in words or "WITHIN" in words or "FILTER" in words:
            return self._filtered(atoms)
        if words and words[0] == "distinct":
            return self._joined(atoms[1:])
        if all(atom.item.node is None for atom in atoms):
            return Typed(None)
        return Typed(self._nodes.node("Function", children=[atom.item.node for atom in atoms]))

    def _in(self, atoms: Sequence[_Atom], index: int) -> Typed:
        """Join parts with `a IN (subquery)` among them."""
        if index < 2 or atoms[index - 1].word != "IN":
            raise Unreadable("a subquery outside its form")
        query, values = atoms[index].item.node, [atoms[index - 2].item.node]
        atom = _Atom(Typed(self._nodes.node("InSubquery", values=values, query=query)))
        return self._joined([*atoms[: index - 2], atom, *atoms[index + 1 :]])

    def _filtered(self, atoms: Sequence[_Atom]) -> Typed:
        """Join `sum(x) FILTER (WHERE ...)`, an aggregate of chosen rows."""
        called = atoms[0].item.node
        if [atom.word for atom in atoms[1:2]] != ["FILTER"] or called is None or called.kind != "AggregateExpression":
            raise Unreadable("a window or an order of an aggregate")
        if len(atoms) not in (3, 4) or (len(atoms) == 4 and atoms[3].word != "windowspecdefinition"):
            raise Unreadable("a condition of an aggregate")
        called.values = {**called.values, "filter": atoms[2].item.node}
        return self._joined([atoms[0], atoms[3]]) if len(atoms) == 4 else atoms[0].item

    def _atom(self) -> _Atom:
        text, at = self._text, self._at
        if text[at] == "(":
            return self._postfixed(self._group())
        match = MARK.match(text, at)
        if match is not None:
            self._at = match.end()
            return self._postfixed(self._marked(match))
        word = _WORD.match(text, at)
        if word is None:
            raise Unreadable("the text of an expression")
        self._at = word.end()
        if word[0] == "CASE" and text.startswith(" WHEN ", self._at):
            return _Atom(self._case())
        if word[0] == "if" and text.startswith(" (", self._at):
            return _Atom(self._if())
        if text.startswith("(", self._at):
            return self._postfixed(self._call(word[0]))
        return _Atom(Typed(None), word[0])

    def _marked(self, match: re.Match[str]) -> _Atom:
        mark, id_ = match[0][0], match["id"]
        if mark == REFERENCE:
            return _Atom(self._texts.reference(id_))
        if mark == VARIABLE:
            return _Atom(Typed(self._texts.variable(id_, match["kind"])))
        plan = self._plans[int(id_)]
        if match["kind"] == "scalar":
            return _Atom(Typed(self._nodes.node("ScalarSubquery", plan=plan)))
        if match["kind"] == "exists":
            return _Atom(Typed(self._nodes.node("Exists", plan=plan)))
        return _Atom(Typed(self._nodes.node("ListQuery", plan=plan)), _LIST)

    def _group(self) -> _Atom:
        """Parse parentheses: an expression, or the values of an IN."""
        items = self._arguments()
        if len(items) == 1:
            is_list = items[0][0].node is not None and items[0][0].node.kind == "ListQuery"
            return _Atom(items[0][0], _LIST if is_list else "")
        return _Atom(Typed(self._nodes.node("Function", children=[item.node for item, _ in items])))

    def _arguments(self) -> list[tuple[Typed, str]]:
        self._at += 1
        items: list[tuple[Typed, str]] = []
        while not self._text.startswith(")", self._at):
            began = self._at
            item = self._sequence(())
            items.append((item, self._text[began : self._at]))
            if self._text.startswith(", ", self._at):
                self._at += 2
            elif self._text.startswith(",", self._at):
                self._at += 1
            elif not self._text.startswith(")", self._at):
                raise Unreadable("the arguments of a function")
        self._at += 1
        return items

    def _call(self, name: str) -> _Atom:
        small = name.lower()
        if small in ("cast", "try_cast"):
            return _Atom(self._cast())
        if small in _BY_PLACE and self._texts.risks.commas:
            raise Unreadable("the places of a function's arguments")
        items = self._arguments()
        if (own := _OWN_ID.match(self._text, self._at)) is not None:
            self._at = own.end()
            return _Atom(self._own(name, own[1], [item.node for item, _ in items]))
        if small == "windowspecdefinition":
            return _Atom(self._window(items), small)
        if small in _SAME:
            return _Atom(items[0][0])
        call = _CALLS[small](self._nodes, items) if small in _CALLS else None
        return _Atom(call or function(self._nodes, small, [item for item, _ in items]))

    def _own(self, name: str, id_: str, children: list[Node | None]) -> Typed:
        """Make a call of a program's function: an aggregate inside an `Aggregate`, unless the call is a key."""
        keys = self._texts.keys
        if keys is None or id_ in keys:
            return Typed(self._nodes.node("PythonUDF", name=name, children=children))
        called = self._nodes.node("PythonUDAF", name=name, children=children)
        return Typed(self._nodes.node("AggregateExpression", aggregateFunction=called))

    def _window(self, items: Sequence[tuple[Typed, str]]) -> Typed:
        parts = [item.node for item, text in items if not text.startswith("specifiedwindowframe")]
        return Typed(self._nodes.node("WindowSpecDefinition", partitionSpec=parts, orderSpec=[]))

    def _cast(self) -> Typed:
        self._at += 1
        item = self._sequence(("as ",))
        if not self._text.startswith("as ", self._at):
            raise Unreadable("a cast")
        began, depth = self._at + 3, 0
        while self._at < len(self._text) and (depth or self._text[self._at] != ")"):
            depth += {"(": 1, ")": -1, "<": 0}.get(self._text[self._at], 0)
            self._at += 1
        to = _type_of(self._text[began : self._at])
        self._at += 1
        return cast(self._nodes, item, to)

    def _case(self) -> Typed:
        """Parse `CASE WHEN a THEN b ELSE c END`."""
        branches: list[list[Node | None]] = []
        otherwise = None
        while self._text.startswith(" WHEN ", self._at) or self._text.startswith("WHEN ", self._at):
            self._at = self._text.index("WHEN ", self._at) + 5
            condition = self._sequence(("THEN ",))
            self._expect("THEN ")
            value = self._sequence(("WHEN ", "ELSE ", "END"))
            branches.append([condition.node, value.node])
        if self._text.startswith("ELSE ", self._at):
            self._at += 5
            otherwise = self._sequence(("END",)).node
        self._expect("END")
        return Typed(self._nodes.node("CaseWhen", branches=branches, elseValue=otherwise))

    def _if(self) -> Typed:
        """Parse `if (a) b else c`."""
        self._at += 1
        predicate = self._group().item
        yes = self._sequence(("else ",))
        self._expect("else ")
        no = self._sequence(())
        return Typed(self._nodes.node("If", predicate=predicate.node, trueValue=yes.node, falseValue=no.node))

    def _expect(self, word: str) -> None:
        if not self._text.startswith(word, self._at):
            raise Unreadable(f"an expression without {word}")
        self._at += len(word)

    def _postfixed(self, atom: _Atom) -> _Atom:
        """Parse the fields and elements behind a part: `.name`, `[0]`."""
        item = atom.item
        while self._at < len(self._text) and self._text[self._at] in ".[":
            if self._text[self._at] == "[":
                self._at += 1
                index = self._sequence(())
                self._expect("]")
                item = Typed(self._nodes.node("GetArrayItem", child=item.node, ordinal=index.node))
            else:
                item = self._field(item)
        return _Atom(item, atom.word)

    def _field(self, item: Typed) -> Typed:
        rest = self._text[self._at + 1 :]
        if item.type is not None and item.type.fields:
            fitting = [field.name for field in item.type.fields if rest.startswith(field.name)]
            if not fitting:
                raise Unreadable("a field of a struct")
            name = max(fitting, key=len)
            self._at += 1 + len(name)
            return field_of(self._nodes, item, name)
        match = re.match(r"\w+", rest)
        if match is None:
            raise Unreadable("a field of a struct")
        self._at += 1 + match.end()
        return Typed(self._nodes.node("GetStructField", child=item.node, field=match[0]))


def cast(nodes: Nodes, item: Typed, to: SchemaField | None) -> Typed:
    """Make a cast; its effect on a column of unknown type is unknown."""
    if item.type is None and item.node is not None and item.node.kind in ("AttributeReference", "GetStructField"):
        return Typed(nodes.node("DatabaseFunction", children=[item.node]), item.name, to)
    same = to is not None and item.type is not None and item.type.type == to.type and not item.type.fields
    flat = not same and (to is None or bool(item.type and item.type.fields) or not is_nested(to))
    return Typed(nodes.node("Cast", child=item.node, same=same, flat=flat), item.name, to)


def _type_of(text: str) -> SchemaField | None:
    return None if "struct<" in text else SchemaField("", CASTS.get(text, text))


def _struct(nodes: Nodes, items: Sequence[tuple[Typed, str]]) -> Typed:
    names = [text for _, text in items[::2]]
    children = [part for item, _ in items[1::2] for part in (None, item.node)]
    if len(items) % 2:
        raise Unreadable("a struct")
    return Typed(nodes.node("CreateNamedStruct", names=names, children=children))


def _zip(nodes: Nodes, items: Sequence[tuple[Typed, str]]) -> Typed | None:
    """Make `arrays_zip(a#1, b#2, a, b)`, with the fields' names at the end; None for a different form."""
    count = len(items) // 2
    names, parts = [text for _, text in items[count:]], [item.node for item, _ in items[:count]]
    if len(items) % 2 or any(item.node is not None for item, _ in items[count:]):
        return None
    fields = tuple(SchemaField(name, "") for name in names)
    node = nodes.node("ArraysZip", **{"dataType.elementType.names": names}, children=parts)
    return Typed(node, None, SchemaField("", "array<struct>", fields))


def _with_field(nodes: Nodes, items: Sequence[tuple[Typed, str]]) -> Typed:
    return Typed(nodes.node("WithField", name=items[0][1], valExpr=items[1][0].node), items[0][1], items[1][0].type)


def _update(nodes: Nodes, items: Sequence[tuple[Typed, str]]) -> Typed:
    """Make `update_fields(a#1, WithField(b, 1), dropfield(c))`."""
    old = items[0][0]
    if old.type is None or old.type.type != "struct":
        raise Unreadable("the fields of a struct")
    fields = {field.name.lower(): field for field in old.type.fields}
    for item, _ in items[1:]:
        key, name = (item.name or "").lower(), item.name or ""
        if item.node is not None and item.node.kind == "DropField":
            fields.pop(key, None)
        else:
            same = fields[key].name if key in fields else name
            fields[key] = replace(item.type or SchemaField("", "unknown"), name=same)
            if item.node is not None:
                item.node.values = {**item.node.values, "name": same}
    puts = [item.node for item, _ in items[1:] if item.node is not None and item.node.kind == "WithField"]
    names = [field.name for field in fields.values()]
    node = nodes.node("UpdateFields", structExpr=old.node, fieldOps=puts, **{"dataType.names": names})
    return Typed(node, None, SchemaField("", "struct", tuple(fields.values())))


def _lambda(nodes: Nodes, items: Sequence[tuple[Typed, str]]) -> Typed:
    body, *variables = (item.node for item, _ in items)
    arguments = [variable for variable in variables if variable is not None]
    return Typed(nodes.node("LambdaFunction", function=body, arguments=arguments))


def _pivot(nodes: Nodes, items: Sequence[tuple[Typed, str]]) -> Typed:
    by, value = items[0][0], items[1][0]
    called = nodes.node("PivotFirst", pivotColumn=by.node, valueColumn=value.node)
    return Typed(nodes.node("AggregateExpression", aggregateFunction=called))


_BY_PLACE = BY_PLACE | {"pivotfirst", "lambdafunction", "arrays_zip", "update_fields", "withfield", "dropfield"}
_CALLS: Mapping[str, Callable[[Nodes, Sequence[tuple[Typed, str]]], Typed | None]] = {
    "arrays_zip": _zip,
    "dropfield": lambda nodes, items: Typed(nodes.node("DropField", name=items[0][1]), items[0][1]),
    "update_fields": _update,
    "withfield": _with_field,
    "struct": _struct,
    "named_struct": _struct,
    "lambdafunction": _lambda,
    "pivotfirst": _pivot,
    "precisetimestampconversion": lambda nodes, items: Typed(
        nodes.node("PreciseTimestampConversion", child=items[0][0].node)
    ),
    **dict.fromkeys(
        ("gettimestamp", "specifiedwindowframe", "unboundedpreceding$", "currentrow$", "unboundedfollowing$"),
        lambda nodes, items: Typed(nodes.node("Function", children=[item.node for item, _ in items])),
    ),
}
