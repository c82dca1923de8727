package headwater.capture;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.regex.Pattern;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.streaming.StreamingQueryProgress;

/** Reader of the listener's executions: each call from Python takes an execution with all its values. */
public class Executions {
    private static final int FAILURE_MAX = 16000;
    // Whatever the other tiers cost: inputs and outputs are always read.
    private static final long TABLES_LEAST_MS = 500L;
    private static final Pattern CREATES = Pattern.compile("^\\s*(create|replace|insert)\\s", Pattern.CASE_INSENSITIVE);
    private static final String[] TIERS = {"full", "sources", "tables"};

    private final ExecutionListener listener;
    private final PlanReader reader;
    private final long timeoutMs;
    private boolean ended;

    public Executions(ExecutionListener listener, PlanReader reader, long timeoutMs) {
        this.listener = listener;
        this.reader = reader;
        this.timeoutMs = timeoutMs;
    }

    /**
     * The next item as JSON: an execution, an RDD's action, a stream's moment, an end (`{"over":7}`), or a lost part.
     * Null after so many milliseconds without an item.
     */
    public String next(long waitMs) throws Exception {
        String lost = Parts.lost();
        if (lost != null) {
            return lost;
        }
        Object next = listener.next(waitMs);
        if (next instanceof RddAction) {
            return action((RddAction) next);
        }
        if (next == null) {
            boolean ends = !ended && listener.applicationEndMs() >= 0;
            ended |= ends;
            if (!ends) {
                return null;
            }
            listener.endWasRead();
            return "{\"at_ms\":" + listener.applicationEndMs() + ",\"shutdown\":" + listener.isShutdown() + "}";
        }
        return next instanceof Streams.Moment ? moment((Streams.Moment) next) : execution((ExecutionListener.Kept) next);
    }

    /** A plan as JSON, with its tier. */
    public String plan(TreeNode root) throws Exception {
        StringBuilder json = new StringBuilder("{\"of\":0");
        appendPlan(root, PlanReader.FULL, json);
        return json.append('}').toString();
    }

    /** Start, progress or end of a stream; at its start with the plan and the sink's options. */
    private String moment(Streams.Moment moment) {
        StringBuilder json = new StringBuilder("{\"stream\":").append(quoted(moment.stream.runId, FAILURE_MAX));
        json.append(",\"what\":\"").append(moment.what).append("\",\"moment_ms\":").append(moment.atMs);
        if (moment.what == Streams.START) {
            try {
                Object query = moment.stream.query;
                TreeNode plan = (TreeNode) Members.field(query, "plan"); // a WriteToStream
                if (plan == null) {
                    throw new IllegalStateException("its plan is out of reach");
                }
                json.append(",\"options\":").append(reader.describe(Members.field(query, "extraOptions")));
                appendSession(Members.field(query, "sparkSession"), json);
                appendPlan(plan, PlanReader.FULL, json);
            } catch (Throwable failed) { // of this stream alone
                String name = moment.stream.name == null ? moment.stream.runId : moment.stream.name;
                return "{\"id\":-1,\"unread\":" + quoted("stream " + name + ": " + failed, FAILURE_MAX) + "}";
            }
        } else {
            long[] taken = moment.stream.take();
            json.append(",\"batches\":").append(taken[0]).append(",\"written\":[").append(taken[1]).append(',');
            json.append(taken[2]).append(',').append(taken[3]).append(']');
            appendVersions(moment.stream, json);
        }
        if (moment.failure != null) {
            json.append(",\"failure\":").append(quoted(moment.failure, FAILURE_MAX));
        }
        return json.append('}').toString();
    }

    /** An RDD's action, or the write of a DynamicFrame, as an execution with a negative id. */
    private String action(RddAction action) {
        StringBuilder json = begin(-action.number, -action.number, action.startedMs, action.endedMs, action.stream);
        json.append(",\"action\":").append(quoted(action.name, FAILURE_MAX)).append(",\"had_jobs\":true");
        if (action.failure != null) {
            String message = action.failure.split("\n\tat ", 2)[0].trim();
            json.append(",\"failure\":[").append(quoted(message, FAILURE_MAX)).append(',');
            json.append(quoted(action.failure, FAILURE_MAX)).append(']');
        } else {
            appendWritten(action.written, json);
        }
        try {
            appendPlan(action, action.frame == null ? PlanReader.SOURCES : PlanReader.FULL, json);
        } catch (Throwable failed) { // of this action alone
            return "{\"id\":" + -action.number + ",\"unread\":" + quoted(failed.toString(), FAILURE_MAX) + "}";
        }
        return json.append('}').toString();
    }

    private static StringBuilder begin(long id, long rootId, long startedMs, long endedMs, Stream stream) {
        StringBuilder json = new StringBuilder("{\"id\":").append(id).append(",\"root_id\":").append(rootId);
        json.append(",\"started_ms\":").append(startedMs).append(",\"ended_ms\":").append(endedMs);
        return stream == null ? json : json.append(",\"of_stream\":").append(quoted(stream.runId, FAILURE_MAX));
    }

    private String execution(ExecutionListener.Kept kept) {
        if (kept.end == null) {
            return "{\"over\":" + kept.rootId() + "}";
        }
        ExecutionListener.Running of = kept.of;
        StringBuilder json = begin(kept.end.executionId(), kept.rootId(), of.startedMs, kept.endedMs, of.stream);
        json.append(",\"read\":").append(kept.isRead).append(",\"had_jobs\":").append(of.hadJobs);
        json.append(",\"dynamic\":").append(of.dynamic);
        if (of.lastRdd >= 0) {
            json.append(",\"rdd\":").append(of.lastRdd);
        }
        try {
            appendExecution(kept, json);
        } catch (Throwable failed) { // of this execution alone: the next is read all the same
            return "{\"id\":" + kept.end.executionId() + ",\"unread\":" + quoted(failed.toString(), FAILURE_MAX) + "}";
        }
        return json.append('}').toString();
    }

    private void appendExecution(ExecutionListener.Kept kept, StringBuilder json) throws Exception {
        QueryExecution query = kept.end.qe();
        Object action = kept.end.executionName().isDefined() ? kept.end.executionName().get() : "";
        json.append(",\"action\":").append(quoted(action.toString(), FAILURE_MAX));
        appendSession(query.sparkSession(), json);
        String sql = statement(query);
        if (sql != null) {
            json.append(",\"sql\":").append(quoted(sql, Integer.MAX_VALUE));
        }
        if (kept.end.executionFailure().isDefined()) {
            Throwable failure = (Throwable) kept.end.executionFailure().get();
            StringWriter stack = new StringWriter();
            failure.printStackTrace(new PrintWriter(stack));
            json.append(",\"failure\":[").append(quoted(failure.toString(), FAILURE_MAX));
            json.append(',').append(quoted(stack.toString(), FAILURE_MAX)).append(']');
        } else {
            Object metrics = Parts.call("WriteMetrics", "of", new Class[] {QueryExecution.class}, new Object[] {query});
            json.append(",\"metrics\":[").append(metrics == null ? "" : metrics).append(']');
            appendWritten(kept.written, json);
            appendVersions(kept, query, json);
        }
        reader.assume(kept.of.frame);
        try { // a read relates no columns; a checkpoint is no read, and its columns are known later by their ids
            appendPlan(query.analyzed(), kept.isRead ? PlanReader.SOURCES : PlanReader.FULL, json);
        } finally {
            reader.assume(null);
        }
    }

    /** Versions of tables read and written, and the counts of scans; any of them may be missing. */
    private void appendVersions(ExecutionListener.Kept kept, QueryExecution query, StringBuilder json) {
        QueryExecution[] queries = new QueryExecution[kept.of.parts.size() + 1];
        queries[0] = query;
        for (int i = 1; i < queries.length; i++) {
            queries[i] = (QueryExecution) kept.of.parts.get(i - 1);
        }
        Class[] types = {QueryExecution[].class, Long.class, Long.class};
        Object[] arguments = {queries, Long.valueOf(kept.of.startedMs), Long.valueOf(kept.endedMs)};
        Object versions = Parts.call("TableVersions", "of", types, arguments);
        json.append(versions == null ? "" : versions);
        Object scans = Parts.call("ScanMetrics", "of", new Class[] {QueryExecution[].class}, new Object[] {queries});
        json.append(",\"scans\":[").append(scans == null ? "" : scans).append(']');
    }

    /** The session's id: a plan may have variables of its session. */
    private static void appendSession(Object session, StringBuilder json) {
        Object id = Members.field(session, "sessionUUID");
        json.append(",\"session\":").append(quoted(String.valueOf(id == null ? session : id), FAILURE_MAX));
    }

    private static void appendWritten(long[] written, StringBuilder json) {
        if (written != null) {
            json.append(",\"written\":[").append(written[0]).append(',').append(written[1]).append(']');
        }
    }

    /** Versions read and written by the last batch of a stream. */
    private void appendVersions(Stream stream, StringBuilder json) {
        if (stream.progress() == null) {
            return;
        }
        Class[] types = {Stream.class, StreamingQueryProgress.class, QueryExecution[].class};
        Object[] arguments = {stream, stream.progress(), stream.ran()};
        Object versions = Parts.call("StreamVersions", "of", types, arguments);
        json.append(versions == null ? "" : versions);
    }

    /** The plan in the first tier within the bounds, as `"tier":"sources","plan":{...}`. */
    private void appendPlan(Object root, int first, StringBuilder json) throws Exception {
        long deadlineNs = PlanReader.cpuNs() + timeoutMs * 1000000L;
        for (int tier = first; tier <= PlanReader.TABLES; tier++) {
            long leftMs = (deadlineNs - PlanReader.cpuNs()) / 1000000L / 2;
            long leastMs = tier == PlanReader.TABLES ? TABLES_LEAST_MS : 50L;
            String plan = reader.read(root, tier, Math.max(leftMs, leastMs));
            if (plan != null) {
                json.append(",\"tier\":\"").append(TIERS[tier]).append("\",\"plan\":").append(plan);
                return;
            }
        }
        throw new IllegalStateException("the plan is too large to be read");
    }

    /**
     * The executed statement, if it was SQL: parsed nodes keep their text. Spark 4 makes the command of a CREATE TABLE
     * AS anew, without a text; then the text of the query below counts, if it begins with create, replace or insert.
     */
    private static String statement(QueryExecution query) {
        scala.Option text = query.analyzed().origin().sqlText();
        if (!text.isDefined() && query.analyzed() instanceof Command) {
            scala.collection.Iterator parts = query.analyzed().productIterator();
            while (parts.hasNext() && !text.isDefined()) {
                Object part = parts.next();
                if (part instanceof LogicalPlan) {
                    text = ((LogicalPlan) part).origin().sqlText();
                }
            }
            boolean creates = text.isDefined() && CREATES.matcher(text.get().toString()).find();
            return creates ? text.get().toString() : null;
        }
        return text.isDefined() ? text.get().toString() : null;
    }

    /** A text as JSON, cut to so many characters. */
    public static String quoted(String text, int max) {
        StringBuilder quoted = new StringBuilder();
        PlanReader.quote(text, max, quoted);
        return quoted.toString();
    }
}
