"""Statements without rows of a query, by the rules of a driver's commands; and views of the catalog."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from spark_client.capturing.connect.commanded import Commanded
from spark_client.capturing.connect.plan_texts import PlanText
from spark_client.capturing.connect.printed_commands import command_node
from spark_client.capturing.connect.reads import TableRead
from spark_client.capturing.connect.server import NoResponse
from spark_client.capturing.connect.snapshots import Snapshot
from spark_client.capturing.connect.sql_statements import Statement, View, is_kept, keeps_rows
from spark_client.capturing.datasets.statement_texts import LEAD, find_in_text
from spark_client.capturing.datasets.statements import RULES
from spark_client.capturing.model import Change, UnknownTarget, Write

_REPLACES = re.compile(rf"{LEAD}(?:CREATE\s+OR\s+REPLACE|ALTER)\b", re.IGNORECASE | re.DOTALL)
_MAY_BE_THERE = re.compile(rf"{LEAD}CREATE\s+VIEW\s+IF\b", re.IGNORECASE | re.DOTALL)
_FIRST_WORD = re.compile(rf"{LEAD}(\w*)", re.DOTALL)


def writes_by_text(commanded: Commanded, text: str) -> list[Write] | None:
    """Find the writes of a statement by its text alone; None if Spark has to explain it.

    Raises:
        UnknownTarget: the procedure or the table has no known name.
    """
    if keeps_rows(text):
        return []
    session = commanded.session
    is_such, target = find_in_text(text, session.catalogs, session.current)
    if is_such:
        return [commanded.of_target(target, text)] if target else []
    return None


def unknown_statement(commanded: Commanded, text: str, why: str) -> list[Write]:
    """Refuse an unknown statement; a failed statement wrote nothing.

    Raises:
        UnknownTarget: the statement may have changed anything.
    """
    if not commanded.done:
        return []
    match = _FIRST_WORD.match(text)
    raise UnknownTarget(commanded.opaque(match[1].upper() if match else "SQL", why, text))


def command_writes(commanded: Commanded, command: PlanText, analyzed: PlanText | None, text: str) -> list[Write]:
    """Find the write of a command without a query, such as `DropTable`.

    Raises:
        UnknownTarget: the command is unknown, or its table has no known name.
    """
    session = commanded.session
    name = command.below[0].name if command.below else ()
    full = session.full_name(TableRead(name)) if name else ()
    node = command_node(command, full)
    if _follows_view(commanded, command.kind, name, node.values) or is_kept(command, analyzed, text):
        return []
    rule = RULES.get(command.kind)
    if rule is None:
        return unknown_statement(commanded, text, f"the command {command.kind}, which nobody knows")
    target = rule(node, session.catalogs)
    if target is not None and command.kind == "DropView" and len(name) == 1:
        target = replace(target, if_met=True)  # or a temporary view from before the capture
    return [commanded.of_target(target, text, full)] if target else []


def _follows_view(commanded: Commanded, kind: str, name: tuple[str, ...], values: Any) -> bool:
    """Drop or rename a temporary view of the session; True if the command is about such a view."""
    session = commanded.session
    if kind == "DropView":
        is_temporary = session.is_temporary(name, query_server=False)
        if is_temporary and commanded.done:
            session.put_view(name, None)
        return is_temporary
    if kind != "RenameTable" or not values["isView"]:
        return False
    new = tuple(values["newName"])
    is_temporary = session.is_temporary(name, query_server=False) or _is_temporary(commanded, new)
    if is_temporary and commanded.done:
        session.rename_view(name, new)
    return is_temporary


def _is_temporary(commanded: Commanded, name: tuple[str, ...]) -> bool:
    """True for a temporary view of the session or, after a command without failure, of the server."""
    try:
        return commanded.session.is_temporary(name, query_server=commanded.done)
    except NoResponse:
        return False


def as_view(commanded: Commanded, statement: Statement | View) -> Statement | View:
    """Turn `ALTER VIEW v AS SELECT ...` of a temporary view into the view; keep all else."""
    if isinstance(statement, View) or statement.kind != "AlterViewAs" or not isinstance(statement.target, TableRead):
        return statement
    name = statement.target.name
    return View(name, statement.reads) if _is_temporary(commanded, name) else statement


def view_write(commanded: Commanded, statement: Statement, text: str, snapshot: Snapshot | None) -> Write:
    """Make the write of a catalog's view, with the columns of its query."""
    session, name = commanded.session, commanded.session.full_name(statement.target)
    output = session.by_name(name)
    if output is not None:
        output = replace(output, schema=commanded.schema_now(name))
    change: Change | None = "OVERWRITE" if _REPLACES.match(text) else None if _MAY_BE_THERE.match(text) else "CREATE"
    write = commanded.write(replace(statement, change=change), sql=text, output=output)
    return (
        write if snapshot is None else commanded.named(write, snapshot, "by position" if write.output.schema else "new")
    )
