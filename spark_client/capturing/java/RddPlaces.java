package headwater.capture;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.StringUtils;
import org.apache.spark.Dependency;
import org.apache.spark.rdd.HadoopRDD;
import org.apache.spark.rdd.NewHadoopRDD;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.execution.datasources.FilePartition;
import org.apache.spark.sql.execution.datasources.FileScanRDD;
import org.apache.spark.sql.execution.datasources.PartitionedFile;

/** The files that an RDD is made of, found by what it depends on: a frame made of an RDD has no other plan. */
public class RddPlaces {
    private static final int RDDS_MAX = 10000;
    private static final int FILES_MAX = 100000;
    // What Hadoop's own input formats keep their paths under, old and new ones alike.
    private static final String PATHS = "mapreduce.input.fileinputformat.inputdir";

    // By folder, the file of it that is read; null where several are.
    private final Map files = new HashMap();
    private final List paths = new ArrayList();
    private int left = FILES_MAX;

    /**
     * Single files, folders of which several files are read, and paths that were given to Hadoop, as texts. Of very
     * many RDDs or files those that are nearest; of what cannot be looked through (Spark was stopped), what was found.
     */
    public static List of(RDD rdd) {
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
        return places.paths;
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
