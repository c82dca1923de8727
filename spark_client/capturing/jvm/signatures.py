"""Parameters of Spark's nodes, read by name: of the commonest operators, expressions and commands."""

from __future__ import annotations

_SQL = "org.apache.spark.sql"
_LOGICAL = f"{_SQL}.catalyst.plans.logical"
_EXPRESSIONS = f"{_SQL}.catalyst.expressions"
_EXECUTION = f"{_SQL}.execution"

_NODES = {
    _LOGICAL: """
        Project: projectList child
        Filter: condition child
        Join: left right joinType condition
        Aggregate: groupingExpressions aggregateExpressions child
        Window: windowExpressions child
        Sort: order child
        Union: children
        Distinct: child
        Deduplicate: keys child
        Intersect: left right
        Except: left right
        Expand: projections output child
        Generate: generator generatorOutput child
        SubqueryAlias: child
        WithCTE: plan cteDefs
        CTERelationDef: child id
        CTERelationRef: cteId output
        AppendData: table query
        OverwriteByExpression: table deleteExpr query
        OverwritePartitionsDynamic: table query
        CreateTableAsSelect: name query
        ReplaceTableAsSelect: name query
    """,
    _EXPRESSIONS: """
        Alias: child name exprId
        AttributeReference: name exprId
        CaseWhen: branches elseValue
        If: predicate trueValue falseValue
        Coalesce: children
        WindowExpression: windowFunction windowSpec
        WindowSpecDefinition: partitionSpec orderSpec
        SortOrder: child
        InSubquery: values query
        ListQuery: plan
        ScalarSubquery: plan
        Exists: plan
        GetStructField: child ordinal
        CreateNamedStruct: children
        aggregate.AggregateExpression: aggregateFunction filter
    """,
    _EXECUTION: """
        LogicalRDD: output rdd
        datasources.LogicalRelation: relation output catalogTable
        datasources.v2.DataSourceV2Relation: table output catalog identifier options
        datasources.InsertIntoHadoopFsRelationCommand: outputPath options query mode catalogTable outputColumnNames
        datasources.SaveIntoDataSourceCommand: query dataSource options mode
        command.CreateDataSourceTableAsSelectCommand: table mode query outputColumnNames
    """,
}
# Parameters by class.
SIGNATURES: dict[str, tuple[str, ...]] = {
    f"{package}.{node.strip()}": tuple(names.split())
    for package, lines in _NODES.items()
    for node, _, names in (line.partition(":") for line in lines.strip().splitlines())
}
