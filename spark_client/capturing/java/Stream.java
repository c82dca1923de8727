package headwater.capture;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.ui.SparkListenerDriverAccumUpdates;
import org.apache.spark.sql.streaming.StreamingQueryProgress;
import org.apache.spark.util.AccumulatorContext;
import org.apache.spark.util.AccumulatorV2;
import scala.Option;
import scala.Tuple2;

/** Running streaming query, with the counts of its batches since `take`. */
public class Stream {
    private static final String ROWS = "number of output rows";
    private static final String FILES = "number of written files";
    private static final String BYTES = "written output";

    public final String runId;
    public final String name;
    public final long startedMs;
    /** Spark's own object, with the plan. */
    public final Object query;
    // Rows, bytes and files, -1 if unknown; `counted` of the running batch.
    private long batches;
    private long[] written = {-1L, -1L, -1L};
    private long[] counted = {-1L, -1L, -1L};
    private boolean isWaiting;
    // The last batch, and its queries: its own, and the queries of Delta's command inside.
    private StreamingQueryProgress progress;
    private List ran = new ArrayList();

    public Stream(String runId, String name, long startedMs, Object query) {
        this.runId = runId;
        this.name = name;
        this.startedMs = startedMs;
        this.query = query;
    }

    /** Count a write of files at its end, known by its number of files. */
    public synchronized void count(SparkListenerDriverAccumUpdates updates) {
        long[] found = {-1L, -1L, -1L};
        scala.collection.Iterator each = updates.accumUpdates().iterator();
        while (each.hasNext()) {
            Tuple2 update = (Tuple2) each.next();
            int place = placeOf(AccumulatorContext.get(((Number) update._1()).longValue()));
            if (place >= 0) {
                found[place] = ((Number) update._2()).longValue();
            }
        }
        if (found[2] >= 0) {
            add(found, counted);
        }
    }

    private static int placeOf(Option accumulator) {
        Option name = accumulator.isDefined() ? ((AccumulatorV2) accumulator.get()).name() : accumulator;
        Object text = name.isDefined() ? name.get() : null;
        return ROWS.equals(text) ? 0 : BYTES.equals(text) ? 1 : FILES.equals(text) ? 2 : -1;
    }

    /**
     * Note the end of a batch; the sink's own count of rows, if any, goes before the writes'. True for the first batch
     * since `take`.
     */
    public synchronized boolean ended(StreamingQueryProgress last) {
        progress = last;
        if (last.sink().numOutputRows() >= 0) {
            counted[0] = last.sink().numOutputRows();
        }
        add(counted, written);
        counted = new long[] {-1L, -1L, -1L};
        batches++;
        boolean isFirst = !isWaiting;
        isWaiting = true;
        return isFirst;
    }

    /** Batches since the last call, and their rows, bytes and files. */
    public synchronized long[] take() {
        long[] taken = {batches, written[0], written[1], written[2]};
        batches = 0L;
        written = new long[] {-1L, -1L, -1L};
        isWaiting = false;
        return taken;
    }

    public synchronized void ran(QueryExecution batch, List parts) {
        ran = new ArrayList(parts);
        ran.add(batch);
    }

    /** The last ended batch; null before the first. */
    public synchronized StreamingQueryProgress progress() {
        return progress;
    }

    public synchronized QueryExecution[] ran() {
        return (QueryExecution[]) ran.toArray(new QueryExecution[0]);
    }

    private static void add(long[] more, long[] to) {
        for (int i = 0; i < more.length; i++) {
            to[i] = more[i] < 0 ? to[i] : Math.max(to[i], 0L) + more[i];
        }
    }
}
