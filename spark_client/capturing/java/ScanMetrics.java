package headwater.capture;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.execution.FileSourceScanExec;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.RowDataSourceScanExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.datasources.FilePartition;
import org.apache.spark.sql.execution.datasources.FileScanRDD;
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec;
import org.apache.spark.util.AccumulatorV2;

/**
 * Rows, bytes, files and folders of scans of files, and rows alone of further scans, as counted in executed plans.
 * Nothing here runs a job.
 */
public class ScanMetrics {
    private static final int NODES_MAX = 2000;
    private static final int FILES_MAX = 10000;
    private static final int FOLDERS_MAX = 100;
    private static final int TEXT_MAX = 4000;
    private static final String[] METRICS = {"numOutputRows", "filesSize", "numFiles"};

    /** Scans of a query and its parts, `{"counts":[2,90,1],"paths":[...]}`; cached frames were read before. */
    public static String of(QueryExecution[] queries) {
        StringBuilder json = new StringBuilder();
        ArrayDeque left = new ArrayDeque();
        for (int i = 0; i < queries.length; i++) {
            left.add(queries[i].executedPlan());
        }
        for (int looked = 0; !left.isEmpty() && looked < NODES_MAX; looked++) {
            SparkPlan plan = (SparkPlan) left.poll();
            if (plan instanceof FileSourceScanExec) {
                append((FileSourceScanExec) plan, json);
            } else if (plan instanceof RowDataSourceScanExec || plan instanceof BatchScanExec) {
                appendRows(plan, json);
            }
            ExecutedPlans.addBelow(plan, left);
        }
        return json.toString();
    }

    private static void append(FileSourceScanExec scan, StringBuilder json) {
        long[] counts = new long[METRICS.length];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = count(scan, METRICS[i]);
        }
        if (counts[2] <= 0) { // it never ran, or had nothing to read
            return;
        }
        json.append(json.length() == 0 ? "{" : ",{").append("\"counts\":[").append(counts[0]).append(',');
        json.append(counts[1]).append(',').append(counts[2]).append("],\"paths\":");
        Set paths = new LinkedHashSet();
        ExecutedPlans.addAll(scan.relation().location().rootPaths().iterator(), paths);
        append(paths, json);
        Set folders = scan.partitionFilters().nonEmpty() ? folders(scan) : paths;
        if (folders != null && folders.size() <= FOLDERS_MAX) {
            append(folders, json.append(",\"folders\":"));
        }
        json.append('}');
    }

    private static long count(SparkPlan plan, String name) {
        scala.Option metric = plan.metrics().get(name);
        return metric.isDefined() ? ((Long) ((AccumulatorV2) metric.get()).value()).longValue() : -1L;
    }

    /** Append the rows of a database's table, or of DataSource V2; the scan is known by its columns' ids. */
    private static void appendRows(SparkPlan scan, StringBuilder json) {
        long rows = count(scan, METRICS[0]);
        if (rows <= 0) { // it never ran, or had nothing to read
            return;
        }
        json.append(json.length() == 0 ? "{" : ",{").append("\"counts\":[").append(rows).append(",-1,-1],\"paths\":[],");
        json.append("\"columns\":[");
        scala.collection.Iterator outputs = scan.output().iterator();
        while (outputs.hasNext()) {
            json.append('"').append(((NamedExpression) outputs.next()).exprId().id()).append('"');
            json.append(outputs.hasNext() ? "," : "");
        }
        json.append("]}");
    }

    /** Folders of the files read by a scan with a condition on partitions; null if too many. */
    private static Set folders(FileSourceScanExec scan) {
        Set folders = new LinkedHashSet();
        RDD rdd = scan.inputRDD(); // made when it ran
        if (!(rdd instanceof FileScanRDD)) {
            return null;
        }
        scala.collection.Iterator parts = ((FileScanRDD) rdd).filePartitions().iterator();
        int files = 0;
        while (parts.hasNext()) {
            FilePartition part = (FilePartition) parts.next();
            for (int i = 0; i < part.files().length; i++) {
                folders.add(part.files()[i].toPath().getParent());
                files++;
            }
            if (files > FILES_MAX || folders.size() > FOLDERS_MAX) {
                return null;
            }
        }
        return folders;
    }

    private static void append(Set paths, StringBuilder json) {
        json.append('[');
        for (Iterator all = paths.iterator(); all.hasNext();) {
            PlanReader.quote(all.next().toString(), TEXT_MAX, json);
            json.append(all.hasNext() ? "," : "");
        }
        json.append(']');
    }
}
