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
 * Rows and bytes that the tasks of executions and of actions report themselves: of writes to a database, and of what an
 * RDD saves. Used by the listener's thread alone.
 */
public class TaskOutputs {
    /** Owner that has had a job; its stages are known until it is over. */
    private static class Owner {
        final List stages = new ArrayList();
        final long[] written = {0L, 0L};
    }

    private final Map byOwner = new HashMap();
    private final Map byStage = new HashMap();

    /** Note that a job belongs to an owner. */
    public void started(Object key, SparkListenerJobStart job) {
        Owner owner = ownerOf(key);
        scala.collection.Iterator stages = job.stageInfos().iterator();
        while (stages.hasNext()) {
            Object stage = Integer.valueOf(((StageInfo) stages.next()).stageId());
            owner.stages.add(stage);
            byStage.put(stage, owner);
        }
    }

    /** Only tasks that succeeded count: a failed one is tried again. */
    public void ended(SparkListenerTaskEnd task) {
        Owner owner = (Owner) byStage.get(Integer.valueOf(task.stageId()));
        if (owner != null && task.taskInfo().successful() && task.taskMetrics() != null) {
            OutputMetrics metrics = task.taskMetrics().outputMetrics();
            owner.written[0] += metrics.recordsWritten();
            owner.written[1] += metrics.bytesWritten();
        }
    }

    /** Add what an owner wrote, which is over, to what another did. */
    public void pass(Object key, Object to) {
        long[] written = take(key);
        if (written != null) {
            Owner owner = ownerOf(to);
            owner.written[0] += written[0];
            owner.written[1] += written[1];
        }
    }

    /** Rows and bytes that the tasks of an owner wrote; null if it had no tasks. It is forgotten. */
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
