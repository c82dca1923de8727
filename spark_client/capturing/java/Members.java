package headwater.capture;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Methods without parameters, and fields, by their names. A class is searched once for each name, present or missing:
 * the search among a plan node's hundreds of methods costs more than the rest of its reading.
 */
public class Members {
    private static final Object MISSING = new Object();
    // Held by the classes themselves, so the maps keep no class loaded.
    private static final ClassValue METHODS = new ByName();
    private static final ClassValue FIELDS = new ByName();

    private static class ByName extends ClassValue {
        protected Object computeValue(Class type) {
            return new ConcurrentHashMap();
        }
    }

    /** Result of a method, as in `call(log, "dataPath")`; null if it is missing, or fails. */
    public static Object call(Object object, String name) {
        Method method = object == null ? null : method(object.getClass(), name);
        try {
            return method == null ? null : method.invoke(object, new Object[0]);
        } catch (Exception failed) {
            return null;
        }
    }

    public static Method method(Class type, String name) {
        return (Method) find(METHODS, type, name);
    }

    /** A field's value, of the object's class or a class above it; null if it is missing. */
    public static Object field(Object object, String name) {
        Field field = object == null ? null : (Field) find(FIELDS, object.getClass(), name);
        try {
            return field == null ? null : field.get(object);
        } catch (IllegalAccessException closed) {
            return null;
        }
    }

    private static Object find(ClassValue kind, Class type, String name) {
        Map members = (Map) kind.get(type);
        Object known = members.get(name);
        if (known == null) {
            known = kind == METHODS ? findMethod(type, name) : findField(type, name);
            members.put(name, known);
        }
        return known == MISSING ? null : known;
    }

    private static Object findMethod(Class type, String name) {
        Method method = null;
        try {
            method = type.getMethod(name, new Class[0]);
            method.setAccessible(true);
        } catch (Exception missing) { // or of a closed module: its call fails
        }
        return method == null ? MISSING : method;
    }

    private static Object findField(Class of, String name) {
        for (Class type = of; type != null; type = type.getSuperclass()) {
            try {
                Field field = type.getDeclaredField(name);
                field.setAccessible(true);
                return field;
            } catch (Exception missing) {
                continue;
            }
        }
        return MISSING;
    }
}
