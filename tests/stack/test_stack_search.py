"""The archive as tables: what Glue knows of it, and in which bounds Athena scans."""

import pytest


def test_a_stage_has_a_database_of_its_own(template, turned):
    names = [each.of_type("AWS::Glue::Database")["Database"]["DatabaseInput"]["Name"] for each in (template, turned)]
    assert names == ["headwater_prod", "headwater_dev"]


def test_comments_fit_into_the_catalog(turned):
    """Glue's bounds: 255 characters of a column's comment, 2,048 of a table's description."""
    for table in turned.of_type("AWS::Glue::Table").values():
        described = table["TableInput"]
        columns = [*described["StorageDescriptor"]["Columns"], *described["PartitionKeys"]]
        assert max(len(column["Comment"]) for column in columns) <= 255
        assert len(described["Description"]) <= 2048


@pytest.mark.parametrize(("stack", "bytes_max"), [("template", 10_000_000_000), ("turned", 1_000_000_000)])
def test_every_query_in_the_workgroup_is_held_to_its_bounds(request, stack, bytes_max):
    workgroup = request.getfixturevalue(stack).of_type("AWS::Athena::WorkGroup")["Workgroup"]["WorkGroupConfiguration"]
    assert (workgroup["BytesScannedCutoffPerQuery"], workgroup["EnforceWorkGroupConfiguration"]) == (bytes_max, True)
