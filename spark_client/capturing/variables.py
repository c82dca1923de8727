"""Variables of Spark's sessions, and of SQL scripts in them: what each was last declared as or set to."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping

from spark_client.capturing.leaves import QueryLeaves, Variable
from spark_client.capturing.model import Execution
from spark_client.capturing.plans.expression_rules import variable_key
from spark_client.capturing.plans.plan import Node
from spark_client.capturing.plans.values import NOTHING, TooLarge, Value, beside, unknown

DECLARES, SETS = "CreateVariable", "SetVariable"
# Catalog of the variables of scripts.
_OF_A_SCRIPT = "variable local."
_SESSIONS_MAX = 200
_VARIABLES_MAX = 1_000


class Variables:
    """Variables by session; those of the latest sessions, and of each the latest, are remembered."""

    def __init__(self, sessions_max: int = _SESSIONS_MAX, variables_max: int = _VARIABLES_MAX) -> None:
        self._sessions: OrderedDict[str, OrderedDict[str, Variable]] = OrderedDict()
        self._bounds = sessions_max, variables_max

    def of(self, session: str) -> Mapping[str, Variable]:
        """Return the variables of a session by their keys."""
        return self._sessions.get(session, {})

    def put(self, session: str, variables: Mapping[str, Variable]) -> None:
        """Remember what variables are from now on."""
        known = self._sessions.setdefault(session, OrderedDict())
        self._sessions.move_to_end(session)
        for key, variable in variables.items():
            known[key] = variable
            known.move_to_end(key)
        while len(known) > self._bounds[1]:
            known.popitem(last=False)
        while len(self._sessions) > self._bounds[0]:
            self._sessions.popitem(last=False)


def read_variables(execution: Execution, reading: QueryLeaves) -> dict[str, Variable]:
    """Return what a command declares or sets, by its execution and the reading of its plan."""
    command = execution.plan
    declared = command.kind == DECLARES
    keys = [variable_key(node) for node in command.nodes(*(("names", "name") if declared else ("targetVariables",)))]
    inputs, unknown_inputs = tuple(reading.inputs()), tuple(reading.unknown_inputs())
    values = _declared(command, reading, len(keys)) if declared else _set(execution, reading, len(keys))
    return {
        key: _of_a_row(key)
        if execution.sql is None and key.startswith(_OF_A_SCRIPT)
        else Variable(value, inputs, unknown_inputs)
        for key, value in zip(keys, values, strict=True)
    }


def _of_a_row(key: str) -> Variable:
    """Return a column of a row of a loop: Spark sets it to a value, by a statement that nobody wrote."""
    reason = f"{key}: a row of a loop"
    return Variable(unknown(reason), unknown_inputs=(reason,))


def _declared(command: Node, reading: QueryLeaves, count: int) -> list[Value]:
    default = command.node("defaultExpr")
    return [NOTHING if default is None else reading.expression(default)] * count


def _set(execution: Execution, reading: QueryLeaves, count: int) -> Iterator[Value] | list[Value]:
    query = execution.plan.node("sourceQuery")
    if execution.tier == "tables" or query is None:
        return [unknown(f"{SETS}: a plan that is too large")] * count
    try:
        relation = reading.relation(query)
    except TooLarge:
        return [unknown(f"{SETS}: a plan that is too large")] * count
    return [beside(value, Value(relation.rows)) for value in relation.values]
