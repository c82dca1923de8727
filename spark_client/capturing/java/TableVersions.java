package headwater.capture;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.V2WriteCommand;
import org.apache.spark.sql.execution.FileSourceScanExec;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.CommandResultExec;
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec;
import org.apache.spark.sql.execution.adaptive.QueryStageExec;
import org.apache.spark.sql.execution.datasources.FileIndex;
import org.apache.spark.sql.execution.datasources.SaveIntoDataSourceCommand;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;

/** Versions of Delta's tables that an execution read and wrote, as Delta itself has them. Nothing here runs a job. */
public class TableVersions {
    private static final String DELTA = "org.apache.spark.sql.delta.";
    private static final int NODES_MAX = 2000;
    // An execution's commit is among the table's last ones, unless other writers are very fast.
    private static final int COMMITS_MAX = 10;
    private static final int LINE_MAX = 200000;
    private static final Pattern TIMESTAMP = Pattern.compile("^\\{\"commitInfo\":\\{(?:\"inCommitTimestamp\":\\d+,)?\"timestamp\":(\\d+)");

    /** Members of the execution's JSON: the versions that its queries, the command first, read, and its commit. */
    public static String of(QueryExecution[] queries, Long startedMs, Long endedMs) throws Exception {
        String members = ",\"versions\":" + read(queries);
        Object log = log((LogicalPlan) queries[0].analyzed(), queries[0].sparkSession());
        String commit = log == null ? null : written(log, startedMs.longValue(), endedMs.longValue());
        return commit == null ? members : members + ",\"commit\":" + commit;
    }

    /** By path, the version that a scan read, as JSON; null where scans of one path read several. */
    public static String read(QueryExecution[] queries) {
        Map found = new LinkedHashMap();
        for (int i = 0; i < queries.length; i++) {
            scan(queries[i].executedPlan(), found);
        }
        StringBuilder json = new StringBuilder("{");
        for (Iterator all = found.entrySet().iterator(); all.hasNext();) {
            Map.Entry each = (Map.Entry) all.next();
            json.append(json.length() == 1 ? "" : ",");
            PlanReader.quote(each.getKey().toString(), LINE_MAX, json);
            json.append(':').append(each.getValue() == null ? "null" : "\"" + each.getValue() + "\"");
        }
        return json.append('}').toString();
    }

    private static void scan(SparkPlan root, Map found) {
        ArrayDeque left = new ArrayDeque();
        left.add(root);
        for (int looked = 0; !left.isEmpty() && looked < NODES_MAX; looked++) {
            SparkPlan plan = (SparkPlan) left.poll();
            if (plan instanceof FileSourceScanExec) {
                FileIndex index = ((FileSourceScanExec) plan).relation().location();
                // Of Delta's indexes only the one that is made for a scan has this; the version of others may be an older one.
                Object number = call(index, "versionScanned") == null ? null : call(index, "version");
                if (number != null) {
                    Object path = index.rootPaths().head();
                    boolean another = found.containsKey(path) && !number.equals(found.get(path));
                    found.put(path, another ? null : number);
                }
            } else if (plan instanceof AdaptiveSparkPlanExec) {
                left.add(((AdaptiveSparkPlanExec) plan).executedPlan());
            } else if (plan instanceof QueryStageExec) {
                left.add(((QueryStageExec) plan).plan());
            } else if (plan instanceof CommandResultExec) {
                left.add(((CommandResultExec) plan).commandPhysicalPlan());
            }
            addAll(plan.children().iterator(), left);
            addAll(plan.subqueries().iterator(), left);
        }
    }

    private static void addAll(scala.collection.Iterator plans, ArrayDeque to) {
        while (plans.hasNext()) {
            to.add(plans.next());
        }
    }

    /** Delta's log of the table that a command writes; null if it is no table of Delta's. */
    public static Object log(LogicalPlan command, Object session) throws Exception {
        if (command instanceof SaveIntoDataSourceCommand) {
            SaveIntoDataSourceCommand save = (SaveIntoDataSourceCommand) command;
            Class source = save.dataSource().getClass();
            scala.Option path = save.options().get("path");
            if (!source.getName().startsWith(DELTA) || !path.isDefined()) {
                return null;
            }
            Method[] methods = Class.forName(DELTA + "DeltaLog", true, source.getClassLoader()).getMethods();
            for (int i = 0; i < methods.length; i++) {
                Class[] types = methods[i].getParameterTypes();
                if (methods[i].getName().equals("forTable") && types.length == 2 && types[1] == String.class) {
                    return methods[i].invoke(null, new Object[] {session, path.get()});
                }
            }
            return null;
        }
        if (command instanceof V2WriteCommand) {
            Object relation = ((V2WriteCommand) command).table();
            return relation instanceof DataSourceV2Relation ? call(((DataSourceV2Relation) relation).table(), "deltaLog") : null;
        }
        Object index = call(command, "targetFileIndex");
        index = index == null ? call(command, "tahoeFileIndex") : index;
        return call(index == null ? command : index, "deltaLog");
    }

    /**
     * The one commit to a table's log that was made between two times, as JSON of its version and of Delta's own entry
     * (`commitInfo`); null if there is none, or another writer committed in that time.
     */
    public static String written(Object log, long startedMs, long endedMs) throws Exception {
        Path folder = (Path) call(log, "logPath");
        Object snapshot = call(log, "unsafeVolatileSnapshot");
        FileSystem files = folder.getFileSystem((org.apache.hadoop.conf.Configuration) call(log, "newDeltaHadoopConf"));
        long newest = ((Number) call(snapshot, "version")).longValue();
        String found = null;
        for (long version = newest; version >= 0 && version > newest - COMMITS_MAX; version--) {
            String line = commitInfo(files, new Path(folder, String.format("%020d.json", new Object[] {Long.valueOf(version)})));
            Matcher at = TIMESTAMP.matcher(line);
            long atMs = at.find() ? Long.parseLong(at.group(1)) : -1L;
            if (atMs < startedMs) {
                return atMs < 0 ? null : found;
            }
            if (atMs <= endedMs && found != null) {
                return null;
            }
            if (atMs <= endedMs) {
                found = "{\"version\":" + version + ",\"entry\":" + line + "}";
            }
        }
        return newest < COMMITS_MAX ? found : null;
    }

    private static String commitInfo(FileSystem files, Path commit) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(files.open(commit), StandardCharsets.UTF_8));
        try {
            String line = lines.readLine();
            return line == null || line.length() > LINE_MAX ? "" : line;
        } finally {
            lines.close();
        }
    }

    /** Result of a method without parameters; null if there is none. */
    static Object call(Object object, String name) {
        try {
            Method method = object.getClass().getMethod(name, new Class[0]);
            method.setAccessible(true);
            return method.invoke(object, new Object[0]);
        } catch (Exception missing) {
            return null;
        }
    }
}
