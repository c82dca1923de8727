package headwater.capture;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.orc.OrcFile;
import org.apache.orc.Reader;
import org.apache.parquet.format.converter.ParquetMetadataConverter;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.PartitioningAwareFileIndex;
import org.apache.spark.sql.execution.datasources.orc.OrcUtils;
import org.apache.spark.sql.execution.datasources.parquet.ParquetToSparkSchemaConverter;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructType;

/**
 * Schemas of a relation's places, where its own schema merges them (`mergeSchema`), or is the user's.
 *
 * The columns of a place stand in its files' footers alone. Few footers are read, beside the job: a single footer for a
 * write's files, known by its id in their names. A place with unread files at the bounds has no schema.
 * This optional part calls inner methods of Spark, so it may not compile with each version.
 */
public class MergedSchemas {
    private static final int FOOTERS_MAX = 64;
    // The first footer mostly has all columns of a user's schema, and ends the reading.
    private static final int FOOTERS_OF_USER_MAX = 8;
    private static final long READING_MAX_NS = 2000000000L;
    private static final Pattern OF_WRITE = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    private final HadoopFsRelation relation;
    private final SQLConf conf;
    private final Configuration hadoop;
    private final boolean ofParquet;
    private final long deadlineNs = System.nanoTime() + READING_MAX_NS;
    private final boolean isUsers;
    private int left;

    private MergedSchemas(HadoopFsRelation relation, boolean isUsers) {
        this.isUsers = isUsers;
        this.left = isUsers ? FOOTERS_OF_USER_MAX : FOOTERS_MAX;
        this.relation = relation;
        this.conf = relation.sparkSession().sessionState().conf();
        this.hadoop = relation.sparkSession().sessionState().newHadoopConfWithOptions(relation.options());
        this.ofParquet = nameOf(relation).equals("ParquetFileFormat");
    }

    /**
     * Pairs of a place's path and its schema, null if unknown. Null instead of pairs if no schemas are merged, and the
     * schema is not the user's (a catalog's table has its own); or if the reading for a user's schema hits a bound.
     */
    public static Object[] of(HadoopFsRelation relation, Boolean isTable) {
        boolean isMerged = relation.location().rootPaths().size() > 1 && merges(relation);
        boolean isUsers = !isMerged && !isTable.booleanValue() && isUsers(relation);
        return isMerged || isUsers ? of(relation, isUsers) : null;
    }

    /** True for a schema of the user's, not of footers. */
    private static boolean isUsers(HadoopFsRelation relation) {
        String format = nameOf(relation);
        Object schema = Members.field(relation.location(), "userSpecifiedSchema");
        return (format.equals("ParquetFileFormat") || format.equals("OrcFileFormat"))
            && schema instanceof scala.Option && ((scala.Option) schema).isDefined();
    }

    private static Object[] of(HadoopFsRelation relation, boolean isUsers) {
        MergedSchemas schemas = null;
        try {
            schemas = new MergedSchemas(relation, isUsers);
        } catch (Throwable stopped) { // Spark's context is gone: all places are unknown
        }
        List places = new ArrayList();
        scala.collection.Iterator roots = relation.location().rootPaths().iterator();
        while (roots.hasNext()) {
            Path root = (Path) roots.next();
            StructType found = schemas == null ? null : schemas.find(root);
            if (found == null && isUsers) {
                return null;
            }
            places.add(new Object[] {root, found});
        }
        return places.toArray();
    }

    private static boolean merges(HadoopFsRelation relation) {
        SQLConf conf = relation.sparkSession().sessionState().conf();
        scala.collection.Iterator options = relation.options().iterator();
        while (options.hasNext()) {
            scala.Tuple2 option = (scala.Tuple2) options.next();
            if (String.valueOf(option._1()).equalsIgnoreCase("mergeSchema")) {
                return String.valueOf(option._2()).equalsIgnoreCase("true");
            }
        }
        String format = nameOf(relation);
        return format.equals("ParquetFileFormat") ? conf.isParquetSchemaMergingEnabled()
            : format.equals("OrcFileFormat") && conf.isOrcSchemaMergingEnabled();
    }

    private static String nameOf(HadoopFsRelation relation) {
        return relation.fileFormat().getClass().getSimpleName();
    }

    private StructType find(Path root) {
        try {
            Map files = new HashMap(); // by write, a file of it
            String folder = root.toString().endsWith("/") ? root.toString() : root + "/";
            scala.collection.Iterator all = ((PartitioningAwareFileIndex) relation.location()).allFiles().iterator();
            while (all.hasNext()) {
                Path file = ((FileStatus) all.next()).getPath();
                if (file.equals(root) || file.toString().startsWith(folder)) {
                    Matcher write = OF_WRITE.matcher(file.getName());
                    files.put(write.find() ? write.group() : file.toString(), file);
                }
            }
            StructType merged = new StructType();
            Iterator each = files.values().iterator();
            while (each.hasNext()) {
                if (left-- <= 0 || System.nanoTime() > deadlineNs) {
                    return null;
                }
                StructType read = read((Path) each.next());
                merged = isUsers ? withNames(merged, read) : merged.merge(read, conf.caseSensitiveAnalysis());
                if (isUsers && namesOf(merged).containsAll(namesOf(relation.dataSchema()))) {
                    break;
                }
            }
            return files.isEmpty() ? null : merged;
        } catch (Throwable failed) { // the file is gone by now, or has another format
            return null;
        }
    }

    /** The first schema with the additional columns of the second; files of a place may differ in types. */
    private static StructType withNames(StructType merged, StructType read) {
        Set known = namesOf(merged);
        for (int i = 0; i < read.length(); i++) {
            merged = known.add(read.fields()[i].name()) ? merged.add(read.fields()[i]) : merged;
        }
        return merged;
    }

    private static Set namesOf(StructType schema) {
        Set names = new TreeSet(String.CASE_INSENSITIVE_ORDER);
        names.addAll(Arrays.asList(schema.fieldNames()));
        return names;
    }

    private StructType read(Path file) throws Exception {
        if (ofParquet) {
            return new ParquetToSparkSchemaConverter(conf).convert(
                ParquetFileReader.readFooter(hadoop, file, ParquetMetadataConverter.SKIP_ROW_GROUPS)
                    .getFileMetaData().getSchema());
        }
        Reader reader = OrcFile.createReader(file, OrcFile.readerOptions(hadoop));
        try {
            return OrcUtils.toCatalystSchema(reader.getSchema());
        } finally {
            reader.close();
        }
    }
}
