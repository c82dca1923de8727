"""Names in a database's query: a column is found only where no other can be meant."""

import pytest

from spark_client.capturing.databases.jdbc import find_column
from spark_client.capturing.databases.names import Column, NodeFactory, Scope, Table, Unresolvable, tables_in
from tests.unit.spark_client.capturing.builders_nodes import a_node

MADE = NodeFactory()
ID, TOTAL, OTHER = (MADE.attribute(name) for name in ("id", "total", "other"))
CLOSED = Table(("o",), [Column("id", ID), Column('"Total"', TOTAL)])
OPEN = Table(("shop", "lines"), rest=lambda name: OTHER, closed=False)


FOUND = [
    (Scope((CLOSED,)), ["ID"], ID),
    (Scope((CLOSED,)), ["o", '"Total"'], TOTAL),
    (Scope((OPEN,)), ["anything"], OTHER),
    (Scope((OPEN,)), ["lines", "anything"], OTHER),
    (Scope((OPEN,)), ["shop", "lines", "anything"], OTHER),
    # The open one cannot have it too, for then the database would refuse the query.
    (Scope((CLOSED, OPEN)), ["id"], ID),
    (Scope((CLOSED, OPEN)), ["quantity"], OTHER),
    (Scope((CLOSED,), outer=Scope((OPEN,))), ["quantity"], OTHER),
    (Scope((CLOSED,), outer=Scope((OPEN,))), ["lines", "id"], OTHER),
    (Scope((OPEN, OPEN), merged={"id": ID}), ["id"], ID),
]


@pytest.mark.parametrize(("scope", "name", "column"), FOUND)
def test_a_name_is_found_where_it_can_mean_one_column(scope, name, column):
    assert scope.find(name) is column


LOST = [
    (Scope((CLOSED,)), ["quantity"]),
    (Scope((CLOSED,)), ["x", "id"]),
    (Scope((CLOSED, CLOSED)), ["id"]),
    (Scope((OPEN, OPEN)), ["id"]),
    (Scope((OPEN, CLOSED), natural=True), ["quantity"]),
    # Of the table, or of the query around it.
    (Scope((OPEN,), outer=Scope((CLOSED,))), ["id"]),
    # Of the table, or an alias.
    (Scope((OPEN,), hidden=frozenset({"id"})), ["id"]),
    # It may have been made without a name.
    (Scope((Table(("d",), [Column(None, ID)]),)), ["id"]),
    (Scope((Table(("d",), closed=False),)), ["d", "id"]),
]


@pytest.mark.parametrize(("scope", "name"), LOST)
def test_a_name_that_may_mean_another_column_is_not_found(scope, name):
    with pytest.raises(Unresolvable):
        scope.find(name)


def _table(*parts):
    return a_node("UnresolvedRelation", multipartIdentifier=list(parts))


def test_the_tables_of_a_query_are_not_its_own_ctes():
    body = a_node("Join", left=_table("w"), right=_table("shop", "w"))
    query = a_node("UnresolvedWith", child=body, cteRelations=[["w", a_node("Project", child=_table("orders"))]])

    assert list(tables_in(query)) == [("orders",), ("shop", "w")]


def test_what_is_no_table_is_among_them_without_a_name():
    assert list(tables_in(a_node("Project", child=a_node("UnresolvedTableValuedFunction")))) == [None]


@pytest.mark.parametrize(
    ("url", "name", "column"),
    [
        ("jdbc:derby:memory:x", "id", "ID"),
        ("jdbc:postgresql://db/shop", "Id", "id"),
        ("jdbc:sqlserver://db", "Id", "Id"),
        ("jdbc:oracle:thin:@//db:1521/s", '"id"', "id"),
    ],
)
def test_a_column_is_spelled_as_the_database_has_it(url, name, column):
    assert find_column(url, name) == column
