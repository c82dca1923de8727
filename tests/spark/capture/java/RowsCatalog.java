package headwater.tests;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.MetadataColumn;
import org.apache.spark.sql.connector.catalog.SupportsDelete;
import org.apache.spark.sql.connector.catalog.SupportsMetadataColumns;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.SupportsRowLevelOperations;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.connector.write.DeltaBatchWrite;
import org.apache.spark.sql.connector.write.DeltaWrite;
import org.apache.spark.sql.connector.write.DeltaWriteBuilder;
import org.apache.spark.sql.connector.write.DeltaWriter;
import org.apache.spark.sql.connector.write.DeltaWriterFactory;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.RowLevelOperation;
import org.apache.spark.sql.connector.write.RowLevelOperationBuilder;
import org.apache.spark.sql.connector.write.RowLevelOperationInfo;
import org.apache.spark.sql.connector.write.SupportsDelta;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.execution.datasources.noop.NoopWriteBuilder$;
import org.apache.spark.sql.sources.AlwaysTrue;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.LongType$;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * Tables without rows, for changes of rows in place. The property `changes` chooses the way of a format: `groups`
 * replaces whole groups of rows (copy on write), `deltas` writes deltas of rows (merge on read), `split` writes deltas
 * with an update as a deletion and an insertion, and `filters` only deletes rows.
 */
public class RowsCatalog implements TableCatalog {
    private final Map tables = new ConcurrentHashMap();
    private String name;

    public void initialize(String name, CaseInsensitiveStringMap options) {
        this.name = name;
    }

    public String name() {
        return name;
    }

    public Identifier[] listTables(String[] namespace) {
        return new Identifier[0];
    }

    public Table loadTable(Identifier identifier) throws NoSuchTableException {
        Table found = (Table) tables.get(identifier.toString());
        if (found == null) {
            throw new NoSuchTableException(identifier);
        }
        return found;
    }

    public Table createTable(Identifier identifier, StructType schema, Transform[] partitions, Map properties) {
        boolean filters = "filters".equals(properties.get("changes"));
        Rows table = filters ? new Rows(identifier, schema, properties) : new Changed(identifier, schema, properties);
        tables.put(identifier.toString(), table);
        return table;
    }

    /** Changes nothing: a plan has the changes before they are made. */
    public Table alterTable(Identifier identifier, TableChange[] changes) {
        return (Table) tables.get(identifier.toString());
    }

    public boolean dropTable(Identifier identifier) {
        return tables.remove(identifier.toString()) != null;
    }

    public void renameTable(Identifier before, Identifier after) {
        throw new UnsupportedOperationException("tables are made anew");
    }

    /** A table with deletion of rows by filters. */
    public static class Rows implements SupportsRead, SupportsWrite, SupportsDelete, SupportsMetadataColumns {
        private final Identifier identifier;
        private final StructType schema;
        protected final Map properties;

        public Rows(Identifier identifier, StructType schema, Map properties) {
            this.identifier = identifier;
            this.schema = schema;
            this.properties = properties;
        }

        public String name() {
            return identifier.toString();
        }

        public StructType schema() {
            return schema;
        }

        public Map properties() {
            return properties;
        }

        public Set capabilities() {
            Set all = EnumSet.of(TableCapability.BATCH_READ, TableCapability.BATCH_WRITE, TableCapability.TRUNCATE);
            all.add("any".equals(properties.get("accepts")) ? TableCapability.ACCEPT_ANY_SCHEMA : TableCapability.BATCH_READ);
            return all;
        }

        public MetadataColumn[] metadataColumns() {
            return new MetadataColumn[] {new Place()};
        }

        public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
            return new NoRows(schema);
        }

        public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
            return NoopWriteBuilder$.MODULE$;
        }

        public void deleteWhere(Filter[] filters) {
        }
    }

    /** A table with changes of rows by Spark's plan of the statement. */
    public static class Changed extends Rows implements SupportsRowLevelOperations {
        public Changed(Identifier identifier, StructType schema, Map properties) {
            super(identifier, schema, properties);
        }

        public boolean canDeleteWhere(Filter[] filters) {
            return filters.length == 1 && filters[0] instanceof AlwaysTrue;
        }

        public RowLevelOperationBuilder newRowLevelOperationBuilder(RowLevelOperationInfo info) {
            Object changes = properties.get("changes");
            return "groups".equals(changes) ? new Groups(this, info) : new Deltas(this, info, "split".equals(changes));
        }
    }

    /** The place of a row, its id in a format. */
    public static class Place implements MetadataColumn {
        public String name() {
            return "_place";
        }

        public DataType dataType() {
            return LongType$.MODULE$;
        }

        public boolean isNullable() {
            return false;
        }
    }

    /** A scan without rows. */
    public static class NoRows implements SupportsPushDownRequiredColumns, Scan, Batch {
        private StructType schema;

        public NoRows(StructType schema) {
            this.schema = schema;
        }

        public void pruneColumns(StructType required) {
            this.schema = required;
        }

        public Scan build() {
            return this;
        }

        public StructType readSchema() {
            return schema;
        }

        public Batch toBatch() {
            return this;
        }

        public InputPartition[] planInputPartitions() {
            return new InputPartition[0];
        }

        public PartitionReaderFactory createReaderFactory() {
            return null;
        }
    }

    /** Groups of rows are read and written anew. */
    public static class Groups implements RowLevelOperationBuilder, RowLevelOperation {
        protected final Rows table;
        private final RowLevelOperationInfo info;

        public Groups(Rows table, RowLevelOperationInfo info) {
            this.table = table;
            this.info = info;
        }

        public RowLevelOperation build() {
            return this;
        }

        public RowLevelOperation.Command command() {
            return info.command();
        }

        public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
            return table.newScanBuilder(options);
        }

        public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
            return NoopWriteBuilder$.MODULE$;
        }

        public NamedReference[] requiredMetadataAttributes() {
            return new NamedReference[] {Expressions.column("_place")};
        }
    }

    /** The change of each row is written. */
    public static class Deltas extends Groups implements SupportsDelta {
        private final boolean split;

        public Deltas(Rows table, RowLevelOperationInfo info, boolean split) {
            super(table, info);
            this.split = split;
        }

        public NamedReference[] rowId() {
            return requiredMetadataAttributes();
        }

        public boolean representUpdateAsDeleteAndInsert() {
            return split;
        }

        public DeltaWriteBuilder newWriteBuilder(LogicalWriteInfo info) {
            return new Writing();
        }
    }

    /** Writes deltas nowhere. */
    public static class Writing implements DeltaWriteBuilder, DeltaWrite, DeltaBatchWrite, DeltaWriterFactory {
        public DeltaWrite build() {
            return this;
        }

        public DeltaBatchWrite toBatch() {
            return this;
        }

        public DeltaWriterFactory createBatchWriterFactory(PhysicalWriteInfo info) {
            return this;
        }

        public void commit(WriterCommitMessage[] messages) {
        }

        public void abort(WriterCommitMessage[] messages) {
        }

        public DeltaWriter createWriter(int partition, long task) {
            return new Written();
        }
    }

    /** Writes deltas of a task nowhere. */
    public static class Written implements DeltaWriter {
        public void insert(Object row) {
        }

        public void update(Object metadata, Object id, Object row) {
        }

        public void delete(Object metadata, Object id) {
        }

        public void reinsert(Object metadata, Object row) {
        }

        public WriterCommitMessage commit() {
            return null;
        }

        public void abort() {
        }

        public void close() {
        }
    }
}
