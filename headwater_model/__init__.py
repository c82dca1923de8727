"""The words that client and service share: names, columns, operations on fields, the archive's tables.

Everything here needs the standard library alone and knows neither side.

    ids, partitions, field_paths     names of nodes, datasets, jobs and fields
    columns                          column lineage of a dataset
    operations, operation_checks     CDAP's operations on fields, and their rules
    ordered_operations, ordered_json operations without origins, as programs list them
    operation_set, reachability      the columns that a run's operations lead to
    archive_tables                   the Parquet tables of the archive
    errors                           every error that is raised on purpose
"""
