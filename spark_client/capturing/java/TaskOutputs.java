package headwater.capture;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.executor.OutputMetrics;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.StageInfo;

/**
 * Rows and bytes in the tasks' own reports, by execution or action: of writes to a database, and of saves of RDDs. Used
 * by the listener's thread alone.
 */
public class TaskOutputs {
    /** Execution or action with jobs; its stages are known until its end. */
    private static class Owner {
        final List stages = new ArrayList();
        final long[] written = {0L, 0L};
    }

    private final Map byOwner = new HashMap();
    private final Map byStage = new HashMap();

    public void started(Object key, SparkListenerJobStart job) {
        Owner owner = ownerOf(key);
        scala.collection.Iterator stages = job.stageInfos().iterator();
        while (stages.hasNext()) {
            Object stage = Integer.valueOf(((StageInfo) stages.next()).stageId());
            owner.stages.add(stage);
            byStage.put(stage, owner);
        }
    }

    /** Count a task after a success; a failed task is tried again. */
    public void ended(SparkListenerTaskEnd task) {
        Owner owner = (Owner) byStage.get(Integer.valueOf(task.stageId()));
        if (owner != null && task.taskInfo().successful() && task.taskMetrics() != null) {
            OutputMetrics metrics = task.taskMetrics().outputMetrics();
            owner.written[0] += metrics.recordsWritten();
            owner.written[1] += metrics.bytesWritten();
        }
    }

    /** Move the counts of an ended owner to another owner. */
    public void pass(Object key, Object to) {
        long[] written = take(key);
        if (written != null) {
            Owner owner = ownerOf(to);
            owner.written[0] += written[0];
            owner.written[1] += written[1];
        }
    }

    /** Forget an owner, and return its tasks' rows and bytes; null without a job. */
    public long[] take(Object key) {
        Owner owner = (Owner) byOwner.remove(key);
        for (Iterator stages = owner == null ? null : owner.stages.iterator(); stages != null && stages.hasNext();) {
            byStage.remove(stages.next());
        }
        return owner == null ? null : owner.written;
    }

    private Owner ownerOf(Object key) {
        Owner owner = (Owner) byOwner.get(key);
        if (owner == null) {
            owner = new Owner();
            byOwner.put(key, owner);
        }
        return owner;
    }
}
