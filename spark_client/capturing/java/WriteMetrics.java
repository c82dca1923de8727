package headwater.capture;

import java.util.ArrayDeque;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.datasources.v2.StreamWriterCommitProgress;
import org.apache.spark.sql.execution.datasources.v2.V2TableWriteExec;
import org.apache.spark.util.AccumulatorV2;

/** Rows, bytes and files, as counted in the executed plan of a write. */
public class WriteMetrics {
    // Nodes to search for writing nodes, from the root on.
    private static final int LOOKED_THROUGH_MAX = 200;
    private static final String[] METRICS = {"numOutputRows", "numOutputBytes", "numFiles", "numParts"};

    /** Metrics of the writing nodes nearest the root, `{"numOutputRows":2}`; several for INSERTs with a common FROM. */
    public static String of(QueryExecution query) {
        StringBuilder json = new StringBuilder();
        ArrayDeque left = new ArrayDeque();
        left.add(query.executedPlan());
        for (int looked = 0; !left.isEmpty() && looked < LOOKED_THROUGH_MAX; looked++) {
            SparkPlan plan = (SparkPlan) left.poll();
            scala.collection.Map metrics = plan.metrics();
            if (metrics.contains("numOutputBytes") || metrics.contains("numParts")) {
                json.append(json.length() == 0 ? "{" : ",{").append(values(metrics)).append('}');
            } else if (plan instanceof V2TableWriteExec && ((V2TableWriteExec) plan).commitProgress().isDefined()) {
                Object progress = ((V2TableWriteExec) plan).commitProgress().get();
                json.append(json.length() == 0 ? "{" : ",{").append("\"numOutputRows\":");
                json.append(((StreamWriterCommitProgress) progress).numOutputRows()).append('}');
            } else {
                ExecutedPlans.addBelow(plan, left);
            }
        }
        return json.toString();
    }

    private static String values(scala.collection.Map metrics) {
        StringBuilder values = new StringBuilder();
        for (int i = 0; i < METRICS.length; i++) {
            scala.Option metric = metrics.get(METRICS[i]);
            if (metric.isDefined()) {
                values.append(values.length() == 0 ? "\"" : ",\"").append(METRICS[i]).append("\":");
                values.append(((AccumulatorV2) metric.get()).value());
            }
        }
        return values.toString();
    }
}
