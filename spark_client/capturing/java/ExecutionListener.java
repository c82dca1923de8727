package headwater.capture;

import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.SparkConf;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Union;
import org.apache.spark.sql.catalyst.plans.logical.WithCTE;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart;

/**
 * Keeps executions of commands and checkpoints until they are read; runs on Spark's listener thread, so it only enqueues.
 *
 * Compiled by Janino, whose Java has no lambdas and infers no generics.
 */
public class ExecutionListener extends SparkListener {
    /** An execution's end, with the values of its start; without `end`, an execution that only had parts is over. */
    public static class Kept {
        public final SparkListenerSQLExecutionEnd end;
        public final long rootId;
        public final long startedMs;
        public final long endedMs;
        public final boolean hadJobs;
        /** True if `spark.sql.sources.partitionOverwriteMode` was dynamic when it started. */
        public final boolean dynamic;

        public Kept(SparkListenerSQLExecutionEnd end, long rootId, long startedMs, long endedMs, boolean hadJobs,
            boolean dynamic) {
            this.end = end;
            this.rootId = rootId;
            this.startedMs = startedMs;
            this.endedMs = endedMs;
            this.hadJobs = hadJobs;
            this.dynamic = dynamic;
        }
    }

    private static final String OVERWRITE_MODE = "spark.sql.sources.partitionOverwriteMode";

    private final ArrayBlockingQueue queue;
    private final String overwriteMode; // the application's
    // By execution: the root's id, when it started, and 1 or 0: whether there were jobs since then, `Kept.dynamic`.
    private final Map starts = new ConcurrentHashMap();
    private final AtomicLong dropped = new AtomicLong();
    // Executions that kept ones are parts of.
    private final Set around = ConcurrentHashMap.newKeySet();
    private volatile long applicationEndMs = -1;

    public ExecutionListener(int kept, SparkConf conf) {
        this.queue = new ArrayBlockingQueue(kept);
        this.overwriteMode = conf.get(OVERWRITE_MODE, "");
    }

    public void onOtherEvent(SparkListenerEvent event) {
        if (event instanceof SparkListenerSQLExecutionStart) {
            SparkListenerSQLExecutionStart start = (SparkListenerSQLExecutionStart) event;
            Object root = start.rootExecutionId().isDefined() ? start.rootExecutionId().get() : null;
            long rootId = root == null ? start.executionId() : ((Number) root).longValue();
            starts.put(Long.valueOf(start.executionId()), new long[] {rootId, start.time(), 0L, isDynamic(start) ? 1L : 0L});
        } else if (event instanceof SparkListenerSQLExecutionEnd) {
            keep((SparkListenerSQLExecutionEnd) event);
        }
    }

    /** The session's conf as it was then; it has only what differs from the application's. */
    private boolean isDynamic(SparkListenerSQLExecutionStart start) {
        scala.Option mode = start.modifiedConfigs().get(OVERWRITE_MODE);
        return "dynamic".equalsIgnoreCase(mode.isDefined() ? mode.get().toString() : overwriteMode);
    }

    /** A job belongs to its root execution, or to any inside it: Spark does not name which. */
    public void onJobStart(SparkListenerJobStart job) {
        String root = job.properties() == null ? null : job.properties().getProperty("spark.sql.execution.root.id");
        if (root != null) {
            long rootId = Long.parseLong(root);
            for (Iterator running = starts.values().iterator(); running.hasNext();) {
                long[] start = (long[]) running.next();
                start[2] = start[0] == rootId ? 1L : start[2];
            }
        }
    }

    public void onApplicationEnd(SparkListenerApplicationEnd event) {
        applicationEndMs = event.time();
    }

    /** When the application ended; -1 while it runs. */
    public long applicationEndMs() {
        return applicationEndMs;
    }

    /** The next one, within so many milliseconds; null if there is none by then. */
    public Kept next(long timeoutMs) throws InterruptedException {
        return (Kept) queue.poll(timeoutMs, TimeUnit.MILLISECONDS);
    }

    /** How many found the queue full. */
    public long dropped() {
        return dropped.get();
    }

    private void keep(SparkListenerSQLExecutionEnd end) {
        long[] start = (long[]) starts.remove(Long.valueOf(end.executionId()));
        boolean isAround = around.remove(Long.valueOf(end.executionId()));
        if (end.qe() == null || !isOfInterest(end)) {
            if (isAround) {
                put(new Kept(null, end.executionId(), end.time(), end.time(), true, false));
            }
            return;
        }
        if (start != null && start[0] != end.executionId()) {
            around.add(Long.valueOf(start[0]));
        }
        long startedMs = start == null ? end.time() - end.duration() / 1000000L : start[1];
        long rootId = start == null ? end.executionId() : start[0];
        boolean dynamic = start != null && start[3] == 1L;
        put(new Kept(end, rootId, startedMs, end.time(), start == null || start[2] == 1L, dynamic));
    }

    private void put(Kept kept) {
        if (!queue.offer(kept)) {
            dropped.incrementAndGet();
        }
    }

    private static boolean isOfInterest(SparkListenerSQLExecutionEnd end) {
        String action = end.executionName().isDefined() ? (String) end.executionName().get() : "";
        if (action.equals("checkpoint") || action.equals("localCheckpoint")) {
            return true;
        }
        try {
            return isCommand(end.qe().analyzed());
        } catch (Throwable failed) {
            return false; // it was never analyzed, so nothing was written
        }
    }

    /** Several INSERTs that share a FROM are a union of commands. */
    private static boolean isCommand(LogicalPlan plan) {
        LogicalPlan inside = plan instanceof WithCTE ? ((WithCTE) plan).plan() : plan;
        return inside instanceof Command
            || (inside instanceof Union && inside.children().nonEmpty() && inside.children().head() instanceof Command);
    }
}
