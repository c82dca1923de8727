"""Commands of Spark and of table formats: each is reported, keeps all rows, or is counted as lost."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import pyspark
from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from spark_client.capturing.datasets.targets import is_known
from spark_client.capturing.variables import DECLARES, SETS
from tests.spark.table_formats import jars

_COMMAND = "org.apache.spark.sql.catalyst.plans.logical.Command"
_SPARKS_OWN = ("spark-sql_*.jar", "spark-catalyst_*.jar", "spark-hive_*.jar")
# Commands of declarative pipelines, and that of a program outside Spark.
_UNKNOWN = (
    "CreateFlowCommand CreateMaterializedViewAsSelect CreateMetricView CreateMetricViewCommand CreateStreamingTable "
    "CreateStreamingTableAsSelect CreateStreamingTableAutoCdc ExternalCommandExecutor"
)
# Commands that Spark makes of other commands, or runs inside others.
_NEVER_WHOLE = (
    "LoadData DeleteFromTableWithFilters CallCommand DeltaMergeInto WriteIntoDelta CloneTableCommand "
    "AlterTableAddColumnsDeltaCommand AlterTableChangeColumnDeltaCommand AlterTableDropColumnsDeltaCommand "
    "AlterTableReplaceColumnsDeltaCommand AlterTableSetLocationDeltaCommand"
)


def test_no_command_changes_data_in_silence(spark: SparkSession) -> None:
    kinds = {name.rpartition(".")[2].removesuffix("$") for name in commands(spark)}
    assert len(kinds) > 100
    unknown = {kind for kind in kinds if not is_known(kind)} - {DECLARES, SETS}
    assert unknown - set(_UNKNOWN.split()) - set(_NEVER_WHOLE.split()) == set()


def commands(spark: SparkSession) -> Iterator[str]:
    """Yield the classes of commands in the jars of Spark and of the table formats that are tested."""
    jvm = spark._jvm
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    command = loader.loadClass(_COMMAND)
    for name in classes_that_name_commands():
        try:
            loaded = loader.loadClass(name)
            is_abstract = jvm.java.lang.reflect.Modifier.isAbstract(loaded.getModifiers())
        except Py4JError:  # of a library that is not there
            continue
        if command.isAssignableFrom(loaded) and not is_abstract:
            yield name


def classes_that_name_commands() -> Iterator[str]:
    """Yield the classes whose files name commands: each command names the trait."""
    folder = Path(pyspark.__file__).parent / "jars"
    own = [jar for pattern in _SPARKS_OWN for jar in folder.glob(pattern)]
    for jar in (*own, *jars()):
        with zipfile.ZipFile(jar) as classes:
            for name in classes.namelist():
                if name.endswith(".class") and b"logical/Command" in classes.read(name):
                    yield name.removesuffix(".class").replace("/", ".")
