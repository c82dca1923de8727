"""The walk over a plan: as deep as plans get, within its budget, and never silent about what it does not know."""

import itertools

import pytest

from headwater_model.columns import ColumnSource, Transformation
from headwater_model.ids import DatasetId
from spark_client.capturing.plans import expression_rules, operators
from spark_client.capturing.plans.operators import RowsLineage
from spark_client.capturing.plans.plan import Node, parse_plan
from spark_client.capturing.plans.values import IDENTITY, Dependency, TooLarge, Value
from spark_client.capturing.plans.walk import PlanWalk

FLIGHTS = DatasetId("s3://flights", "checked")


def node(kind, **values):
    plan_node = Node(next(_numbers), kind)
    plan_node.values = values
    return plan_node


_numbers = itertools.count()


def attribute(name):
    return node("AttributeReference", name=name, exprId=name)


def flights(*names):
    return node("LogicalRelation", output=[attribute(name) for name in names], schema="")


def named(name, expression):
    return node("Alias", child=expression, name=name, exprId=name)


def read_flights(leaf):
    def column(name):
        return name, Value(frozenset({Dependency(ColumnSource(FLIGHTS, (name,)), IDENTITY)}))

    return RowsLineage(tuple(column(output.text("name")) for output in leaf.nodes("output")))


def made_of(value):
    return sorted((dependency.source.field[0], dependency.how.subtype) for dependency in value.made_of)


def unhurried():
    """Return a clock that stands still: depth is tested, and a collection of a large test process takes long."""
    return 0.0


def test_an_expression_may_be_deeper_than_python_recurs():
    expression = attribute("distance")
    for _ in range(10_000):
        expression = node("Add", left=expression, right=None)
    plan = node("Project", projectList=[named("far", expression)], child=flights("distance"))
    ((name, value),) = PlanWalk(read_flights, clock=unhurried).relation(plan).columns
    assert (name, made_of(value)) == ("far", [("distance", "TRANSFORMATION")])


def test_a_plan_may_be_deeper_than_python_recurs():
    plan = flights("distance")
    for _ in range(10_000):
        plan = node("Filter", condition=attribute("distance"), child=plan)
    relation = PlanWalk(read_flights, clock=unhurried).relation(plan)
    assert [made_of(value) for value in relation.values] == [[("distance", "IDENTITY")]]
    assert made_of(Value(relation.rows)) == [("distance", "FILTER")]


# Values of a node that no rule expects: of the wrong shape, and of the right one with nothing in it.
_ODD = ("", "odd", [], [None], [[None]], {"class": "Odd"}, True, None)
_PARAMETERS = (  # noqa: SIM905 - a list would be a line each
    "child left right children branches elseValue predicate trueValue falseValue arguments functionName names field "
    "srcArrayExpr windowFunction windowSpec aggregateFunction plan values query defs references plans argument zero "
    "merge finish valueColumn structExpr fieldOps dataType.names projectList aggregateExpressions condition order "
    "generator generatorOutput projections keys output"
).split()


@pytest.mark.parametrize("odd", _ODD, ids=repr)
@pytest.mark.parametrize("kind", sorted(expression_rules.RULES))
def test_a_fault_in_a_rule_of_expressions_costs_a_column(kind, odd):
    broken = node(kind, **dict.fromkeys(_PARAMETERS, odd))
    plan = node("Project", projectList=[named("far", attribute("distance")), named("odd", broken)])
    plan.values["child"] = flights("distance")
    relation = PlanWalk(read_flights).relation(plan)
    assert [name for name, _ in relation.columns] == ["far", "odd"]
    assert made_of(relation.values[0]) == [("distance", "IDENTITY")]


def test_a_fault_in_a_rule_says_what_is_not_known():
    broken = node("CaseWhen", branches=[[None]])
    plan = node("Project", projectList=[named("odd", broken)], child=flights("distance"))
    (value,) = PlanWalk(read_flights).relation(plan).values
    assert value.unknown == {"CaseWhen: its rule failed: IndexError: list index out of range"}


@pytest.mark.parametrize("odd", _ODD, ids=repr)
@pytest.mark.parametrize("kind", sorted(set(operators.RULES) - {"CTERelationRef", "UnionLoopRef"}))
def test_a_fault_in_a_rule_of_operators_costs_no_other_branch(kind, odd):
    broken = node(kind, **dict.fromkeys(_PARAMETERS, odd))
    both = node("Join", left=flights("distance"), right=broken, joinType="Inner", condition=None)
    relation = PlanWalk(read_flights).relation(both)
    assert made_of(relation.values[0]) == [("distance", "IDENTITY")]


def test_an_unknown_operator_makes_unknown_columns():
    plan = node("Sparkle", child=flights("origin", "dest"))
    relation = PlanWalk(read_flights).relation(plan)
    unknown = Transformation("DIRECT", "UNKNOWN", "unknown plan node Sparkle", masking=False)
    dependencies = frozenset(
        Dependency(ColumnSource(FLIGHTS, (name,)), unknown, whole=False) for name in ("origin", "dest")
    )
    assert relation.columns == (("origin", Value(dependencies)), ("dest", Value(dependencies)))


def test_a_column_that_is_nowhere_is_unknown():
    plan = node("Project", projectList=[named("x", attribute("elsewhere"))], child=flights("origin"))
    ((_, value),) = PlanWalk(read_flights).relation(plan).columns
    assert value == Value(unknown=frozenset({"AttributeReference: elsewhere is nowhere in the plan"}))


def test_too_many_dependencies_are_refused():
    wide = flights(*(f"c{n}" for n in range(100)))
    everything = [node("Concat", children=wide.nodes("output")) for _ in range(100)]
    plan = node(
        "Project", projectList=[named(f"d{n}", attribute) for n, attribute in enumerate(everything)], child=wide
    )
    with pytest.raises(TooLarge, match="dependencies"):
        PlanWalk(read_flights, dependencies_max=5_000).relation(plan)


def test_too_long_a_walk_is_ended():
    ticks = itertools.count()
    with pytest.raises(TooLarge, match=r"s$"):
        PlanWalk(read_flights, seconds_max=3, clock=lambda: next(ticks)).relation(
            node("Project", projectList=[named(f"d{n}", attribute("c")) for n in range(200)], child=flights("c"))
        )


def test_a_recursive_query_comes_to_rest():
    """`origin` takes the place of `dest` in each round, so in the end both are either."""
    ids = [attribute("origin"), attribute("dest")]
    again = node("UnionLoopRef", loopId="1", output=[attribute("o"), attribute("d")])
    swapped = node("Project", projectList=[attribute("d"), attribute("o")], child=again)
    anchor = node("Project", projectList=ids, child=flights("origin", "dest"))
    plan = node("UnionLoop", id="1", anchor=anchor, recursion=swapped, outputAttrIds=["x", "y"])
    both = [("dest", "IDENTITY"), ("origin", "IDENTITY")]
    assert [(name, made_of(value)) for name, value in PlanWalk(read_flights).relation(plan).columns] == [
        ("x", both),
        ("y", both),
    ]


def test_nodes_are_linked_by_their_places():
    plan = parse_plan(["Filter", "Range"], [[0, {"condition": None, "child": 1, "list": [[1, None], "1"]}], [1, {}]])
    assert (plan.kind, plan.node("child").kind) == ("Filter", "Range")
    assert [child.kind for child in plan.nodes("list")] == ["Range"]
    assert plan.values["condition"] is None


def test_types_are_linked_by_the_negatives_of_their_places():
    plan = parse_plan(["Range"], [[0, {"schema": -2, "desc": {"schema": -1}}]], ['"string"', '"long"'])
    assert plan.values == {"schema": '"long"', "desc": {"schema": '"string"'}}
