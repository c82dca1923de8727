package headwater.capture;

import org.apache.spark.rdd.RDD;
import org.apache.spark.scheduler.SparkListenerEvent;

/**
 * Action of an RDD, or write of a DynamicFrame, that Python ran. It is posted on Spark's own bus once it is over, so that
 * it comes after the events of its tasks.
 */
public class RddAction implements SparkListenerEvent {
    /** Local property of Spark's that names the action among the properties of its jobs. */
    public static final String PROPERTY = "headwater.rdd.action";
    /** Local property that has the number, too, while a DynamicFrame is written. */
    public static final String GLUE_WRITE = "headwater.glue.write";

    /** Name of the method, as in `saveAsTextFile`. */
    public final String name;
    public final long number;
    /** Null for a DynamicFrame, and for a rename of a path. */
    public final RDD rdd;
    /** Where it saves; of a rename both paths, each on a line; null if it saves nothing. */
    public final String path;
    public final long startedMs;
    public final long endedMs;
    /** The exception with its stack; null if it succeeded. */
    public final String failure;
    /** The execution in which it ran, that of a stream's batch; null if there was none. */
    public final String executionId;
    /** Set by the listener: the stream that it is a part of, and rows and bytes that its tasks wrote; or null. */
    public Stream stream;
    public long[] written;
    /** Frame that is written; null for an RDD. */
    public GlueFrames.Frame frame;

    public RddAction(
        String name, long number, RDD rdd, String path, long startedMs, long endedMs, String failure, String executionId
    ) {
        this.name = name;
        this.number = number;
        this.rdd = rdd;
        this.path = path;
        this.startedMs = startedMs;
        this.endedMs = endedMs;
        this.failure = failure;
        this.executionId = executionId;
    }

    /** Nothing for the log of Spark's history server. */
    public boolean logEvent() {
        return false;
    }
}
