from __future__ import annotations

from dataclasses import astuple, replace

from hypothesis import given
from hypothesis import strategies as st

from headwater_model.columns import NO_COLUMNS, ColumnLineage, ColumnSource, Transformation
from headwater_model.ids import DatasetId
from spark_client.capturing.model import Dataset, Failure, RowIds, SchemaField, Symlink, WriteStatistics
from spark_client.capturing.session.write_merger import WriteMerger
from tests.unit.spark_client.capturing.fake_executions import ESTIMATED, a_write, an_execution

CHECKED = Dataset(DatasetId("file", "/flights/checked"))
IDENTITY = frozenset({Transformation("DIRECT", "IDENTITY")})
CO2 = {ColumnSource(CHECKED.id, ("distance",)): frozenset({Transformation("DIRECT", "TRANSFORMATION")})}
TAILNUM = {ColumnSource(CHECKED.id, ("tailnum",)): IDENTITY}


class Clock:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def test_a_write_of_one_execution_is_whole_at_once() -> None:
    execution = an_execution(3)
    assert WriteMerger().add(execution, [a_write(execution)]) == [a_write(execution)]


def test_groups_of_files_that_a_statement_moves_are_maintained_once() -> None:
    parts = [an_execution(number, 7) for number in (8, 9, 10)]
    moves = [replace(a_write(part), change="MAINTENANCE") for part in parts]
    merger = WriteMerger()
    assert [merger.add(part, [move]) for part, move in zip(parts, moves, strict=True)] == [[], [], []]
    [write] = merger.over(7)
    assert (write.change, write.execution_id, write.output) == ("MAINTENANCE", 8, ESTIMATED)


def test_a_ctas_and_its_insert_are_one_write_that_knows_what_both_know() -> None:
    insert, ctas = an_execution(8, 7, (20, 80)), an_execution(7, 7, (10, 90))
    inner = replace(
        a_write(insert, replace(ESTIMATED, version="3", rows=RowIds("f392", 3, 0, 5))),
        inputs=(CHECKED,),
        columns=ColumnLineage({("co2",): CO2}),
        written=WriteStatistics(rows=5, files=1),
        change="OVERWRITE",
    )
    table = Symlink("hive://h", "db.estimated")
    schema = (SchemaField("co2", "double"),)
    outer = replace(
        a_write(ctas, replace(ESTIMATED, symlinks=(table,), schema=schema)),
        command="CreateTableAsSelect",
        inputs=(replace(CHECKED, schema=schema),),
        columns=ColumnLineage({("tailnum",): TAILNUM}),
        written=WriteStatistics(size_bytes=100),
        change="CREATE",
        sql="CREATE TABLE ...",
    )
    merger = WriteMerger()
    assert merger.add(insert, [inner]) == []
    assert merger.add(ctas, [outer]) == [
        replace(
            outer,
            output=Dataset(ESTIMATED.id, schema, (table,), "3", rows=RowIds("f392", 3, 0, 5)),
            columns=ColumnLineage({("tailnum",): TAILNUM, ("co2",): CO2}),
            written=WriteStatistics(5, 100, 1),
        )
    ]
    assert merger.release() == []


def test_a_save_of_a_ctas_of_an_insert_is_one_write_where_the_insert_wrote() -> None:
    merger = WriteMerger()
    insert, ctas, save = an_execution(9, 7, (30, 70)), an_execution(8, 7, (20, 80)), an_execution(7, 7, (10, 90))
    table = Dataset(DatasetId("hive://h", "db.estimated"))
    by_name = {"output": table, "command": "CreateDataSourceTableAsSelectCommand", "change": "CREATE"}
    assert merger.add(insert, [replace(a_write(insert), change="OVERWRITE")]) == []
    assert merger.add(ctas, [replace(a_write(ctas), **by_name)]) == []
    assert merger.add(save, [replace(a_write(save), **by_name)]) == [
        replace(a_write(save), **{**by_name, "output": replace(ESTIMATED, symlinks=(Symlink(*astuple(table.id)),))})
    ]


def test_a_ctas_of_a_table_that_is_there_wrote_nothing_but_one_that_failed_is_emitted() -> None:
    ctas = an_execution(7)
    write = replace(a_write(ctas), command="CreateDataSourceTableAsSelectCommand")
    assert WriteMerger().add(ctas, [write]) == []
    failed = replace(write, failure=Failure("no such column"))
    assert WriteMerger().add(ctas, [failed]) == [failed]


def test_a_ctas_of_hudi_is_a_write_even_if_no_part_of_it_is() -> None:
    ctas = an_execution(7)
    write = replace(a_write(ctas), command="CreateHoodieTableAsSelectCommand")
    assert WriteMerger().add(ctas, [write]) == [write]


def test_a_statement_says_all_about_the_rows_that_are_written_inside_it() -> None:
    rows, statement = an_execution(8, 7, (20, 80)), an_execution(7, 7, (10, 90))
    inside = replace(a_write(rows), inputs=(ESTIMATED,), written=WriteStatistics(rows=2))
    outer = replace(a_write(statement), command="DeleteHoodieTableCommand", columns=NO_COLUMNS, inputs=())
    merger = WriteMerger()
    merger.add(rows, [inside])
    assert merger.add(statement, [outer]) == [replace(outer, written=WriteStatistics(rows=2))]


def test_a_statement_without_a_query_has_the_place_of_its_table_and_nothing_of_an_earlier_commit() -> None:
    table = Symlink("hive://h", "db.estimated")
    insert, restore = an_execution(7), an_execution(8)
    merger = WriteMerger()
    earlier = replace(ESTIMATED, symlinks=(table,), version="3", branch="audit", rows=RowIds("f392", 3, 0, 4))
    merger.add(insert, [a_write(insert, earlier)])
    named = Dataset(DatasetId("hive://h", "db.estimated"), version="4", rows=RowIds("f392", 4))
    [write] = merger.add(restore, [replace(a_write(restore, named), effect="restore")])
    assert write.output == replace(earlier, version="4", branch=None, rows=RowIds("f392", 4))


def test_a_table_and_its_place_are_one_dataset_if_one_names_the_other() -> None:
    insert, ctas = an_execution(8, 7, (20, 80)), an_execution(7, 7, (10, 90))
    table = Dataset(DatasetId("hive://h", "db.t"), symlinks=(Symlink("file", "/flights/estimated", "LOCATION"),))
    merger = WriteMerger()
    merger.add(insert, [a_write(insert)])
    assert merger.add(ctas, [a_write(ctas, table)]) == [a_write(ctas, table)]


def test_two_appends_in_a_micro_batch_are_two_writes_each_by_its_own_execution() -> None:
    merger = WriteMerger()
    first, second, batch = an_execution(8, 7, (20, 30)), an_execution(9, 7, (31, 40)), an_execution(7, 7, (10, 90))
    merger.add(first, [a_write(first)])
    merger.add(second, [a_write(second)])
    whole = merger.add(batch, [])
    assert [(write.execution_id, write.started_ms) for write in whole] == [(8, 20), (9, 31)]


def test_a_table_saved_in_a_micro_batch_is_one_write_of_the_outer_execution() -> None:
    merger = WriteMerger()
    ctas, insert, batch = an_execution(8, 7, (20, 40)), an_execution(9, 7, (21, 39)), an_execution(7, 7, (10, 90))
    merger.add(insert, [a_write(insert)])
    merger.add(ctas, [a_write(ctas)])
    assert [write.execution_id for write in merger.add(batch, [])] == [8]


def test_writes_of_other_datasets_and_other_roots_stay_apart() -> None:
    merger = WriteMerger()
    insert, other = an_execution(8, 7, (20, 80)), an_execution(5, 5, (10, 90))
    merger.add(insert, [a_write(insert)])
    assert merger.add(other, [a_write(other)]) == [a_write(other)]
    root = an_execution(7, 7, (10, 90))
    whole = merger.add(root, [a_write(root, CHECKED)])
    assert [(write.output, write.execution_id) for write in whole] == [(ESTIMATED, 8), (CHECKED, 7)]


@given(st.lists(st.tuples(st.sampled_from([ESTIMATED, CHECKED]), st.booleans()), min_size=1, max_size=5))
def test_inserts_that_share_a_from_are_a_write_each_with_the_columns_of_its_own(
    outputs: list[tuple[Dataset, bool]],
) -> None:
    """Some are of directories, whose files another execution writes, all after one another; the others write."""
    root = an_execution(7, 7, (10, 90))
    merger, outers = WriteMerger(), []
    for number, (place, is_directory) in enumerate(outputs):
        columns = ColumnLineage({(f"c{number}",): CO2})
        outer = replace(a_write(root, place), number=number, columns=columns)
        if is_directory:
            insert = an_execution(8 + number, 7, (20 + number, 21 + number))
            merger.add(insert, [replace(a_write(insert, place), columns=columns, written=WriteStatistics(rows=number))])
            outer = replace(outer, command="InsertIntoDataSourceDirCommand", columns=NO_COLUMNS)
        outers.append(outer)
    assert [(write.number, write.output, write.columns, write.written.rows) for write in merger.add(root, outers)] == [
        (number, place, ColumnLineage({(f"c{number}",): CO2}), number if is_directory else None)
        for number, (place, is_directory) in enumerate(outputs)
    ]


def test_a_table_known_by_name_alone_takes_only_what_may_have_its_query() -> None:
    table = Dataset(DatasetId("hive://h", "db.t"), (SchemaField("co2", "double"),))
    ctas = an_execution(7, 7, (10, 90))
    outer = replace(a_write(ctas, table), command="CreateTableAsSelect", inputs=(CHECKED,))
    insert, other, reading = (an_execution(number, 7, (20, 80)) for number in (8, 9, 10))
    merger = WriteMerger()
    merger.add(insert, [a_write(insert, replace(ESTIMATED, schema=(SchemaField("CO2", "double"),)))])
    strange = a_write(other, Dataset(DatasetId("file", "/other"), (SchemaField("seats", "integer"),)))
    merger.add(other, [strange])
    reads_more = replace(a_write(reading, Dataset(DatasetId("file", "/more"))), inputs=(ESTIMATED,))
    merger.add(reading, [reads_more])
    written = merger.add(ctas, [outer])
    assert [write.output.id.name for write in written] == ["/other", "/more", ESTIMATED.id.name]


def test_the_outer_execution_says_whether_it_failed() -> None:
    insert, ctas = an_execution(8, 7, (20, 80)), an_execution(7, 7, (10, 90))
    merger = WriteMerger()
    merger.add(insert, [a_write(insert)])
    failed = replace(a_write(ctas), failure=Failure("no space"))
    assert merger.add(ctas, [failed]) == [failed]


def test_what_was_read_in_more_detail_gives_the_columns() -> None:
    insert, ctas = an_execution(8, 7, (20, 80)), an_execution(7, 7, (10, 90))
    inner = replace(a_write(insert), columns=ColumnLineage({("co2",): CO2}), unknown={("x",): "an RDD"})
    outer = replace(a_write(ctas), tier="tables")
    merger = WriteMerger()
    merger.add(insert, [inner])
    (whole,) = merger.add(ctas, [outer])
    assert (whole.columns, whole.unknown, whole.tier) == (inner.columns, inner.unknown, "full")


def test_a_column_is_unknown_if_neither_knows_it() -> None:
    insert, ctas = an_execution(8, 7, (20, 80)), an_execution(7, 7, (10, 90))
    known = ColumnLineage({("co2",): CO2, ("half",): CO2})
    inner = replace(a_write(insert), columns=known, unknown={("x",): "an RDD", ("half",): "an RDD"})
    outer = replace(a_write(ctas), unknown={("x",): "an RDD", ("co2",): "an RDD"})
    merger = WriteMerger()
    merger.add(insert, [inner])
    (whole,) = merger.add(ctas, [outer])
    assert whole.unknown == {("x",): "an RDD", ("half",): "an RDD"}
    assert whole.columns == known


def test_a_root_that_never_ends_is_let_go_after_its_time() -> None:
    clock = Clock()
    merger = WriteMerger(pending_s=60, clock=clock)
    insert = an_execution(8, 7)
    merger.add(insert, [a_write(insert)])
    clock.now_s = 59
    assert merger.overdue() == []
    clock.now_s = 61
    assert [write.execution_id for write in merger.overdue()] == [8]
    assert merger.overdue() == []


def test_no_more_than_so_many_wait_for_their_roots() -> None:
    merger = WriteMerger(pending_max=2)
    released = []
    for root_id in (100, 200, 300):
        inner = an_execution(root_id + 1, root_id)
        released += merger.add(inner, [a_write(inner)])
    assert [write.execution_id for write in released] == [101]
    assert [write.execution_id for write in merger.release()] == [201, 301]
