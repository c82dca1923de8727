package headwater.capture;

import java.util.Collection;
import org.apache.spark.sql.execution.CommandResultExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec;
import org.apache.spark.sql.execution.adaptive.QueryStageExec;

/** Executed plans, node by node; compiled with each optional part that walks through them. */
public class ExecutedPlans {
    /** Add a plan's children and subqueries, and the plan inside an adaptive plan, a stage or a command's result. */
    static void addBelow(SparkPlan plan, Collection to) {
        if (plan instanceof AdaptiveSparkPlanExec) {
            to.add(((AdaptiveSparkPlanExec) plan).executedPlan());
        } else if (plan instanceof QueryStageExec) {
            to.add(((QueryStageExec) plan).plan());
        } else if (plan instanceof CommandResultExec) {
            to.add(((CommandResultExec) plan).commandPhysicalPlan());
        }
        addAll(plan.children().iterator(), to);
        addAll(plan.subqueries().iterator(), to);
    }

    static void addAll(scala.collection.Iterator from, Collection to) {
        while (from.hasNext()) {
            to.add(from.next());
        }
    }
}
