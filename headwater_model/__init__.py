"""The common words of client and service: names, columns, operations on fields, the archive's tables.

The package needs the standard library alone and imports neither side.

    ids, partitions, field_paths     names of nodes, datasets, jobs and fields
    record_requests                  rules of a lineage request
    events, named_datasets           rules of OpenLineage events
    json_checks, times               checks of JSON values; times as text
    columns                          column lineage of a dataset
    operations, operation_checks     CDAP's operations on fields, and their rules
    ordered_operations, ordered_json operations without origins, as programs list them
    operation_set, reachability      the columns derived by a run's operations
    archive_tables                   the Parquet tables of the archive
    errors                           every error raised on purpose
"""
