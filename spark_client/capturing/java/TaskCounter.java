package headwater.capture;

import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/** Counts what the tasks of executions and of actions wrote; used by the listener's thread alone. */
public interface TaskCounter {
    /** Note that a job belongs to an owner. */
    void started(Object owner, SparkListenerJobStart job);

    void ended(SparkListenerTaskEnd task);

    /** Add what an owner wrote, which is over, to what another did. */
    void pass(Object owner, Object to);

    /** Rows and bytes that the tasks of an owner wrote; null if it had no tasks. It is forgotten. */
    long[] take(Object owner);
}
