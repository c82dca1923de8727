package headwater.capture;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.ListIterator;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.spark.sql.connector.read.Scan;

/** Snapshots of Iceberg's tables, by Iceberg's own metadata; by reflection, for its classes may not be there. */
public class IcebergVersions {
    private static final String ICEBERG = "org.apache.iceberg.";
    // An execution's snapshot is among the table's last ones, unless other writers are very fast.
    private static final int SNAPSHOTS_MAX = 100;
    // Iceberg allows a snapshot's time to be so much before its parent's.
    private static final long DISORDER_MS = 60000L;
    private static final int NAME_MAX = 1000;
    private static final String[] COUNTS = {"added-records", "added-files-size", "added-data-files", "added-delete-files"};

    /** Note the snapshot read by a scan, from Iceberg's report of the scan's planned files. */
    static void scanned(Scan scan, Map found) {
        Object table = scan.getClass().getName().startsWith(ICEBERG) ? Members.field(scan, "table") : null;
        if (table == null || Members.call(table, "metadataTableType") != null) {
            return;
        }
        Object reports = Members.field(scan, "scanReportSupplier");
        Object report = reports instanceof Supplier ? ((Supplier) reports).get() : null;
        Object snapshot = report == null ? null : Members.call(report, "snapshotId");
        if (snapshot != null) {
            TableVersions.put(found, Members.call(table, "location"), snapshot);
        }
    }

    /** Iceberg's own table in a table of Spark's; null without it, or before its changes are committed. */
    static Object of(Object table) {
        for (int i = 0; i < 3 && table != null; i++) {
            boolean isIcebergs = table.getClass().getName().startsWith(ICEBERG);
            if (isIcebergs && table.getClass().getSimpleName().startsWith("Staged")) {
                return null;
            }
            if (isIcebergs && Members.call(table, "refs") != null) {
                return table;
            }
            table = Members.call(table, "table");
        }
        return null;
    }

    /**
     * The single snapshot of this application between two times: `{"version":"83","summary":{"added-records":2,...}}`.
     * Null without a snapshot, or with several. Each snapshot names its application.
     */
    static String written(Object table, String application, long startedMs, long endedMs) throws Exception {
        Object found = null;
        ListIterator newest = newest(table);
        for (int looked = 0; newest.hasPrevious(); looked++) {
            Object snapshot = newest.previous();
            long atMs = ((Number) Members.call(snapshot, "timestampMillis")).longValue();
            if (atMs < startedMs - DISORDER_MS) {
                break;
            }
            // A move of rows is no write, in any application.
            boolean isWrite = !"replace".equals(Members.call(snapshot, "operation"));
            boolean isOfTime = isWrite && atMs >= startedMs && atMs <= endedMs;
            boolean isIts = isOfTime && application.equals(summary(snapshot).get("spark.app.id"));
            if (looked == SNAPSHOTS_MAX || isIts && found != null) {
                return null;
            }
            found = isIts ? snapshot : found;
        }
        return found == null ? null : json(table, found);
    }

    /** Snapshot of a stream's batch, as JSON like `written`; null if it is not among the last snapshots. */
    static String ofBatch(Object table, String queryId, long batchId) throws Exception {
        ListIterator newest = newest(table);
        for (int looked = 0; newest.hasPrevious() && looked < SNAPSHOTS_MAX; looked++) {
            Object snapshot = newest.previous();
            boolean isOfQuery = queryId.equals(summary(snapshot).get("spark.sql.streaming.queryId"));
            if (isOfQuery && String.valueOf(batchId).equals(summary(snapshot).get("spark.sql.streaming.epochId"))) {
                return json(table, snapshot);
            }
        }
        return null;
    }

    /** Iterator at the end of the snapshots, unpublished snapshots and all branches included. */
    private static ListIterator newest(Object table) {
        List all = new ArrayList();
        for (Iterator each = ((Iterable) Members.call(table, "snapshots")).iterator(); each.hasNext();) {
            all.add(each.next());
        }
        return all.listIterator(all.size());
    }

    /** Number of files read of a snapshot by a stream; -1 for an unknown snapshot. */
    static long files(Object table, long id, boolean all) throws Exception {
        Object snapshot = snapshot(table, Long.valueOf(id));
        Object count = snapshot == null ? null : summary(snapshot).get(all ? "total-data-files" : "added-data-files");
        return snapshot == null ? -1L : count == null ? 0L : Long.parseLong(count.toString());
    }

    private static Object snapshot(Object table, Object id) throws Exception {
        if (id == null) {
            return null;
        }
        Method snapshot = table.getClass().getMethod("snapshot", new Class[] {Long.TYPE});
        snapshot.setAccessible(true);
        return snapshot.invoke(table, new Object[] {id});
    }

    private static Map summary(Object snapshot) {
        Object summary = Members.call(snapshot, "summary");
        return summary == null ? new HashMap() : (Map) summary;
    }

    /** Branch of a snapshot, or `wap.id=` and the id of its publication; null for a snapshot of the table itself. */
    private static String branch(Object table, Object snapshot) throws Exception {
        if (leadsTo(table, Members.call(table, "currentSnapshot"), snapshot)) {
            return null;
        }
        for (Iterator refs = ((Map) Members.call(table, "refs")).entrySet().iterator(); refs.hasNext();) {
            Map.Entry ref = (Map.Entry) refs.next();
            Object head = snapshot(table, Members.call(ref.getValue(), "snapshotId"));
            if (Boolean.TRUE.equals(Members.call(ref.getValue(), "isBranch")) && leadsTo(table, head, snapshot)) {
                return ref.getKey().toString();
            }
        }
        Object staged = summary(snapshot).get("wap.id");
        return staged == null ? null : "wap.id=" + staged;
    }

    /** True if `head` is the snapshot or follows it; also if there are too many snapshots between them. */
    private static boolean leadsTo(Object table, Object head, Object snapshot) throws Exception {
        long atMs = ((Number) Members.call(snapshot, "timestampMillis")).longValue() - DISORDER_MS;
        for (int looked = 0; head != null && looked < SNAPSHOTS_MAX; looked++) {
            if (Members.call(head, "snapshotId").equals(Members.call(snapshot, "snapshotId"))) {
                return true;
            }
            if (((Number) Members.call(head, "timestampMillis")).longValue() < atMs) {
                return false;
            }
            head = snapshot(table, Members.call(head, "parentId"));
        }
        return head != null;
    }

    private static String json(Object table, Object snapshot) throws Exception {
        StringBuilder json = new StringBuilder("{\"version\":\"").append(Members.call(snapshot, "snapshotId"));
        json.append("\",\"summary\":{");
        for (int i = 0; i < COUNTS.length; i++) {
            Object count = summary(snapshot).get(COUNTS[i]);
            json.append(i == 0 ? "\"" : ",\"").append(COUNTS[i]).append("\":");
            json.append(count == null ? "null" : String.valueOf(Long.parseLong(count.toString())));
        }
        json.append('}');
        String branch = branch(table, snapshot);
        if (branch != null) {
            PlanReader.quote(branch, NAME_MAX, json.append(",\"branch\":"));
        }
        return json.append(rows(table, snapshot)).append('}').toString();
    }

    /**
     * Ids of the rows added by a snapshot: `,"rows":["<table>",<sequence>,<first>,<next>,<upgrades>]`; empty before
     * format 3. The next id is the next snapshot's first, or the table's; null if neither is known: `added-rows` is an
     * upper bound. A snapshot upgrades if rows of its parent had no ids before.
     */
    private static String rows(Object table, Object snapshot) throws Exception {
        Object first = Members.call(snapshot, "firstRowId");
        Object metadata = Members.call(Members.call(table, "operations"), "current");
        if (first == null || metadata == null) {
            return "";
        }
        long sequence = number(snapshot, "sequenceNumber");
        Object next = sequence == number(metadata, "lastSequenceNumber") ? Members.call(metadata, "nextRowId") : null;
        for (Iterator each = ((List) Members.call(metadata, "snapshots")).iterator(); each.hasNext();) {
            Object other = each.next();
            next = number(other, "sequenceNumber") == sequence + 1L ? Members.call(other, "firstRowId") : next;
        }
        Object parentId = Members.call(snapshot, "parentId");
        Object parent = snapshot(table, parentId);
        boolean upgrades = parentId != null && (parent == null || Members.call(parent, "firstRowId") == null);
        return TableVersions.rows(Members.call(metadata, "uuid"), sequence, first, next, upgrades);
    }

    private static long number(Object of, String name) {
        return ((Number) Members.call(of, name)).longValue();
    }
}
