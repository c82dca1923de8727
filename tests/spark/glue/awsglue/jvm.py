"""Stand-in for Glue's half in the JVM: frames of records, sources and sinks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everyone does
from pyspark.sql.types import ArrayType, StructType

# The tests' tables in Glue's catalog, and the frames behind its connections.
TABLES: dict[tuple[str, str], Callable[[SparkSession], DataFrame]] = {}
CONNECTIONS: dict[str, Callable[[SparkSession, Mapping[str, Any]], DataFrame]] = {}
PLACES: dict[tuple[str, str], str] = {}
FORMATS_OF_SPARK = ("parquet", "orc")


def cut(frame: DataFrame) -> DataFrame:
    """Make a frame of the same rows without a plan."""
    session = frame.sparkSession
    query = frame._jdf.queryExecution()
    result = session._jsparkSession.internalCreateDataFrame(query.toRdd(), frame._jdf.schema(), False)
    return DataFrame(result, session)


def parts(path: str) -> list[str]:
    return [path.strip("`")] if path.startswith("`") else path.split(".")


def quoted(name: str) -> str:
    return ".".join(f"`{part}`" for part in parts(name))


class JavaFrame:
    def __init__(self, frame: DataFrame) -> None:
        self.frame = cut(frame)

    def toDF(self) -> DataFrame:  # noqa: N802 - Glue's names
        return self.frame

    def dropFields(self, paths: Sequence[str]) -> JavaFrame:  # noqa: N802
        frame = self.frame
        for path in map(parts, paths):
            whole = len(path) == 1
            frame = (
                frame.drop(path[0])
                if whole
                else frame.withColumn(path[0], F.col(path[0]).dropFields(".".join(path[1:])))
            )
        return JavaFrame(frame)

    def selectFields(self, paths: Sequence[str]) -> JavaFrame:  # noqa: N802
        known = [name for name in paths if parts(name)[0] in self.frame.columns]
        return JavaFrame(self.frame.select(*nested([(parts(name), F.col(quoted(name))) for name in known])))

    def renameField(self, before: str, after: str) -> JavaFrame:  # noqa: N802
        return JavaFrame(self.frame.withColumnRenamed(parts(before)[0], parts(after)[0]))

    def applyMapping(self, mappings: Sequence[Sequence[str]]) -> JavaFrame:  # noqa: N802
        columns = [(parts(to), F.col(quoted(of)).cast(kind.replace("long", "bigint"))) for of, _, to, kind in mappings]
        return JavaFrame(self.frame.select(*nested(columns)))

    def resolveChoice(self, specs: Sequence[Sequence[str]]) -> JavaFrame:  # noqa: N802
        frame = self.frame
        for path, action in specs:
            kind = action.partition(":")[2]
            if action == "make_cols":
                frame = frame.withColumnRenamed(path, f"{path}_{frame.schema[path].dataType.typeName()}")
            elif kind:
                frame = frame.withColumn(path, F.col(quoted(path)).cast(kind.replace("long", "bigint")))
        return JavaFrame(frame)

    def join(self, ours: Sequence[str], theirs: Sequence[str], other: JavaFrame) -> JavaFrame:
        right = other.frame
        for name in right.columns:
            if name in self.frame.columns:
                right = right.withColumnRenamed(name, f".{name}")
        keys = [
            F.col(quoted(our)) == F.col(f"`.{their}`" if their in self.frame.columns else quoted(their))
            for our, their in zip(ours, theirs, strict=True)
        ]
        return JavaFrame(self.frame.join(right, on=keys))

    def union(self, other: JavaFrame) -> JavaFrame:
        return JavaFrame(self.frame.unionByName(other.frame, allowMissingColumns=True))

    def filter(self, function: Callable[[Mapping[str, Any]], bool]) -> JavaFrame:
        keeps = F.udf(lambda row: bool(function(row.asDict(recursive=True))), "boolean")
        return JavaFrame(self.frame.where(keeps(F.struct(*(F.col(f"`{name}`") for name in self.frame.columns)))))

    def map(self, function: Callable[[dict[str, Any]], Mapping[str, Any]]) -> JavaFrame:
        rows = self.frame.rdd.map(lambda row: Row(**function(row.asDict(recursive=True))))
        return JavaFrame(self.frame.sparkSession.createDataFrame(rows))

    def where(self, condition: str) -> JavaFrame:
        return JavaFrame(self.frame.where(condition))

    def unnest(self) -> JavaFrame:
        return JavaFrame(self.frame.select(*flat(self.frame.schema)))

    def relationalize(self, root: str) -> dict[str, JavaFrame]:
        keyed = [F.monotonically_increasing_id().alias(name) for name in arrays(self.frame.schema)]
        others = [
            column
            for column, name in zip(flat(self.frame.schema), names(self.frame.schema), strict=True)
            if name not in arrays(self.frame.schema)
        ]
        frames = {root: JavaFrame(self.frame.select(*others, *keyed))}
        for name in arrays(self.frame.schema):
            rows = self.frame.select(
                F.monotonically_increasing_id().alias("id"), F.posexplode(name).alias("index", "val")
            )
            element = rows.schema["val"].dataType
            inside = element.names if isinstance(element, StructType) else []
            values = [F.col(f"val.{each}").alias(f"{name}.val.{each}") for each in inside] or [
                F.col("val").alias(f"{name}.val")
            ]
            frames[f"{root}_{name}"] = JavaFrame(rows.select("id", "index", *values))
        return frames


def arrays(schema: StructType) -> list[str]:
    return [field.name for field in schema if isinstance(field.dataType, ArrayType)]


def names(schema: StructType, before: str = "") -> list[str]:
    paths = []
    for field in schema:
        inside = field.dataType
        paths += (
            names(inside, f"{before}{field.name}.") if isinstance(inside, StructType) else [f"{before}{field.name}"]
        )
    return paths


def flat(schema: StructType) -> list[Any]:
    return [F.col(name).alias(name) for name in names(schema)]


def nested(columns: Sequence[tuple[list[str], Any]]) -> list[Any]:
    """Nest columns by their paths: inner columns become structs."""
    heads: dict[str, list[tuple[list[str], Any]]] = {}
    for path, column in columns:
        heads.setdefault(path[0], []).append((path[1:], column))
    return [
        (inside[0][1] if not inside[0][0] else F.struct(*nested(inside))).alias(head) for head, inside in heads.items()
    ]


class JavaSource:
    def __init__(self, session: SparkSession, kind: str, options: Mapping[str, Any], form: str | None = None) -> None:
        self.session, self.kind, self.options, self.form = session, kind, options, form

    def setFormat(self, form: str, options: Mapping[str, Any]) -> None:  # noqa: N802
        self.form = form

    def read(self) -> DataFrame:
        if self.kind == "catalog":
            return TABLES[self.options["database"], self.options["table"]](self.session)
        if self.kind in CONNECTIONS:
            return CONNECTIONS[self.kind](self.session, self.options)
        paths = self.options.get("paths") or [self.options["path"]]
        return self.session.read.format(self.form or self.kind).load(list(paths))

    def getDynamicFrame(self, *partitions: int) -> JavaFrame:  # noqa: N802
        return JavaFrame(self.read())

    def getDataFrame(self) -> DataFrame:  # noqa: N802
        return cut(self.read())


class JavaSink:
    def __init__(self, session: SparkSession, kind: str, options: Mapping[str, Any]) -> None:
        self.session, self.kind, self.options = session, kind, options

    def setFormat(self, form: str, options: Mapping[str, Any]) -> None:  # noqa: N802
        self.form = form

    def setCatalogInfo(self, database: str, table: str, account: str) -> None:  # noqa: N802
        self.table = database, table

    def write(self, frame: DataFrame) -> None:
        """Write as Glue does: columns of Parquet by Spark's own command, all else by jobs alone."""
        place = self.options.get("path") or PLACES.get(
            (self.options.get("database", ""), self.options.get("table", ""))
        )
        if self.options.get("fails"):
            raise RuntimeError("the sink is full")
        if place and (self.kind in FORMATS_OF_SPARK or self.kind == "catalog"):
            frame.write.format("parquet").mode("append").save(place)
        elif place:
            frame._jdf.toJSON().rdd().saveAsTextFile(place)
        else:
            frame._jdf.rdd().count()

    def pyWriteDynamicFrame(self, frame: JavaFrame, site: str, info: str) -> JavaFrame:  # noqa: N802
        self.write(frame.frame)
        return JavaFrame(frame.frame.limit(0))

    def pyWriteDataFrame(self, frame: Any, context: object, site: str, info: str) -> Any:  # noqa: N802
        self.write(DataFrame(frame, self.session))
        return frame


class ScalaContext:
    def __init__(self, session: SparkSession) -> None:
        self.session = session

    def getSource(self, kind: str, options: Mapping[str, Any]) -> JavaSource:  # noqa: N802
        return JavaSource(self.session, kind, options)

    def getCatalogSource(self, database: Any, table: Any) -> JavaSource:  # noqa: N802
        return JavaSource(self.session, "catalog", {"database": database, "table": table})

    def getSink(self, kind: str, options: Mapping[str, Any]) -> JavaSink:  # noqa: N802
        return JavaSink(self.session, kind, options)

    def getCatalogSink(self, database: Any, table: Any) -> JavaSink:  # noqa: N802
        return JavaSink(self.session, "catalog", {"database": database, "table": table})

    def getCatalogSchemaAsSparkSchema(self, database: str, table: str) -> Any:  # noqa: N802
        # A crawler may have left a table without columns.
        frame = TABLES[database, table](self.session)
        return frame.select([] if database == "legislators" else "*")._jdf.schema()
