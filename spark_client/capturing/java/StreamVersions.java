package headwater.capture;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.streaming.SourceProgress;
import org.apache.spark.sql.streaming.StreamingQueryProgress;

/** Versions of Delta's and Iceberg's tables read and made by the last batch of a stream, if they are exact. */
public class StreamVersions {
    private static final Pattern DELTA_VERSION = Pattern.compile("\"reservoirVersion\":(\\d+)");
    private static final Pattern DELTA_INDEX = Pattern.compile("\"index\":(-?\\d+)");
    private static final Pattern DELTA_FIRST = Pattern.compile("\"isStartingVersion\":true");
    // An index behind all files of a version (`DeltaSourceOffset.END_INDEX`).
    private static final long DELTA_END = Long.MAX_VALUE - 100L;
    private static final Pattern ICEBERG_SNAPSHOT = Pattern.compile("\"snapshot_id\":(-?\\d+)");
    private static final Pattern ICEBERG_POSITION = Pattern.compile("\"position\":(\\d+)");
    private static final Pattern ICEBERG_ALL = Pattern.compile("\"scan_all_files\":true");

    /** Members of a moment's JSON: `,"versions":{"s3://lake/trips":"7"},"commit":{...}`. */
    public static String of(Stream stream, StreamingQueryProgress progress, QueryExecution[] ran) throws Exception {
        Map found = new LinkedHashMap();
        for (int i = 0; i < ran.length; i++) {
            TableVersions.scan(ran[i].executedPlan(), found);
        }
        addSources(stream.query, progress.sources(), found);
        String commit = commit(stream.query, progress.batchId());
        return ",\"versions\":" + TableVersions.json(found) + (commit == null ? "" : ",\"commit\":" + commit);
    }

    private static void addSources(Object query, SourceProgress[] ends, Map found) throws Exception {
        Object all = Members.call(query, "sources");
        Set sources = new LinkedHashSet();
        ExecutedPlans.addAll(((scala.collection.Iterable) all).iterator(), sources);
        Iterator source = sources.iterator();
        for (int i = 0; i < ends.length && ends.length == sources.size(); i++) {
            Object wrapped = source.next();
            Object delegate = Members.field(wrapped, "delegate");
            add(delegate == null ? wrapped : delegate, ends[i].endOffset(), found);
        }
    }

    /** Note the version read to its last file; null if the batch ended inside a version. */
    private static void add(Object source, String end, Map found) throws Exception {
        Object log = end == null ? null : DeltaVersions.of(source);
        if (log != null) {
            long version = number(DELTA_VERSION, end, -1L);
            long index = number(DELTA_INDEX, end, 0L);
            boolean isBefore = index < 0L && !DELTA_FIRST.matcher(end).find();
            long read = index >= DELTA_END ? version : isBefore ? version - 1L : -1L;
            TableVersions.put(found, Members.call(log, "dataPath"), read < 0L ? null : Long.valueOf(read));
            return;
        }
        Object table = end == null ? null : IcebergVersions.of(Members.field(source, "table"));
        if (table != null) {
            long snapshot = number(ICEBERG_SNAPSHOT, end, -1L);
            boolean isRead = number(ICEBERG_POSITION, end, -1L)
                == IcebergVersions.files(table, snapshot, ICEBERG_ALL.matcher(end).find());
            TableVersions.put(found, Members.call(table, "location"), isRead ? Long.valueOf(snapshot) : null);
        }
    }

    private static long number(Pattern pattern, String text, long otherwise) {
        Matcher found = pattern.matcher(text);
        return found.find() ? Long.parseLong(found.group(1)) : otherwise;
    }

    /** Commit of a batch to the query's sink: the formats keep the ids of query and batch with it. */
    private static String commit(Object query, long batchId) throws Exception {
        Object sink = Members.call(query, "sink");
        String id = String.valueOf(Members.call(query, "id"));
        Object path = Members.call(sink, "path");
        Object log = path == null ? null : DeltaVersions.logAt(path.toString(), sink, Members.call(query, "sparkSession"));
        if (log != null) {
            return DeltaVersions.ofBatch(log, id, batchId);
        }
        Object table = IcebergVersions.of(sink);
        return table == null ? null : IcebergVersions.ofBatch(table, id, batchId);
    }
}
