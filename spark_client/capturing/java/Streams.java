package headwater.capture;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryListener;
import org.apache.spark.sql.streaming.StreamingQueryProgress;

/** Streaming queries of all sessions. Their events come over Spark's own bus, in order with executions' events. */
public class Streams {
    public static final String START = "start";
    public static final String PROGRESS = "progress";
    public static final String END = "end";
    // In Spark's description of a batch's execution (`StreamExecution.getBatchDescriptionString`).
    private static final Pattern RUN = Pattern.compile("runId = ([0-9a-f-]{36})");

    /** Start, progress or end of a stream, at milliseconds since 1970; `failure` is the exception with its stack. */
    public static class Moment {
        public final Stream stream;
        public final String what;
        public final long atMs;
        public final String failure;

        Moment(Stream stream, String what, long atMs, String failure) {
            this.stream = stream;
            this.what = what;
            this.atMs = atMs;
            this.failure = failure;
        }
    }

    private final Map active;
    private final Map byRun = new ConcurrentHashMap();

    public Streams(Map active) {
        this.active = active;
    }

    /** Starts of queries running before any event. */
    public Object[] meet(Map queries) {
        List starts = new ArrayList();
        for (Iterator all = queries.values().iterator(); all.hasNext();) {
            StreamingQuery query = (StreamingQuery) all.next();
            starts.add(start(query.runId(), query.name(), System.currentTimeMillis(), query));
        }
        return starts.toArray();
    }

    /** Moment of an event; null for a known start, an unknown stream, and a batch with an unread batch before it. */
    public Moment moment(StreamingQueryListener.Event event) {
        if (event instanceof StreamingQueryListener.QueryStartedEvent) {
            StreamingQueryListener.QueryStartedEvent started = (StreamingQueryListener.QueryStartedEvent) event;
            Object query = active.get(started.id());
            boolean isKnown = byRun.containsKey(started.runId().toString());
            return isKnown ? null : start(started.runId(), started.name(), millis(started.timestamp()), query);
        }
        if (event instanceof StreamingQueryListener.QueryProgressEvent) {
            StreamingQueryProgress progress = ((StreamingQueryListener.QueryProgressEvent) event).progress();
            Stream stream = (Stream) byRun.get(progress.runId().toString());
            boolean ran = stream != null && progress.durationMs().containsKey("addBatch");
            return ran && stream.ended(progress) ? now(stream, PROGRESS, null) : null;
        }
        if (event instanceof StreamingQueryListener.QueryTerminatedEvent) {
            StreamingQueryListener.QueryTerminatedEvent ended = (StreamingQueryListener.QueryTerminatedEvent) event;
            Stream stream = (Stream) byRun.remove(ended.runId().toString());
            Object failure = ended.exception().isDefined() ? ended.exception().get() : null;
            return stream == null ? null : now(stream, END, (String) failure);
        }
        return null;
    }

    /** Stream of a batch, by its execution's description, or null. */
    public Stream ofBatch(String description) {
        if (byRun.isEmpty() || description == null) {
            return null;
        }
        Matcher found = RUN.matcher(description);
        return found.find() ? (Stream) byRun.get(found.group(1)) : null;
    }

    private Moment start(UUID runId, String name, long atMs, Object query) {
        Stream stream = new Stream(runId.toString(), name, atMs, query);
        byRun.put(stream.runId, stream);
        return new Moment(stream, START, atMs, null);
    }

    private static Moment now(Stream stream, String what, String failure) {
        return new Moment(stream, what, System.currentTimeMillis(), failure);
    }

    private static long millis(String time) {
        try {
            return Instant.parse(time).toEpochMilli();
        } catch (RuntimeException other) {
            return System.currentTimeMillis();
        }
    }
}
