"""The table of functions beside the registries of the Spark that is there: nothing is missing, and nothing invented."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pyspark
import pytest
from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from spark_client.capturing.connect.columns.functions import _RULES, CASTS, GENERATORS
from spark_client.capturing.plans import functions
from spark_client.capturing.plans.expression_rules import RULES
from spark_client.capturing.plans.functions import FUNCTIONS, Effect

_EXPRESSIONS = "org.apache.spark.sql.catalyst.expressions."
_PACKAGES = (
    *(_EXPRESSIONS + name for name in ("", "aggregate.", "objects.")),
    "org.apache.spark.sql.catalyst.analysis.",
)
# Operators that only the parser knows, and a function that PySpark alone can call.
_NOT_REGISTERED = frozenset({"!=", "<>", "||", "product"})
# Generators that are called as tables, and are no expressions.
# Built-in functions that are read as a stranger's, for their effect depends on what Spark's analyzer makes of them.
UNREAD = frozenset({"counter_diff", "session_window"})
_TABLES = frozenset({"collations", "python_worker_logs", "range", "sql_keywords", "variant_explode"})
_IS_NEWEST = pyspark.__version__ >= "4.3"


class Registered(NamedTuple):
    """Built-in function: its class, and the names of all that this class extends."""

    name: str
    kind: str
    above: frozenset[str]


@pytest.fixture(scope="module")
def registered(spark: SparkSession) -> list[Registered]:
    registry = spark._jvm.org.apache.spark.sql.catalyst.analysis.FunctionRegistry.builtin()
    names = registry.listFunction().iterator()
    return list(_of(spark, registry, names))


def _of(spark: SparkSession, registry: Any, names: Any) -> Iterator[Registered]:
    while names.hasNext():
        identifier = names.next()
        owner = registry.lookupFunction(identifier).get().getClassName()
        yield Registered(identifier.funcName(), owner.rpartition(".")[2], frozenset(_above(_class(spark, owner))))


def _above(owner: Any) -> Iterator[str]:
    left = [owner]
    while left:
        java_class = left.pop()
        yield java_class.getSimpleName()
        left += [*java_class.getInterfaces(), *filter(None, [java_class.getSuperclass()])]


def _class(spark: SparkSession, name: str) -> Any:
    java = spark._jvm.java.lang
    return java.Class.forName(name, False, java.Thread.currentThread().getContextClassLoader())


def test_each_function_of_this_spark_is_in_the_table(registered: list[Registered]) -> None:
    assert {function.name for function in registered} - FUNCTIONS.keys() - UNREAD == set()


def test_no_function_is_in_the_table_that_the_newest_spark_does_not_have(registered: list[Registered]) -> None:
    names = {function.name for function in registered}
    if _IS_NEWEST:
        assert (FUNCTIONS.keys() | UNREAD) - names == _NOT_REGISTERED
    assert not UNREAD & FUNCTIONS.keys()
    assert {*_RULES, *CASTS, *GENERATORS} <= FUNCTIONS.keys()


def test_no_class_is_in_the_table_that_the_newest_spark_does_not_have(spark: SparkSession) -> None:
    kinds = {each.kind for each in functions._ALL if each.kind}
    missing = {kind for kind in kinds if not any(_is_there(spark, package + kind) for package in _PACKAGES)}

    assert not _IS_NEWEST or missing == set()


def _is_there(spark: SparkSession, name: str) -> bool:
    try:
        _class(spark, name)
    except Py4JJavaError:
        return False
    return True


def test_a_function_is_of_the_class_by_which_it_is_read(registered: list[Registered]) -> None:
    """A builder makes another class, and what is replaceable is read as what it is replaced by."""
    differing = {
        (function.name, function.kind, FUNCTIONS[function.name].kind)
        for function in registered
        if function.name in FUNCTIONS
        and not _is_replaced(function)
        and (FUNCTIONS[function.name].kind or function.kind) != function.kind
    }

    assert differing == set()


def test_the_default_rule_is_for_classes_that_have_no_other(registered: list[Registered]) -> None:
    with_effects = {each.kind for each in functions._ALL if each.kind} | RULES.keys()
    misread = {
        (function.name, function.kind)
        for function in registered
        if function.name in FUNCTIONS
        and not FUNCTIONS[function.name].kind
        and function.kind in with_effects
        and function.kind != "Cast"
    }

    assert misread == set()


def test_aggregates_are_those_of_spark(registered: list[Registered]) -> None:
    known = [function for function in registered if function.name in FUNCTIONS and "Builder" not in function.kind]
    of_spark = {
        function.name for function in known if {"AggregateFunction", "RuntimeReplaceableAggregate"} & function.above
    }
    of_windows = {function.name for function in known if "AggregateWindowFunction" in function.above}

    assert {function.name for function in known if FUNCTIONS[function.name].aggregates} == of_spark - of_windows


def test_functions_with_a_rule_of_their_own_have_one(registered: list[Registered]) -> None:
    own = {each for each in functions._ALL if each.effect is Effect.OWN}

    assert {each.name for each in own if each.kind not in RULES} <= {
        function.name for function in registered if "HigherOrderFunction" in function.above
    } | {"stack", "count_if", "window"}


def _is_replaced(function: Registered) -> bool:
    return "Builder" in function.kind or any("RuntimeReplaceable" in name for name in function.above)
