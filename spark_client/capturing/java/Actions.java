package headwater.capture;

import java.util.List;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaRDDLike;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.execution.QueryExecution;

/** Receiver of the reports of Python's wrapped methods of RDDs; each report is a call, in the job's thread. */
public class Actions {
    private static final String EXECUTION = "spark.sql.execution.root.id";

    private final SparkContext context;

    public Actions(SparkContext context) {
        this.context = context;
    }

    /** Mark the jobs of this thread as an action's, until it is over. */
    public void begin(long number) {
        context.setLocalProperty(RddAction.PROPERTY, Long.toString(number));
    }

    public void end(
        String name, long number, Object rdd, String path, long startedMs, long endedMs, String failure
    ) {
        context.setLocalProperty(RddAction.PROPERTY, null);
        String executionId = context.getLocalProperty(EXECUTION);
        RDD of = rdd == null ? null : ((JavaRDDLike) rdd).rdd();
        context.listenerBus().post(new RddAction(name, number, of, path, startedMs, endedMs, failure, executionId));
    }

    /** Mark the jobs of this thread as the write of a DynamicFrame; `steps` has its steps and the sink, as JSON. */
    public void beginWrite(long number, String steps, List datasets) {
        GlueFrames.begin(number, steps, datasets);
        context.setLocalProperty(RddAction.GLUE_WRITE, Long.toString(number));
        begin(number);
    }

    public void endWrite(String name, long number, long startedMs, long endedMs, String failure) {
        context.setLocalProperty(RddAction.PROPERTY, null);
        context.setLocalProperty(RddAction.GLUE_WRITE, null);
        String executionId = context.getLocalProperty(EXECUTION);
        RddAction action = new RddAction(name, number, null, null, startedMs, endedMs, failure, executionId);
        action.frame = GlueFrames.end(number);
        if (action.frame != null) {
            context.listenerBus().post(action);
        }
    }

    /** Remember the steps behind a frame of Spark's, as long as its RDD lives. */
    public void rememberSteps(Object made, String steps, List datasets) {
        GlueFrames.remember((Dataset) made, steps, datasets);
    }

    /** Remember the frame whose rows an RDD has, as long as the RDD lives. */
    public void remember(Object rdd, Object frame) {
        Class[] types = {org.apache.spark.rdd.RDD.class, QueryExecution.class};
        Parts.call("RddPlaces", "remember", types, new Object[] {((JavaRDDLike) rdd).rdd(), ((Dataset) frame).queryExecution()});
    }
}
