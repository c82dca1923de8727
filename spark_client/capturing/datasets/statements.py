"""Statements without rows of a query: the report of each, and the statements without effect on rows.

The table in docs/capture.md has the same lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from spark_client.capturing.datasets import table_formats, whole_tables
from spark_client.capturing.datasets.catalogs import Catalogs
from spark_client.capturing.datasets.target import Target
from spark_client.capturing.plans.plan import Node, kinds


@dataclass(frozen=True, slots=True)
class Statement:
    """Statements of a kind.

    Attributes:
        sql: first words, for people.
        report: reported run, for people.
        rule: rule of the commands.
        commands: classes of the commands in Spark and in table formats.
    """

    sql: str
    report: str
    rule: Callable[[Node, Catalogs], Target | None]
    commands: frozenset[str]


STATEMENTS = (
    Statement(
        "`DROP TABLE`, `DROP VIEW`",
        "`DROP`",
        whole_tables.drop,
        kinds("DropTableCommand DropTable DropView DropIcebergView DropHoodieTableCommand"),
    ),
    Statement(
        "`TRUNCATE TABLE`",
        "`TRUNCATE`; of a partition, a write of the table",
        whole_tables.truncate,
        kinds("TruncateTableCommand TruncateTable TruncatePartition TruncateHoodieTableCommand"),
    ),
    Statement(
        "`ALTER TABLE ... RENAME TO`, `ALTER VIEW ... RENAME TO`",
        "`RENAME` of the new name, made of the old one",
        whole_tables.rename,
        kinds("AlterTableRenameCommand RenameTable AlterHoodieTableRenameCommand"),
    ),
    Statement("`REPLACE TABLE`", "`OVERWRITE`", whole_tables.replace_table, kinds("ReplaceTable")),
    Statement(
        "`CREATE VIEW`, `ALTER VIEW ... AS`",
        "`CREATE` or `OVERWRITE` of the view, with the columns of its query; of temporary views nothing",
        whole_tables.view,
        kinds("CreateViewCommand AlterViewAsCommand CreateView AlterViewAs CreateIcebergView"),
    ),
    Statement(
        "`ALTER TABLE ... ADD COLUMNS`; drop, rename, replace and alter columns",
        "`ALTER`; where the columns before are known and others are only added, with its schema",
        whole_tables.alter,
        kinds(
            "AlterTableAddColumnsCommand AddColumns DropColumns RenameColumn ReplaceColumns AlterColumn AlterColumns "
            "AlterHoodieTableAddColumnsCommand AlterHoodieTableChangeColumnCommand AlterTableCommand"
        ),
    ),
    Statement(
        "`ALTER TABLE ... ADD PARTITION ... LOCATION`",
        "a write of the table, from folders outside it; of others nothing",
        whole_tables.add_partitions,
        kinds("AlterTableAddPartitionCommand AddPartitions AlterHoodieTableAddPartitionCommand"),
    ),
    Statement(
        "`ALTER TABLE ... DROP PARTITION`, `PARTITION ... RENAME TO`",
        "a write of the table",
        whole_tables.change_partitions,
        kinds(
            "AlterTableDropPartitionCommand DropPartitions AlterTableRenamePartitionCommand RenamePartitions "
            "AlterHoodieTableDropPartitionCommand"
        ),
    ),
    Statement(
        "`ALTER TABLE ... SET LOCATION`",
        "`ALTER` of the folder under the table's name; of a partition, a write of the table from the folder",
        whole_tables.set_location,
        kinds("AlterTableSetLocationCommand SetTableLocation"),
    ),
    Statement(
        "`CLONE` of Delta, shallow or deep",
        "`CREATE` or `OVERWRITE`, made of its source column by column",
        table_formats.clone,
        kinds("CreateDeltaTableCommand"),
    ),
    Statement(
        "`RESTORE` of Delta",
        "`OVERWRITE`, made of the table itself at the version that is named",
        table_formats.restore,
        kinds("RestoreTableCommand"),
    ),
    Statement(
        "`CONVERT TO DELTA`",
        "a write of the table, made of itself",
        table_formats.convert,
        kinds("ConvertToDeltaCommand"),
    ),
    Statement(
        "`CALL` of Iceberg's `add_files` and `snapshot`; `migrate`, `rollback_to_snapshot`, `rollback_to_timestamp`, "
        "`set_current_snapshot`, `cherrypick_snapshot`, `publish_changes`, `fast_forward`",
        "a write of the table (`snapshot`: `CREATE`), made of its source; the latter seven, made of itself. "
        "An unknown procedure is counted in `lost`",
        table_formats.call,
        kinds("Call CallProcedureHoodieCommand"),
    ),
    Statement(
        "`DROP DATABASE ... CASCADE`",
        "nothing; counted in `lost`",
        whole_tables.drop_namespace,
        kinds("DropDatabaseCommand DropNamespace"),
    ),
)
RULES = {command: statement.rule for statement in STATEMENTS for command in statement.commands}
# Commands without effect on the rows and columns of a dataset; a new table has no rows.
KEEPS_ROWS = re.compile(
    r"(?:Show|Describe|List|Analyze|Refresh|Set|Unset|Reset|Cache|Uncache|Comment|Repair|Optimize|Vacuum|Compaction"
    r"|DeltaReorg|DeltaGenerate|RowTracking|AlterDatabase|AlterView(?!As)|Declare|Open|Fetch|Close)\w*"
    r"|(?:Streaming)?Explain\w*|ClearCacheCommand|RecoverPartitions|NoopCommand|CompoundBody"
    r"|Add(?:Archives|Files|Jars)Command|(?:Add|Replace|Drop)PartitionField|DropIdentifierFields"
    r"|Create(?:Table|TableLike|DataSourceTable|HoodieTable|HoodieTableLike)(?:Command)?|(?:Create|Drop)TempView\w*"
    r"|(?:Create|Drop)(?:\w*Function|Database|Namespace|Index|Variable|OrReplaceBranch|OrReplaceTag|Branch|Tag)(?:Command)?"
    r"|(?:Alter|Add|Drop)(?:Table)?\w*(?:Constraint|ClusterBy|Collation|Properties|Feature)\w*"
    r"|AlterTableChangeColumn(?:Comments)?Command|AlterColumnSyncIdentity"
)
