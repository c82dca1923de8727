package headwater.capture;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GetStructField;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.OuterReference;
import org.apache.spark.sql.catalyst.expressions.PlanExpression;
import org.apache.spark.sql.catalyst.plans.JoinType;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.execution.ExternalRDD;
import org.apache.spark.sql.execution.LogicalRDD;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.jdbc.JDBCRelation;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * A plan as JSON, each node once: time and size are linear in the plan, where `TreeNode.toJSON` may be exponential.
 *
 * {"objects": [[0, {"condition": 1, "child": 2}], ...], "types": [...], "kinds": ["Filter", ...]}, the root first
 *
 * The first 0 is an index in `kinds`. As a value, an integer is the index of a node, a negative integer (`~index`) of a
 * type; further numbers are texts, literals null. No recursion is as deep as the plan; at a bound `read` returns null.
 * `Shapes` names further objects to read, and the methods to call. Rows, RDDs, sessions and passwords stay unread.
 */
public class PlanReader {
    public static final int FULL = 0;
    public static final int SOURCES = 1;
    public static final int TABLES = 2;
    private static final int TEXT_MAX = 4000;
    private static final int NESTED_MAX = 8;
    private static final int NODES_A_LOOK = 64;
    // Types of tables come again with each write; long texts are not kept.
    private static final int TYPES_KEPT = 100;
    private static final int TYPE_KEPT_CHARS = 10000;
    private static final String EXPR_ID = Shapes.label("exprId");

    /** Cache of the latest types' texts. */
    private static class Texts extends LinkedHashMap {
        Texts() {
            super(16, 0.75f, true);
        }

        protected boolean removeEldestEntry(Map.Entry eldest) {
            return size() > TYPES_KEPT;
        }
    }

    private final Shapes shapes;
    // By key, true to read its value, too.
    private final Map options = new HashMap();
    private final int objectsMax;
    private final int charsMax;
    private final Map textsOfTypes = new Texts();

    private int tier;
    private long deadlineNs;
    private StringBuilder out;
    private StringBuilder types;
    private StringBuilder names;
    private Map kinds;
    private Map places;
    private Map placesOfTypes;
    private Map attributes;
    private ArrayDeque waiting;
    private GlueFrames.Frame assumed;

    /**
     * @param options keys to read in maps, a line each; with a `?` behind it, the key alone, with a null value
     */
    public PlanReader(Shapes shapes, String options, int objectsMax, int charsMax) {
        this.shapes = shapes;
        String[] keys = options.split("\n");
        for (int i = 0; i < keys.length; i++) {
            boolean keyAlone = keys[i].endsWith("?");
            String key = keyAlone ? keys[i].substring(0, keys[i].length() - 1) : keys[i];
            boolean isRead = !keyAlone && !Boolean.FALSE.equals(this.options.get(key));
            this.options.put(key, Boolean.valueOf(isRead));
        }
        this.objectsMax = objectsMax;
        this.charsMax = charsMax;
        clear();
    }

    private void clear() {
        out = new StringBuilder();
        types = new StringBuilder();
        names = new StringBuilder();
        kinds = new HashMap();
        places = new IdentityHashMap();
        placesOfTypes = new HashMap();
        attributes = new HashMap();
        waiting = new ArrayDeque();
    }

    /** Take the RDDs of unknown origin for the rows of this frame, until `assume(null)`. */
    public void assume(GlueFrames.Frame frame) {
        this.assumed = frame;
    }

    /**
     * A plan (a TreeNode), or an RDD's action with its inputs and path, as JSON. Null if it is too large for the
     * bounds, or after so many milliseconds of CPU.
     */
    public String read(Object root, int tier, long timeoutMs) throws Exception {
        this.tier = tier;
        this.deadlineNs = cpuNs() + timeoutMs * 1000000L;
        try {
            out.append("{\"objects\":[");
            place(root);
            for (int written = 0; !waiting.isEmpty(); written++) {
                boolean late = written % NODES_A_LOOK == 0 && cpuNs() > deadlineNs;
                if (late || places.size() > objectsMax || out.length() + types.length() > charsMax) {
                    return null;
                }
                out.append(written == 0 ? "" : ",");
                Object next = waiting.poll();
                if (next instanceof RddAction) {
                    writeAction((RddAction) next);
                } else {
                    write((TreeNode) next);
                }
            }
            out.append("],\"types\":[").append(types).append("],\"kinds\":[").append(names).append("]}");
            return out.toString();
        } finally {
            clear();
        }
    }

    /** An object beside nodes, as JSON; of a map its keys in `options`. */
    public String describe(Object object) throws Exception {
        try {
            value(object, 0);
            return out.toString();
        } finally {
            clear();
        }
    }

    /** This thread's CPU time, so a busy machine costs no detail; a JVM without it counts the clock's time. */
    public static long cpuNs() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long cpu = threads.isCurrentThreadCpuTimeSupported() ? threads.getCurrentThreadCpuTime() : -1L;
        return cpu >= 0 ? cpu : System.nanoTime();
    }

    /** Index of a node; a new node is queued to be written. Attributes with the same id and name are a single node. */
    private int place(Object node) {
        Integer known = (Integer) places.get(node);
        if (known == null && node instanceof AttributeReference) {
            AttributeReference attribute = (AttributeReference) node;
            String name = attribute.exprId().id() + " " + attribute.name();
            known = (Integer) attributes.get(name);
            if (known == null) {
                attributes.put(name, Integer.valueOf(places.size()));
            }
        }
        if (known == null) {
            known = Integer.valueOf(places.size());
            places.put(node, known);
            waiting.add(node);
        }
        return known.intValue();
    }

    /** Index of a type; a new type is written as Spark's JSON, in quotes. A table's type recurs. */
    private int placeOfType(DataType type) {
        Integer known = (Integer) placesOfTypes.get(type);
        if (known == null) {
            known = Integer.valueOf(placesOfTypes.size());
            placesOfTypes.put(type, known);
            types.append(types.length() == 0 ? "" : ",").append(textOf(type));
        }
        return known.intValue();
    }

    private String textOf(DataType type) {
        String known = (String) textsOfTypes.get(type);
        if (known == null) {
            known = Executions.quoted(type.json(), charsMax);
            if (known.length() <= TYPE_KEPT_CHARS) {
                textsOfTypes.put(type, known);
            }
        }
        return known;
    }

    private void write(TreeNode node) throws Exception {
        boolean summed = tier == SOURCES && node instanceof Expression && !isVariable(node);
        Shapes.Shape shape = shapes.of(node.getClass());
        out.append('[').append(kind(summed ? "References" : shape.name)).append(",{");
        if (summed) {
            writeReferences((Expression) node);
        } else {
            writeValues(node, shape);
        }
        out.append("}]");
    }

    private int kind(String kind) {
        Integer number = (Integer) kinds.get(kind);
        if (number == null) {
            number = Integer.valueOf(kinds.size());
            kinds.put(kind, number);
            names.append(names.length() == 0 ? "\"" : ",\"").append(kind).append('"');
        }
        return number.intValue();
    }

    private void writeAction(RddAction action) throws Exception {
        out.append('[').append(kind(action.frame == null ? "RddAction" : "GlueWrite")).append(",{");
        if (action.frame == null) {
            name("path", true);
            value(action.path, 0);
            if (action.rdd != null) {
                writePlaces(action.rdd, false);
            }
        } else {
            writeFrame(action.frame, true);
        }
        out.append("}]");
    }

    /** Add the origin of a DynamicFrame: its steps, and the plans of Spark's frames with their columns' names. */
    private boolean writeFrame(GlueFrames.Frame frame, boolean first) throws Exception {
        name("steps", first);
        quote(frame.steps, charsMax, out);
        name("frames", false);
        Object[] plans = new Object[frame.queries.length];
        for (int i = 0; i < plans.length; i++) {
            LogicalPlan plan = frame.queries[i].analyzed();
            plans[i] = new Object[] {plan, plan.schema().fieldNames()};
        }
        list(plans, 0);
        return false;
    }

    private void writeValues(TreeNode node, Shapes.Shape shape) throws Exception {
        String[] parameters = shapes.parameters(node, shape);
        boolean first = true;
        for (int i = 0; i < parameters.length; i++) {
            if (parameters[i] != null) {
                first = label(parameters[i], first);
                value(node.productElement(i), 0);
            }
        }
        if (node instanceof NamedExpression && ((Expression) node).resolved()) {
            first = label(EXPR_ID, first);
            text(id((NamedExpression) node));
        }
        if (node instanceof Cast && ((Cast) node).resolved()) {
            first = name("inserted", first);
            out.append(((Cast) node).getTagValue(Cast.BY_TABLE_INSERTION()).isDefined());
            first = name("ofUser", first);
            out.append(((Cast) node).getTagValue(Cast.USER_SPECIFIED_CAST()).isDefined());
            first = writeCast(((Cast) node).child().dataType(), ((Cast) node).dataType(), first);
        } else if (node instanceof GetStructField) {
            GetStructField step = (GetStructField) node;
            first = name("field", first);
            text(((StructType) step.child().dataType()).fields()[step.ordinal()].name());
        } else if (node instanceof LogicalRDD || node instanceof ExternalRDD) {
            RDD rdd = GlueFrames.rddOf((LogicalPlan) node);
            GlueFrames.Frame known = GlueFrames.of(rdd);
            GlueFrames.Frame frame = known == null && assumed != null && !assumed.reads(rdd) ? assumed : known;
            first = frame == null ? writePlaces(rdd, first) : writeFrame(frame, first);
        } else if (isOfFiles(node)) {
            Object relation = ((LogicalRelation) node).relation();
            Object isTable = Boolean.valueOf(((LogicalRelation) node).catalogTable().isDefined());
            Object schemas = Parts.call("MergedSchemas", "of", new Class[] {HadoopFsRelation.class, Boolean.class},
                new Object[] {relation, isTable});
            if (schemas != null) {
                first = name("schemas", first);
                list((Object[]) schemas, 0);
            }
        } else if (node instanceof LogicalRelation && ((LogicalRelation) node).relation() instanceof JDBCRelation) {
            Object relation = ((LogicalRelation) node).relation();
            Object query = Parts.call("Queries", "of", new Class[] {JDBCRelation.class}, new Object[] {relation});
            if (query != null) {
                first = name("databaseQuery", first);
                value(query, 0);
            }
        }
        if (shape.name.equals("Call")) {
            first = name("arguments", first);
            list(Procedures.arguments(node), 0);
        }
        writeGetters(node, shape.getters, first, 0);
    }

    private static boolean isOfFiles(TreeNode node) {
        return node instanceof LogicalRelation && ((LogicalRelation) node).relation() instanceof HadoopFsRelation;
    }

    /** Add the origin of an RDD: paths, and leaves of the plans of frames. */
    private boolean writePlaces(RDD rdd, boolean first) throws Exception {
        Object[] places = (Object[]) Parts.call("RddPlaces", "of", new Class[] {RDD.class}, new Object[] {rdd});
        if (places == null) {
            return first;
        }
        name("places", first);
        list((Object[]) places[0], 0);
        name("leaves", false);
        list((Object[]) places[1], 0);
        return false;
    }

    /** Add `same` for a cast to an equal type, `flat` for a type without fields, `from` and `to` for renamed fields. */
    private boolean writeCast(DataType from, DataType to, boolean first) {
        first = name("same", first);
        out.append(from.sameType(to));
        name("flat", false);
        out.append(structOf(to) == null);
        if (renames(from, to)) {
            name("from", false);
            writeFields(from);
            name("to", false);
            writeFields(to);
        }
        return first;
    }

    /** The struct in a type: itself, its elements, or a map's values; or null. */
    private static StructType structOf(DataType type) {
        while (type instanceof ArrayType || type instanceof MapType) {
            type = type instanceof ArrayType ? ((ArrayType) type).elementType() : ((MapType) type).valueType();
        }
        return type instanceof StructType ? (StructType) type : null;
    }

    private static boolean renames(DataType from, DataType to) {
        StructType before = structOf(from);
        StructType after = structOf(to);
        for (int i = 0; before != null && after != null && i < Math.min(before.length(), after.length()); i++) {
            StructField was = before.fields()[i];
            StructField is = after.fields()[i];
            if (!was.name().equals(is.name()) || renames(was.dataType(), is.dataType())) {
                return true;
            }
        }
        return false;
    }

    /** Fields with their fields: `[["name",null],["place",[["city",null]]]]`. */
    private void writeFields(DataType type) {
        StructType struct = structOf(type);
        if (struct == null) {
            out.append("null");
            return;
        }
        out.append('[');
        for (int i = 0; i < struct.length(); i++) {
            out.append(i == 0 ? "[" : ",[");
            text(struct.fields()[i].name());
            out.append(',');
            writeFields(struct.fields()[i].dataType());
            out.append(']');
        }
        out.append(']');
    }

    /** True for a reference to a variable, read in all tiers. By name: Spark 3.5 has none. */
    private static boolean isVariable(Object node) {
        return node.getClass().getName().equals("org.apache.spark.sql.catalyst.expressions.VariableReference");
    }

    /** Add an expression's name and id, if any, its attributes, and the plans of its subqueries. */
    private void writeReferences(Expression expression) throws Exception {
        boolean first = true;
        if (expression instanceof NamedExpression && expression.resolved()) {
            first = name("name", first);
            text(((NamedExpression) expression).name());
            first = label(EXPR_ID, first);
            text(id((NamedExpression) expression));
        }
        List attributes = new ArrayList();
        List plans = new ArrayList();
        lookThrough(expression, attributes, plans);
        name("references", first);
        list(attributes.toArray(), 0);
        out.append(',');
        name("plans", true);
        list(plans.toArray(), 0);
    }

    /** Collect the ids of an expression's attributes, each once, and as `plans` its subqueries' plans and variables. */
    private void lookThrough(Expression expression, List attributes, List plans) {
        Set seen = new HashSet();
        Map visited = new IdentityHashMap();
        ArrayDeque left = new ArrayDeque();
        left.add(expression);
        while (!left.isEmpty()) {
            TreeNode node = (TreeNode) left.poll();
            if (visited.put(node, node) != null) {
                continue;
            }
            if (node instanceof AttributeReference && seen.add(id((NamedExpression) node))) {
                attributes.add(id((NamedExpression) node));
            }
            if (node instanceof PlanExpression) {
                plans.add(((PlanExpression) node).plan());
            }
            if (isVariable(node)) {
                plans.add(node);
            }
            if (node instanceof OuterReference) { // a leaf, with its attribute outside of its children
                left.add(((OuterReference) node).e());
            }
            scala.collection.Iterator children = node.children().iterator();
            while (children.hasNext()) {
                left.add(children.next());
            }
        }
    }

    private static String id(NamedExpression named) {
        return String.valueOf(named.exprId().id());
    }

    private boolean name(String name, boolean first) {
        return label(Shapes.label(name), first);
    }

    private boolean label(String label, boolean first) {
        if (!first) {
            out.append(',');
        }
        out.append(label);
        return false;
    }

    private void value(Object value, int nested) throws Exception {
        if (value instanceof TreeNode) {
            if (value instanceof Literal) {
                out.append("null");
            } else if (tier == TABLES && value instanceof Expression && !isVariable(value)) {
                List plans = new ArrayList();
                lookThrough((Expression) value, new ArrayList(), plans);
                list(plans.toArray(), nested);
            } else {
                out.append(place((TreeNode) value));
            }
        } else if (value instanceof Boolean) {
            out.append(value);
        } else if (value instanceof ExprId) {
            out.append('"').append(((ExprId) value).id()).append('"');
        } else if (value instanceof DataType) {
            out.append(~placeOfType((DataType) value));
        } else if (isText(value)) {
            text(value.toString());
        } else if (nested < NESTED_MAX) {
            several(value, nested + 1);
        } else {
            out.append("null");
        }
    }

    private static boolean isText(Object value) {
        return value instanceof CharSequence || value instanceof Number || value instanceof Enum
            || value instanceof JoinType || value instanceof java.net.URI
            || value instanceof org.apache.hadoop.fs.Path || value instanceof org.apache.spark.unsafe.types.UTF8String;
    }

    private void several(Object value, int nested) throws Exception {
        if (value instanceof scala.Option) {
            value(((scala.Option) value).isDefined() ? ((scala.Option) value).get() : null, nested);
        } else if (value instanceof scala.collection.Map) {
            entries(scala.collection.JavaConverters.mapAsJavaMap((scala.collection.Map) value), nested);
        } else if (value instanceof scala.collection.Iterable) {
            list(((scala.collection.Iterable) value).iterator(), nested);
        } else if (value instanceof Map) {
            entries((Map) value, nested);
        } else if (value instanceof Object[]) {
            list((Object[]) value, nested);
        } else if (value instanceof scala.Product && value.getClass().getName().startsWith("scala.Tuple")) {
            list(((scala.Product) value).productIterator(), nested);
        } else {
            object(value, nested);
        }
    }

    private void list(scala.collection.Iterator elements, int nested) throws Exception {
        out.append('[');
        for (boolean first = true; elements.hasNext() && out.length() <= charsMax; first = false) {
            out.append(first ? "" : ",");
            value(elements.next(), nested);
        }
        out.append(']');
    }

    private void list(Object[] elements, int nested) throws Exception {
        list(scala.collection.JavaConverters.asScalaIterator(java.util.Arrays.asList(elements).iterator()), nested);
    }

    private void entries(Map entries, int nested) throws Exception {
        out.append('{');
        boolean first = true;
        Iterator each = entries.entrySet().iterator();
        while (each.hasNext()) {
            Map.Entry entry = (Map.Entry) each.next();
            first = entry(entry.getKey(), entry.getValue(), first, nested);
        }
        out.append('}');
    }

    private boolean entry(Object key, Object value, boolean first, int nested) throws Exception {
        String lower = String.valueOf(key).toLowerCase(java.util.Locale.ROOT);
        Boolean isRead = (Boolean) options.get(lower);
        if (isRead == null || value == null) {
            return first;
        }
        first = name(lower, first);
        value(isRead.booleanValue() ? value : null, nested);
        return first;
    }

    /** Add the getters' values of an object beside nodes; null for a class without getters. */
    private void object(Object value, int nested) throws Exception {
        Shapes.Shape shape = value == null ? null : shapes.of(value.getClass());
        if (shape == null || shape.getters.length == 0) {
            out.append("null");
            return;
        }
        out.append("{\"class\":\"").append(shape.name).append('"');
        writeGetters(value, shape.getters, false, nested);
        out.append('}');
    }

    private void writeGetters(Object object, Shapes.Getter[] getters, boolean first, int nested) throws Exception {
        for (int i = 0; i < getters.length; i++) {
            String[] steps = getters[i].steps;
            Object value = get(object, getters[i].first, steps[0]);
            for (int step = 1; step < steps.length && value != null; step++) {
                value = get(value, Members.method(value.getClass(), steps[step]), steps[step]);
            }
            first = label(getters[i].label, first);
            value(value, nested);
        }
    }

    /** Result of a method, or value of the field with its name if there is no method; null after a failure. */
    private static Object get(Object object, Method method, String name) {
        try {
            return method == null ? Members.field(object, name) : method.invoke(object, new Object[0]);
        } catch (Exception failed) {
            return null;
        }
    }

    private void text(String text) {
        quote(text, TEXT_MAX, out);
    }

    /** Append a text as JSON, cut to so many characters. */
    public static void quote(String text, int max, StringBuilder out) {
        int length = Math.min(text.length(), max);
        int start = 0;
        out.append('"');
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\' || c < ' ' || Character.isSurrogate(c)) {
                out.append(text, start, i).append(escaped(c));
                start = i + 1;
            }
        }
        out.append(text, start, length).append('"');
    }

    private static String escaped(char c) {
        return c == '"' || c == '\\' ? "\\" + c : "\\u" + Integer.toHexString(0x10000 | c).substring(1);
    }
}
