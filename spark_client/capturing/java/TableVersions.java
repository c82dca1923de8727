package headwater.capture;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.analysis.ResolvedIdentifier;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.execution.CommandResultExec;
import org.apache.spark.sql.execution.FileSourceScanExec;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec;
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec;
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;

/** Versions of Delta's and Iceberg's tables read and made by an execution, in their words. Nothing here runs a job. */
public class TableVersions {
    private static final int NODES_MAX = 2000;
    private static final int TEXT_MAX = 200000;
    private static final String[] CATALOGS = {"org.apache.spark.sql.delta.", "org.apache.iceberg."};

    /** Members of an execution's JSON: `,"versions":{...},"commit":{...}`; the first query is the command. */
    public static String of(QueryExecution[] queries, Long startedMs, Long endedMs) throws Exception {
        String members = ",\"versions\":" + read(queries);
        String commit = null;
        try {
            commit = commit(queries[0], startedMs.longValue(), endedMs.longValue());
        } catch (Exception unknown) { // the versions read are known without it
            return members;
        }
        return commit == null ? members : members + ",\"commit\":" + commit;
    }

    private static String commit(QueryExecution query, long startedMs, long endedMs) throws Exception {
        LogicalPlan command = (LogicalPlan) query.analyzed();
        Object created = created(command);
        Object log = created == null ? DeltaVersions.log(command, query.sparkSession()) : DeltaVersions.of(created);
        if (log != null) {
            String commit = DeltaVersions.written(log, counts(query.executedPlan()), startedMs, endedMs);
            return created == null ? commit : located(commit, Members.call(log, "dataPath"));
        }
        Object table = IcebergVersions.of(created == null ? target(command) : created);
        String application = query.sparkSession().sparkContext().applicationId();
        return table == null ? null : IcebergVersions.written(table, application, startedMs, endedMs);
    }

    /** Member of a commit's JSON with the ids of its new rows: `,"rows":["<table>",<sequence>,<first>,<next>,false]`. */
    static String rows(Object table, long sequence, Object first, Object next, boolean upgrades) {
        String ids = sequence + "," + first + "," + next + "," + upgrades;
        return ",\"rows\":[\"" + table + "\"," + ids + "]";
    }

    /** Metrics of a command itself, without its parts. */
    private static scala.collection.Map counts(SparkPlan plan) {
        SparkPlan command = plan instanceof CommandResultExec ? ((CommandResultExec) plan).commandPhysicalPlan() : plan;
        return command.metrics();
    }

    /** New table of a `CREATE TABLE AS`, from Delta's or Iceberg's catalog; else null. */
    private static Object created(LogicalPlan command) throws Exception {
        Object name = Members.call(command, "name");
        if (!(name instanceof ResolvedIdentifier)) {
            return null;
        }
        ResolvedIdentifier table = (ResolvedIdentifier) name;
        String catalog = table.catalog().getClass().getName();
        boolean isKnown = catalog.startsWith(CATALOGS[0]) || catalog.startsWith(CATALOGS[1]);
        return isKnown ? ((TableCatalog) table.catalog()).loadTable(table.identifier()) : null;
    }

    private static String located(String commit, Object place) {
        String before = commit == null ? "{" : commit.substring(0, commit.length() - 1) + ",";
        return before + "\"location\":" + Executions.quoted(place.toString(), TEXT_MAX) + "}";
    }

    /** Target of a command of DataSource V2, or null. */
    private static Object target(LogicalPlan command) {
        Object table = Members.call(command, "table");
        while (table instanceof LogicalPlan && !(table instanceof DataSourceV2Relation)) {
            table = ((LogicalPlan) table).children().nonEmpty() ? ((LogicalPlan) table).children().head() : null;
        }
        return table instanceof DataSourceV2Relation ? ((DataSourceV2Relation) table).table() : null;
    }

    /** Versions read, by path: `{"s3://lake/trips":"7"}`; null for a path with several. */
    public static String read(QueryExecution[] queries) {
        Map found = new LinkedHashMap();
        for (int i = 0; i < queries.length; i++) {
            scan(queries[i].executedPlan(), found);
        }
        return json(found);
    }

    static String json(Map found) {
        StringBuilder json = new StringBuilder("{");
        for (Iterator all = found.entrySet().iterator(); all.hasNext();) {
            Map.Entry each = (Map.Entry) all.next();
            json.append(json.length() == 1 ? "" : ",");
            PlanReader.quote(each.getKey().toString(), TEXT_MAX, json);
            json.append(':').append(each.getValue() == null ? "null" : "\"" + each.getValue() + "\"");
        }
        return json.append('}').toString();
    }

    /** Note a version by path; null if it is null, or differs from the version before. */
    static void put(Map found, Object path, Object version) {
        boolean isKnown = version != null && found.containsKey(path.toString());
        boolean another = isKnown && !version.equals(found.get(path.toString()));
        found.put(path.toString(), another ? null : version);
    }

    static void scan(SparkPlan root, Map found) {
        ArrayDeque left = new ArrayDeque();
        left.add(root);
        for (int looked = 0; !left.isEmpty() && looked < NODES_MAX; looked++) {
            SparkPlan plan = (SparkPlan) left.poll();
            if (plan instanceof FileSourceScanExec) {
                Object version = DeltaVersions.scanned(((FileSourceScanExec) plan).relation().location());
                if (version != null) {
                    put(found, ((FileSourceScanExec) plan).relation().location().rootPaths().head(), version);
                }
            } else if (plan instanceof BatchScanExec) {
                IcebergVersions.scanned(((BatchScanExec) plan).scan(), found);
            } else if (plan instanceof InMemoryTableScanExec) { // read at the time of caching
                left.add(((InMemoryTableScanExec) plan).relation().cachedPlan());
            } else if (plan instanceof AdaptiveSparkPlanExec) {
                left.add(((AdaptiveSparkPlanExec) plan).initialPlan()); // with its empty scans
            }
            ExecutedPlans.addBelow(plan, left);
        }
    }
}
