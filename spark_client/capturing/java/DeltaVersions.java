package headwater.capture;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.V2WriteCommand;
import org.apache.spark.sql.execution.datasources.FileIndex;
import org.apache.spark.sql.execution.datasources.SaveIntoDataSourceCommand;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.util.AccumulatorV2;

/** Versions of Delta's tables, by Delta's log; by reflection, for Delta's classes may not be there. */
public class DeltaVersions {
    private static final String DELTA = "org.apache.spark.sql.delta.";
    // An execution's commit is among the table's last ones, unless other writers are very fast.
    private static final int COMMITS_MAX = 10;
    private static final int LINE_MAX = 200000;
    private static final Pattern METRIC = Pattern.compile("\"(\\w+)\":\"(\\d+)\"");
    // Commits of moved or removed files without changed rows; auto compaction follows a write in the same execution.
    private static final Pattern MAINTAINS = Pattern.compile("\"operation\":\"(OPTIMIZE|REORG|VACUUM (START|END))\"");
    // Of a file with new rows, the ids begin here; a file added again keeps the version of its own commit.
    private static final Pattern ROWS = Pattern.compile("\"baseRowId\":(\\d+),\"defaultRowCommitVersion\":(\\d+)");
    private static final Pattern LAST_ROW = Pattern.compile("\"delta\\.rowTracking\".*\"rowIdHighWaterMark\\\\\":(\\d+)");
    private static final int LINES_MAX = 20000;
    private static final Pattern TIMESTAMP = Pattern.compile("^\\{\"commitInfo\":\\{(?:\"inCommitTimestamp\":\\d+,)?\"timestamp\":(\\d+)");

    /** Version read by a scan of files; null for a scan outside of Delta. */
    static Object scanned(FileIndex index) {
        // Delta makes an index for each scan, with `versionScanned`; an index without it may have an older version.
        return Members.call(index, "versionScanned") == null ? null : Members.call(index, "version");
    }

    /** Delta's log of a command's target; null for a target outside of Delta. */
    static Object log(LogicalPlan command, Object session) throws Exception {
        if (command instanceof SaveIntoDataSourceCommand) {
            SaveIntoDataSourceCommand save = (SaveIntoDataSourceCommand) command;
            scala.Option path = save.options().get("path");
            return path.isDefined() ? logAt(path.get().toString(), save.dataSource(), session) : null;
        }
        if (command instanceof V2WriteCommand) {
            Object relation = ((V2WriteCommand) command).table();
            return relation instanceof DataSourceV2Relation ? of(((DataSourceV2Relation) relation).table()) : null;
        }
        Object index = Members.call(command, "targetFileIndex");
        index = index == null ? Members.call(command, "tahoeFileIndex") : index;
        index = index == null ? Members.call(command, "sourceTable") : index; // of a RESTORE
        return of(index == null ? command : index);
    }

    /** Delta's log of its table or command; null for any other object. */
    static Object of(Object table) {
        return Members.call(table, "deltaLog");
    }

    /** Delta's log of the table at a path; null for a source or sink outside of Delta. */
    static Object logAt(String path, Object source, Object session) throws Exception {
        if (!source.getClass().getName().startsWith(DELTA)) {
            return null;
        }
        Method[] methods = Class.forName(DELTA + "DeltaLog", true, source.getClass().getClassLoader()).getMethods();
        for (int i = 0; i < methods.length; i++) {
            Class[] types = methods[i].getParameterTypes();
            if (methods[i].getName().equals("forTable") && types.length == 2 && types[1] == String.class) {
                return methods[i].invoke(null, new Object[] {session, path});
            }
        }
        return null;
    }

    /**
     * The single commit to a table's log between two times, with Delta's own entry (`commitInfo`):
     * `{"version":"7","entry":{...}}`. Null without a commit, or with a second. A commit does not count if its metrics
     * differ from the command's (of MERGE, UPDATE, DELETE; even milliseconds).
     */
    static String written(Object log, scala.collection.Map counts, long startedMs, long endedMs) throws Exception {
        String found = null;
        Commits commits = new Commits(log);
        while (commits.hasNext()) {
            String line = commits.next();
            Matcher at = TIMESTAMP.matcher(line);
            long atMs = at.find() ? Long.parseLong(at.group(1)) : -1L;
            if (atMs < startedMs) {
                return atMs < 0 ? null : found;
            }
            boolean isIts = atMs <= endedMs && agrees(line, counts) && !MAINTAINS.matcher(line).find();
            if (isIts && found != null) {
                return null;
            }
            found = isIts ? commits.json(line) : found;
        }
        return commits.isWhole() ? found : null;
    }

    /** True if each metric of a commit equals the command's metric of its name, if there is such a metric. */
    private static boolean agrees(String line, scala.collection.Map counts) {
        Matcher metric = METRIC.matcher(line);
        while (metric.find()) {
            scala.Option known = counts.get(metric.group(1));
            if (known.isDefined() && !metric.group(2).equals(String.valueOf(((AccumulatorV2) known.get()).value()))) {
                return false;
            }
        }
        return true;
    }

    /** Commit of a stream's batch, as JSON like `written`; null if it is not among the last commits. */
    static String ofBatch(Object log, String queryId, long batchId) throws Exception {
        Commits commits = new Commits(log);
        while (commits.hasNext()) {
            String line = commits.next();
            if (line.contains("\"queryId\":\"" + queryId + "\"") && line.contains("\"epochId\":\"" + batchId + "\"")) {
                return commits.json(line);
            }
        }
        return null;
    }

    /** The last commits to a table's log, the newest first: the first line of each. */
    private static class Commits {
        private final Object log;
        private final Path folder;
        private final FileSystem files;
        private final long newest;
        private long version;

        Commits(Object log) throws Exception {
            this.log = log;
            folder = (Path) Members.call(log, "logPath");
            files = folder.getFileSystem((org.apache.hadoop.conf.Configuration) Members.call(log, "newDeltaHadoopConf"));
            newest = ((Number) Members.call(Members.call(log, "unsafeVolatileSnapshot"), "version")).longValue();
            version = newest + 1L;
        }

        boolean hasNext() {
            return version > 0L && version > newest + 1L - COMMITS_MAX;
        }

        String next() throws Exception {
            version--;
            BufferedReader lines = lines();
            try {
                String line = lines.readLine();
                return line == null || line.length() > LINE_MAX ? "" : line;
            } finally {
                lines.close();
            }
        }

        private BufferedReader lines() throws Exception {
            Path commit = new Path(folder, String.format("%020d.json", new Object[] {Long.valueOf(version)}));
            return new BufferedReader(new InputStreamReader(files.open(commit), StandardCharsets.UTF_8));
        }

        /** Ids of the commit's new rows, as JSON; without new rows or above `LINES_MAX`, no ids. */
        private String rows() throws Exception {
            long first = Long.MAX_VALUE;
            Object next = null;
            BufferedReader lines = lines();
            try {
                int looked = 0;
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    Matcher added = ROWS.matcher(line);
                    Matcher last = LAST_ROW.matcher(line);
                    if (looked++ == LINES_MAX) {
                        return TableVersions.rows(Members.call(log, "tableId"), version, null, null, false);
                    } else if (line.startsWith("{\"add\"") && added.find() && Long.parseLong(added.group(2)) == version) {
                        first = Math.min(first, Long.parseLong(added.group(1)));
                    } else if (line.startsWith("{\"domainMetadata\"") && last.find()) {
                        next = Long.valueOf(Long.parseLong(last.group(1)) + 1L);
                    }
                }
            } finally {
                lines.close();
            }
            Object start = first == Long.MAX_VALUE ? null : Long.valueOf(first);
            return TableVersions.rows(Members.call(log, "tableId"), version, start, start == null ? null : next, false);
        }

        /** True if Delta gives ids to the table's rows. */
        private boolean tracksRows() {
            Object protocol = Members.call(Members.call(log, "unsafeVolatileSnapshot"), "protocol");
            return String.valueOf(protocol).contains("rowTracking");
        }

        /** True once the first commit was read. */
        boolean isWhole() {
            return version <= 0L;
        }

        String json(String line) throws Exception {
            String rows = tracksRows() ? rows() : "";
            return "{\"version\":\"" + version + "\",\"entry\":" + line + rows + "}";
        }
    }
}
