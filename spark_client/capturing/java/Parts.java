package headwater.capture;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import org.codehaus.commons.compiler.util.resource.MapResourceFinder;
import org.codehaus.janino.JavaSourceClassLoader;

/**
 * Optional parts: classes by name, each with a loader of its own, for Janino's compiles nothing more after a failure.
 * If a part does not compile with this Spark, or misses a method, its values alone are lost.
 */
public class Parts {
    private static final int REASON_MAX = 500;
    // Sources compiled together, by path and in UTF-8, by class; loaders by sources.
    private static final Map SOURCES = new HashMap();
    private static final Map LOADERS = new IdentityHashMap();
    private static final Map CLASSES = new HashMap();
    private static final Map METHODS = new HashMap();
    // Parts that do not compile, lost parts, and the unread reports of losses.
    private static final Set MISSING = new HashSet();
    private static final Set LOST = new HashSet();
    private static final ArrayDeque UNREAD = new ArrayDeque();

    /** Take the sources of a part and of the classes it needs, by their paths. */
    public void provide(String name, Map sources) {
        synchronized (Parts.class) {
            SOURCES.put(name, sources);
        }
    }

    /** The result of a part's static method; null if the part is lost, or the call fails. */
    public static Object call(String name, String method, Class[] types, Object[] arguments) {
        try {
            Method known = method(name, method, types);
            return known == null ? null : known.invoke(null, arguments);
        } catch (Throwable failed) {
            boolean ofCall = failed instanceof InvocationTargetException && failed.getCause() != null;
            Throwable cause = ofCall ? failed.getCause() : failed;
            if (!ofCall || cause instanceof LinkageError) { // else it may be the fault of this query
                lose(name, cause);
            }
            return null;
        }
    }

    /** A part's static method; null if the part is lost. No part has two methods of the same name. */
    private static synchronized Method method(String name, String method, Class[] types) throws Exception {
        String key = name + "." + method;
        Method known = (Method) METHODS.get(key);
        Class part = known == null ? find(name) : null;
        if (part != null) {
            known = part.getMethod(method, types);
            METHODS.put(key, known);
        }
        return known;
    }

    /** The next lost part, as `{"lost":"Queries","reason":"..."}`, or null. */
    public static synchronized String lost() {
        return (String) UNREAD.poll();
    }

    /** The class of a part, compiled at its first use unless it came compiled; null after a failed compilation. */
    public static synchronized Class find(String name) throws ClassNotFoundException {
        Class known = (Class) CLASSES.get(name);
        if (known == null && !MISSING.contains(name)) {
            MISSING.add(name); // until it compiles
            String type = Parts.class.getName().replaceFirst("Parts$", name);
            Map sources = (Map) SOURCES.get(name);
            known = (sources == null ? Parts.class.getClassLoader() : loader(sources)).loadClass(type);
            CLASSES.put(name, known);
            MISSING.remove(name);
        }
        return known;
    }

    private static ClassLoader loader(Map sources) {
        ClassLoader known = (ClassLoader) LOADERS.get(sources);
        if (known == null) {
            known = new JavaSourceClassLoader(Parts.class.getClassLoader(), new MapResourceFinder(sources), "UTF-8");
            LOADERS.put(sources, known);
        }
        return known;
    }

    /** Note the loss of a part, and its reason. */
    public static synchronized void lose(String name, Throwable failed) {
        if (LOST.add(name)) {
            Throwable cause = failed.getCause() == null ? failed : failed.getCause();
            String reason = Executions.quoted(cause.toString(), REASON_MAX);
            UNREAD.add("{\"lost\":\"" + name + "\",\"reason\":" + reason + "}");
        }
    }
}
