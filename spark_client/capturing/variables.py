"""Variables of Spark's sessions, and of SQL scripts in sessions, with their latest values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from spark_client.capturing.latest import Latest
from spark_client.capturing.leaves import QueryLeaves, Variable
from spark_client.capturing.model import Execution
from spark_client.capturing.plans.expression_rules import variable_key
from spark_client.capturing.plans.plan import Node
from spark_client.capturing.plans.values import NOTHING, TooLarge, Value, decided_by, unknown

DECLARES, SETS = "CreateVariable", "SetVariable"
# Catalog of the variables of scripts.
_OF_A_SCRIPT = "variable local."
_SESSIONS_MAX = 200
_VARIABLES_MAX = 1_000


class Variables:
    """Variables by session, bounded: the latest variables of the latest sessions."""

    def __init__(self) -> None:
        self._sessions: Latest[str, Latest[str, Variable]] = Latest(_SESSIONS_MAX)

    def of(self, session: str) -> Mapping[str, Variable]:
        """Find the variables of a session by their keys: `variable system.session.day`."""
        return self._sessions.get(session, {})

    def put(self, session: str, variables: Mapping[str, Variable]) -> None:
        """Remember the new values of variables."""
        known = self._sessions[session] = self._sessions.get(session) or Latest(_VARIABLES_MAX)
        for key, variable in variables.items():
            known[key] = variable


def read_variables(execution: Execution, reading: QueryLeaves) -> dict[str, Variable]:
    """Read the variables declared or set by a command, from its execution and the reading of its plan."""
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
    """Make the unknown value of a row's column in a loop: Spark sets it by a statement of its own."""
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
    return [decided_by(value, Value(relation.rows)) for value in relation.values]
