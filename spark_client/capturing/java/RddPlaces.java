package headwater.capture;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.StringUtils;
import org.apache.spark.Dependency;
import org.apache.spark.rdd.HadoopRDD;
import org.apache.spark.rdd.NewHadoopRDD;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.datasources.FilePartition;
import org.apache.spark.sql.execution.datasources.FileScanRDD;
import org.apache.spark.sql.execution.datasources.PartitionedFile;

/**
 * Origin of an RDD, found through its dependencies: files, and frames with the same rows. A frame made of an RDD has no
 * plan beyond it.
 */
public class RddPlaces {
    private static final int RDDS_MAX = 10000;
    private static final int FILES_MAX = 100000;
    private static final int LEAVES_MAX = 1000;
    // Key of the paths of Hadoop's input formats, old and new.
    private static final String PATHS = "mapreduce.input.fileinputformat.inputdir";

    // By RDD, the query of the frame with its rows.
    private static final Map FRAMES = new WeakHashMap();

    // By folder, its file read; null for several files.
    private final Map files = new HashMap();
    private final List paths = new ArrayList();
    private final List leaves = new ArrayList();
    private int left = FILES_MAX;

    /** Remember the frame behind an RDD's rows, as long as the RDD lives. */
    public static void remember(RDD rdd, QueryExecution frame) {
        synchronized (FRAMES) {
            FRAMES.put(rdd, frame);
        }
    }

    /**
     * Two arrays. The first: paths given to Hadoop, single files, and folders with several files read, as texts. The
     * second: leaves of the analyzed plans of frames. At a bound, the nearest of them; after a failure (Spark was
     * stopped), the places before it.
     */
    public static Object[] of(RDD rdd) {
        RddPlaces places = new RddPlaces();
        try {
            places.lookThrough(rdd);
        } catch (Throwable failed) {
            places.left = 0;
        }
        Iterator entries = places.files.entrySet().iterator();
        while (entries.hasNext()) {
            Map.Entry entry = (Map.Entry) entries.next();
            places.paths.add((entry.getValue() == null ? entry.getKey() : entry.getValue()).toString());
        }
        return new Object[] {places.paths.toArray(), places.leaves.toArray()};
    }

    private void lookThrough(RDD rdd) {
        Map seen = new IdentityHashMap();
        ArrayDeque waiting = new ArrayDeque();
        waiting.add(rdd);
        while (!waiting.isEmpty() && seen.size() < RDDS_MAX && left > 0) {
            RDD each = (RDD) waiting.poll();
            if (seen.put(each, each) != null) {
                continue;
            }
            QueryExecution frame = frameOf(each);
            if (frame != null) {
                read(frame.commandExecuted()); // of a command, its result: the command's own inputs are no inputs here
                continue;
            }
            if (each instanceof FileScanRDD) {
                scanned((FileScanRDD) each);
            } else if (each instanceof HadoopRDD) {
                configured(((HadoopRDD) each).getJobConf());
            } else if (each instanceof NewHadoopRDD) {
                configured(((NewHadoopRDD) each).getConf());
            }
            scala.collection.Iterator dependencies = each.dependencies().iterator();
            while (dependencies.hasNext()) {
                waiting.add(((Dependency) dependencies.next()).rdd());
            }
        }
    }

    private static QueryExecution frameOf(RDD rdd) {
        synchronized (FRAMES) {
            return (QueryExecution) FRAMES.get(rdd);
        }
    }

    /** Add the leaves of a plan, and of the subqueries in its expressions. */
    private void read(LogicalPlan plan) {
        addAll(plan.collectLeaves());
        scala.collection.Iterator subqueries = plan.subqueriesAll().iterator();
        while (subqueries.hasNext()) {
            addAll(((LogicalPlan) subqueries.next()).collectLeaves());
        }
    }

    private void addAll(scala.collection.Seq found) {
        scala.collection.Iterator each = found.iterator();
        while (each.hasNext() && leaves.size() < LEAVES_MAX) {
            leaves.add(each.next());
        }
    }

    private void scanned(FileScanRDD rdd) {
        scala.collection.Iterator partitions = rdd.filePartitions().iterator();
        while (partitions.hasNext()) {
            PartitionedFile[] read = ((FilePartition) partitions.next()).files();
            for (int i = 0; i < read.length && left > 0; i++, left--) {
                Path file = read[i].toPath();
                Path folder = file.getParent();
                boolean another = files.containsKey(folder) && !file.equals(files.get(folder));
                files.put(folder, another ? null : file);
            }
        }
    }

    private void configured(Configuration conf) {
        String[] given = StringUtils.split(conf.get(PATHS, ""));
        for (int i = 0; i < given.length && left > 0; i++, left--) {
            paths.add(StringUtils.unEscapeString(given[i]));
        }
    }
}
