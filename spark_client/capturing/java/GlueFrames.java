package headwater.capture;

import java.util.ArrayDeque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.ExternalRDD;
import org.apache.spark.sql.execution.LogicalRDD;
import org.apache.spark.sql.execution.QueryExecution;

/** Sources and transforms of Glue's DynamicFrames, noted by Python: Spark has no plan of them. */
public class GlueFrames {
    /** Frame: its steps, as JSON, and the queries of Spark's frames at their beginning. */
    public static class Frame {
        public final String steps;
        public final QueryExecution[] queries;

        Frame(String steps, List datasets) {
            this.steps = steps;
            this.queries = new QueryExecution[datasets.size()];
            for (int i = 0; i < queries.length; i++) {
                queries[i] = ((Dataset) datasets.get(i)).queryExecution();
            }
        }

        /** True if the queries read an RDD, also through further DynamicFrames. */
        public boolean reads(RDD rdd) {
            Map seen = new IdentityHashMap();
            ArrayDeque waiting = new ArrayDeque();
            waiting.add(this);
            while (!waiting.isEmpty()) {
                Frame frame = (Frame) waiting.poll();
                for (int i = 0; i < frame.queries.length; i++) {
                    scala.collection.Iterator leaves = frame.queries[i].analyzed().collectLeaves().iterator();
                    while (leaves.hasNext()) {
                        RDD read = rddOf((LogicalPlan) leaves.next());
                        if (read == rdd) {
                            return true;
                        }
                        Frame inside = read == null || seen.put(read, read) != null ? null : of(read);
                        if (inside != null) {
                            waiting.add(inside);
                        }
                    }
                }
            }
            return false;
        }
    }

    // Frames by the RDD of their rows, as long as the RDD lives.
    private static final Map FRAMES = new WeakHashMap();
    // Running writes by their number.
    private static final Map WRITES = new ConcurrentHashMap();

    /** Remember the steps behind a frame of Spark's, if an RDD is the only leaf of its plan. */
    public static void remember(Dataset made, String steps, List datasets) {
        scala.collection.Iterator leaves = made.queryExecution().analyzed().collectLeaves().iterator();
        LogicalPlan leaf = leaves.hasNext() ? (LogicalPlan) leaves.next() : null;
        RDD rdd = leaf == null || leaves.hasNext() ? null : rddOf(leaf);
        if (rdd != null) {
            synchronized (FRAMES) {
                FRAMES.put(rdd, new Frame(steps, datasets));
            }
        }
    }

    /** The frame behind an RDD's rows, or null. */
    public static Frame of(RDD rdd) {
        synchronized (FRAMES) {
            return (Frame) FRAMES.get(rdd);
        }
    }

    public static void begin(long number, String steps, List datasets) {
        WRITES.put(Long.valueOf(number), new Frame(steps, datasets));
    }

    public static Frame write(long number) {
        return (Frame) WRITES.get(Long.valueOf(number));
    }

    /** End a write, and return its frame, or null. */
    public static Frame end(long number) {
        return (Frame) WRITES.remove(Long.valueOf(number));
    }

    static RDD rddOf(LogicalPlan leaf) {
        if (leaf instanceof LogicalRDD) {
            return ((LogicalRDD) leaf).rdd();
        }
        return leaf instanceof ExternalRDD ? ((ExternalRDD) leaf).rdd() : null;
    }
}
