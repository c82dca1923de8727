package headwater.capture;

import org.apache.spark.rdd.RDD;
import org.apache.spark.scheduler.SparkListenerEvent;

/**
 * Action of an RDD, or write of a DynamicFrame, from Python. It is posted on Spark's own bus at its end, behind the
 * events of its tasks.
 */
public class RddAction implements SparkListenerEvent {
    /** Local property of Spark's with the action's number, copied to its jobs. */
    public static final String PROPERTY = "headwater.rdd.action";
    /** Local property with the number, too, during the write of a DynamicFrame. */
    public static final String GLUE_WRITE = "headwater.glue.write";

    /** Name of the method, as in `saveAsTextFile`. */
    public final String name;
    public final long number;
    /** Null for a DynamicFrame, and for a rename of a path. */
    public final RDD rdd;
    /** Path of the save; of a rename both paths, each on a line; null without a save. */
    public final String path;
    public final long startedMs;
    public final long endedMs;
    /** The exception with its stack; null after a success. */
    public final String failure;
    /** The root execution around it, as of a stream's batch, or null. */
    public final String executionId;
    /** Set by the listener: the stream around it, and rows and bytes written by its tasks; or null. */
    public Stream stream;
    public long[] written;
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
