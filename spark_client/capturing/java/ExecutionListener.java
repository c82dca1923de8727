package headwater.capture;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.SparkConf;
import org.apache.spark.scheduler.StageInfo;
import org.apache.spark.storage.RDDInfo;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Union;
import org.apache.spark.sql.catalyst.plans.logical.WithCTE;
import org.apache.spark.sql.execution.CommandExecutionMode;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.ui.SparkListenerDriverAccumUpdates;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart;
import org.apache.spark.sql.streaming.StreamingQueryListener;

/**
 * Queue of executions of commands and checkpoints, actions of RDDs, and moments of streams, until they are read. On
 * Spark's listener thread it only enqueues and counts.
 *
 * Compiled by Janino: its Java has no lambdas and infers no generics.
 */
public class ExecutionListener extends SparkListener {
    /** An execution's end with its start; without `end`, the end of an execution with parts alone. */
    public static class Kept {
        public final SparkListenerSQLExecutionEnd end;
        public final Running of;
        public final long endedMs;
        /** True for a query with rows for the program. */
        public final boolean isRead;
        /** Rows and bytes written by its tasks; null if unknown. */
        public final long[] written;

        Kept(SparkListenerSQLExecutionEnd end, Running of, long endedMs, boolean isRead, long[] written) {
            this.end = end;
            this.of = of;
            this.endedMs = endedMs;
            this.isRead = isRead;
            this.written = written;
        }

        /** The outermost execution around it, or, negative, the number of the DynamicFrame's write around it. */
        public long rootId() {
            return of.write > 0 ? -of.write : of.rootId;
        }
    }

    /** An execution, from its start on. */
    public static class Running {
        public final long id;
        public final long rootId;
        /** Queries run by Delta's command inside; used by the listener's thread until the execution ends. */
        public final List parts = new ArrayList();
        public final long startedMs;
        /** True if `spark.sql.sources.partitionOverwriteMode` was dynamic when it started. */
        public final boolean dynamic;
        /** The stream around it, or null. */
        public final Stream stream;
        public volatile boolean hadJobs;
        /** Id of the newest RDD of its last job; -1 if it had none. */
        public volatile int lastRdd = -1;
        /** Written DynamicFrame, or null. */
        public volatile GlueFrames.Frame frame;
        volatile long write; // number of the DynamicFrame's write around it; 0 without such a write

        Running(long id, long rootId, long startedMs, boolean dynamic, Stream stream) {
            this.id = id;
            this.rootId = rootId;
            this.startedMs = startedMs;
            this.dynamic = dynamic;
            this.stream = stream;
        }
    }

    private static final String DELTA_WRITE = "deltaTransactionalWrite";
    private static final int PARTS_MAX = 20;
    private static final String OVERWRITE_MODE = "spark.sql.sources.partitionOverwriteMode";

    // Wakes the reader.
    private static final Object END = new Object();
    // An ending JVM waits so long for the reader to see the end; the container may be killed sooner.
    private static final long END_MS = 2000;

    private final ArrayBlockingQueue queue;
    private final boolean reads;
    private final TaskOutputs tasks = new TaskOutputs();
    private final String overwriteMode; // the application's
    private final Map running = new ConcurrentHashMap(); // by execution
    private final Streams streams;
    private final AtomicLong dropped = new AtomicLong();
    // Executions around kept executions.
    private final Set around = ConcurrentHashMap.newKeySet();
    private volatile long applicationEndMs = -1;
    private volatile boolean isShutdown;
    private volatile boolean isOff; // for good, after a fault
    private final CountDownLatch endRead = new CountDownLatch(1);
    // Events before `takeOver`; null after it.
    private List waiting = new ArrayList();
    // The newest event taken over; it may be on its way here, too.
    private SparkListenerEvent last;
    // Queue of the early listener, still filled by a stopping bus; null if this listens itself.
    private volatile Queue left;

    /**
     * @param reads true to keep queries with rows for the program, too
     * @param active Spark's map of the running streaming queries, by id
     * @param met the queries running at the start of the capture
     */
    public ExecutionListener(int kept, boolean reads, SparkConf conf, Map active, Map met) {
        this.queue = new ArrayBlockingQueue(kept);
        this.reads = reads;
        this.overwriteMode = conf.get(OVERWRITE_MODE, "");
        this.streams = new Streams(active);
        Object[] before = streams.meet(met);
        for (int i = 0; i < before.length; i++) {
            put(before[i], false);
        }
    }

    /**
     * Take over the events of the early listener, which joined the same bus before, each once. Until then this
     * listener's own events wait.
     *
     * @param listens false if this is not on the bus: it has stopped or is stopping
     */
    public synchronized void takeOver(BlockingQueue early, boolean listens) {
        if (early.remainingCapacity() == 0) {
            dropped.incrementAndGet(); // and perhaps more
        }
        List own = waiting;
        waiting = null;
        Set taken = Collections.newSetFromMap(new IdentityHashMap());
        for (Object event = early.poll(); event != null; event = early.poll()) {
            taken.add(event);
            last = (SparkListenerEvent) event;
            dispatch(last);
        }
        for (int i = 0; i < own.size(); i++) {
            if (!taken.contains(own.get(i))) {
                dispatch((SparkListenerEvent) own.get(i));
            }
        }
        left = listens ? null : early;
    }

    private void dispatch(SparkListenerEvent event) {
        if (event instanceof SparkListenerApplicationEnd) {
            ended((SparkListenerApplicationEnd) event);
        } else if (!isOff) {
            try {
                take(event);
            } catch (Throwable failed) {
                turnOff(failed);
            }
        } else if (event instanceof SparkListenerSQLExecutionEnd) {
            dropped.incrementAndGet();
        }
    }

    private void hear(SparkListenerEvent event) {
        if (!isKept(event)) {
            dispatch(event);
        }
    }

    /** True if an event has to wait, or was taken over already: the bus passes each event to its listeners in turn. */
    private synchronized boolean isKept(SparkListenerEvent event) {
        if (waiting != null) {
            waiting.add(event);
            return true;
        }
        boolean isKnown = last != null && event == last;
        last = null;
        return isKnown;
    }

    public void onOtherEvent(SparkListenerEvent event) {
        hear(event);
    }

    public void onJobStart(SparkListenerJobStart job) {
        hear(job);
    }

    public void onTaskEnd(SparkListenerTaskEnd task) {
        hear(task);
    }

    /** Go on without capture after any error: if a listener threw it, Spark would stop the context. */
    private void turnOff(Throwable failed) {
        isOff = true;
        running.clear();
        Parts.lose("ExecutionListener", failed);
    }

    private void take(SparkListenerEvent event) {
        if (event instanceof SparkListenerTaskEnd) {
            SparkListenerTaskEnd task = (SparkListenerTaskEnd) event;
            tasks.ended(task);
        } else if (event instanceof SparkListenerJobStart) {
            SparkListenerJobStart job = (SparkListenerJobStart) event;
            noteExecution(job);
            noteJob(job);
        } else if (event instanceof SparkListenerSQLExecutionStart) {
            begin((SparkListenerSQLExecutionStart) event);
        } else if (event instanceof SparkListenerSQLExecutionEnd) {
            keep((SparkListenerSQLExecutionEnd) event);
        } else if (event instanceof SparkListenerDriverAccumUpdates) {
            SparkListenerDriverAccumUpdates updates = (SparkListenerDriverAccumUpdates) event;
            Running of = (Running) running.get(Long.valueOf(updates.executionId()));
            if (of != null && of.stream != null) {
                of.stream.count(updates);
            }
        } else if (event instanceof RddAction) {
            finish((RddAction) event);
        } else if (event instanceof StreamingQueryListener.Event) {
            put(streams.moment((StreamingQueryListener.Event) event), false);
        }
    }

    private void begin(SparkListenerSQLExecutionStart start) {
        Object root = start.rootExecutionId().isDefined() ? start.rootExecutionId().get() : null;
        long rootId = root == null ? start.executionId() : ((Number) root).longValue();
        Running outer = (Running) running.get(Long.valueOf(rootId));
        Stream stream = outer != null ? outer.stream : streams.ofBatch(start.description());
        running.put(Long.valueOf(start.executionId()), new Running(start.executionId(), rootId, start.time(), isDynamic(start), stream));
    }

    /** True for a dynamic mode in the session's conf then; keys without a change have the application's value. */
    private boolean isDynamic(SparkListenerSQLExecutionStart start) {
        scala.Option mode = start.modifiedConfigs().get(OVERWRITE_MODE);
        return "dynamic".equalsIgnoreCase(mode.isDefined() ? mode.get().toString() : overwriteMode);
    }

    /** Note a job for its root execution and all executions inside: Spark names the root alone. */
    private void noteJob(SparkListenerJobStart job) {
        String root = property(job, "spark.sql.execution.root.id");
        if (root != null) {
            long rootId = Long.parseLong(root);
            for (Iterator all = running.values().iterator(); all.hasNext();) {
                Running each = (Running) all.next();
                each.hadJobs |= each.rootId == rootId;
            }
        }
    }

    /**
     * Count a job's tasks for the innermost execution, or for the RDD's action. Executions in the thread of a
     * DynamicFrame's write are its parts. After a checkpoint, the frame reads the newest RDD of its last job.
     */
    private void noteExecution(SparkListenerJobStart job) {
        String execution = property(job, "spark.sql.execution.id");
        String action = property(job, RddAction.PROPERTY);
        String write = property(job, RddAction.GLUE_WRITE);
        Running of = execution == null ? null : (Running) running.get(Long.valueOf(execution));
        if (action != null) {
            tasks.started(action, job);
        } else if (of != null) {
            tasks.started(Long.valueOf(execution), job);
        }
        if (of != null) {
            of.lastRdd = newestRdd(job);
        }
        if (of != null && write != null) {
            of.write = Long.parseLong(write);
            of.frame = GlueFrames.write(of.write);
        }
    }

    private static int newestRdd(SparkListenerJobStart job) {
        int newest = -1;
        for (scala.collection.Iterator stages = job.stageInfos().iterator(); stages.hasNext();) {
            scala.collection.Iterator rdds = ((StageInfo) stages.next()).rddInfos().iterator();
            while (rdds.hasNext()) {
                newest = Math.max(newest, ((RDDInfo) rdds.next()).id());
            }
        }
        return newest;
    }

    private static String property(SparkListenerJobStart job, String name) {
        return job.properties() == null ? null : job.properties().getProperty(name);
    }

    private void finish(RddAction action) {
        Object batch = action.executionId == null ? null : running.get(Long.valueOf(action.executionId));
        action.stream = batch == null ? null : ((Running) batch).stream;
        action.written = tasks.take(Long.toString(action.number));
        put(action, action.path == null && action.frame == null);
    }

    public void onApplicationEnd(SparkListenerApplicationEnd event) {
        if (isKept(event)) {
            return;
        }
        ended(event);
        try {
            if (isShutdown) {
                endRead.await(END_MS, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
        }
    }

    private void ended(SparkListenerApplicationEnd event) {
        try {
            isShutdown = isJvmEnding();
            applicationEndMs = event.time();
            queue.offer(END);
        } catch (Throwable failed) {
            turnOff(failed);
        }
    }

    /** Let an ending JVM go on: the reader knows of the end. */
    public void endWasRead() {
        endRead.countDown();
    }

    /** True if the JVM itself ends, by a signal or by an exit: it refuses new hooks then. */
    private static boolean isJvmEnding() {
        try {
            Thread hook = new Thread();
            Runtime.getRuntime().addShutdownHook(hook);
            Runtime.getRuntime().removeShutdownHook(hook);
            return false;
        } catch (IllegalStateException ending) {
            return true;
        }
    }

    /** True if the application ended because the JVM did. */
    public boolean isShutdown() {
        return isShutdown;
    }

    /** End of the application; -1 while it runs. */
    public long applicationEndMs() {
        return applicationEndMs;
    }

    /** The next `Kept`, `RddAction` or `Streams.Moment`; null after so many milliseconds without it, or at the end. */
    public Object next(long timeoutMs) throws InterruptedException {
        Queue early = left;
        for (Object event = early == null ? null : early.poll(); event != null; event = early.poll()) {
            dispatch((SparkListenerEvent) event);
        }
        Object next = queue.poll(timeoutMs, TimeUnit.MILLISECONDS);
        return next == END ? null : next;
    }

    /** Number of items and events lost at a full queue or after a fault. */
    public long dropped() {
        return dropped.get();
    }

    private void keep(SparkListenerSQLExecutionEnd end) {
        Running known = (Running) running.remove(Long.valueOf(end.executionId()));
        boolean isAround = around.remove(Long.valueOf(end.executionId()));
        if (known != null && known.stream != null && known.rootId == known.id && end.qe() != null) {
            known.stream.ran(end.qe(), known.parts);
        }
        if (end.qe() == null || !isOfInterest(end)) {
            addPart(end, known);
            if (isAround) {
                Running over = new Running(end.executionId(), end.executionId(), end.time(), false, null);
                put(new Kept(null, over, end.time(), false, null), false);
            } else if (isRead(end, known)) {
                put(new Kept(end, known, end.time(), true, null), true);
            }
            return;
        }
        if (known != null && known.rootId != end.executionId()) {
            around.add(Long.valueOf(known.rootId));
        }
        if (known == null) {
            long startedMs = end.time() - end.duration() / 1000000L;
            known = new Running(end.executionId(), end.executionId(), startedMs, false, null);
            known.hadJobs = true;
        }
        long[] written = tasks.take(Long.valueOf(end.executionId()));
        put(new Kept(end, known, end.time(), false, written), false);
    }

    /** True for the program's own query; false inside a command or a batch, and for an action on a command's result. */
    private boolean isRead(SparkListenerSQLExecutionEnd end, Running known) {
        boolean isWhole = known != null && known.rootId == end.executionId() && known.stream == null;
        return reads && isWhole && end.qe() != null && !isOfCommand(end.qe());
    }

    /**
     * Pass the values of an unkept execution to the nearest execution around it: its tasks' counts (of a database's
     * rows), and a query of Delta's command, for the versions in its plan.
     */
    private void addPart(SparkListenerSQLExecutionEnd end, Running part) {
        Running nearest = null;
        boolean isPart = part != null && part.rootId != part.id;
        for (Iterator all = running.values().iterator(); isPart && all.hasNext();) {
            Running each = (Running) all.next();
            boolean isAround = each.rootId == part.rootId && each.id < end.executionId();
            nearest = isAround && (nearest == null || each.id > nearest.id) ? each : nearest;
        }
        if (nearest != null) {
            tasks.pass(Long.valueOf(end.executionId()), Long.valueOf(nearest.id));
        } else {
            tasks.take(Long.valueOf(end.executionId()));
        }
        boolean isDelta = end.executionName().isDefined() && end.executionName().get().equals(DELTA_WRITE);
        if (isDelta && nearest != null && nearest.parts.size() < PARTS_MAX) {
            nearest.parts.add(end.qe());
        }
    }

    /** Reads leave half of the queue to writes. */
    private void put(Object kept, boolean isRead) {
        boolean isFull = isRead && queue.remainingCapacity() <= queue.size();
        if (kept != null && (isFull || !queue.offer(kept))) {
            dropped.incrementAndGet();
        }
    }

    /** True for a checkpoint or a command; actions on a command's result have its plan, too, but mode ALL. */
    private static boolean isOfInterest(SparkListenerSQLExecutionEnd end) {
        String action = end.executionName().isDefined() ? (String) end.executionName().get() : "";
        return action.equals("checkpoint") || action.equals("localCheckpoint")
            || (end.qe().mode() != CommandExecutionMode.ALL() && isOfCommand(end.qe()));
    }

    private static boolean isOfCommand(QueryExecution query) {
        try {
            return isCommand(query.analyzed());
        } catch (Throwable failed) {
            return false; // never analyzed, so nothing was written
        }
    }

    /** True for a command, and for a union of commands: several INSERTs with a common FROM. */
    private static boolean isCommand(LogicalPlan plan) {
        LogicalPlan inside = plan instanceof WithCTE ? ((WithCTE) plan).plan() : plan;
        return inside instanceof Command
            || (inside instanceof Union && inside.children().nonEmpty() && inside.children().head() instanceof Command);
    }
}
