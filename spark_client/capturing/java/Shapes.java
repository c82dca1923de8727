package headwater.capture;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.trees.TreeNode;

/** Names of the values to read, looked up once for each class. */
public class Shapes {
    /** Class to read: its name, a case class's labels of parameters (null for unread parameters), and getters. */
    public static class Shape {
        String name;
        String[] parameters;
        Getter[] getters;
    }

    /** Methods to call, as in `rdd.id`: each is a method of the result before. */
    public static class Getter {
        String label;
        Method first;
        String[] steps;
    }

    private final Map getters = new HashMap();
    private final Set skipped;
    private final Map shapes = new HashMap();

    /**
     * @param getters a line each: a class or interface, and the methods to call, as in `...LogicalRDD rdd.id`
     * @param skipped names of unread constructor parameters, a line each
     */
    public Shapes(String getters, String skipped) {
        String[] owners = getters.split("\n");
        for (int i = 0; i < owners.length; i++) {
            String[] words = owners[i].split(" ");
            this.getters.put(words[0], Arrays.asList(words).subList(1, words.length));
        }
        this.skipped = new HashSet(Arrays.asList(skipped.split("\n")));
    }

    public static String label(String name) {
        return "\"" + name + "\":";
    }

    public Shape of(Class type) {
        Shape known = (Shape) shapes.get(type);
        if (known == null) {
            known = new Shape();
            known.name = simpleName(type);
            known.getters = gettersOf(type);
            shapes.put(type, known);
        }
        return known;
    }

    /** The getters of a class, of all classes above it and of all its interfaces. */
    private Getter[] gettersOf(Class type) {
        Set paths = new LinkedHashSet();
        Set seen = new HashSet();
        ArrayDeque left = new ArrayDeque();
        left.add(type);
        while (!left.isEmpty()) {
            Class each = (Class) left.poll();
            if (!seen.add(each)) {
                continue;
            }
            if (getters.containsKey(each.getName())) {
                paths.addAll((List) getters.get(each.getName()));
            }
            if (each.getSuperclass() != null) {
                left.add(each.getSuperclass());
            }
            left.addAll(Arrays.asList(each.getInterfaces()));
        }
        Getter[] found = new Getter[paths.size()];
        Iterator each = paths.iterator();
        for (int i = 0; i < found.length; i++) {
            found[i] = new Getter();
            String path = (String) each.next();
            found[i].label = label(path);
            found[i].steps = path.split("\\.");
            found[i].first = Members.method(type, found[i].steps[0]);
        }
        return found;
    }

    /** Labels of a case class's parameters; scalac writes the names into class files since 2.12. */
    public String[] parameters(TreeNode node, Shape shape) {
        if (shape.parameters == null) {
            String[] names = new String[node.productArity()];
            Constructor longest = longest(node.getClass());
            for (int i = 0; i < names.length; i++) {
                boolean named = longest != null && i < longest.getParameterCount();
                String name = named ? longest.getParameters()[i].getName() : "arg" + i;
                names[i] = skipped.contains(name) || name.equals("exprId") ? null : label(name);
            }
            shape.parameters = names;
        }
        return shape.parameters;
    }

    /** Constructor with the most parameters: a case class's own; null without a constructor. */
    private static Constructor longest(Class type) {
        Constructor[] constructors = type.getConstructors();
        Constructor longest = null;
        for (int i = 0; i < constructors.length; i++) {
            if (longest == null || constructors[i].getParameterCount() > longest.getParameterCount()) {
                longest = constructors[i];
            }
        }
        return longest;
    }

    /**
     * Missing parameters of this Spark's nodes, as in `Filter.condition`, a line each; missing classes are left out.
     *
     * @param expected on each line a class and its parameters, with blanks between
     */
    public static String lacking(String expected) {
        StringBuilder lacking = new StringBuilder();
        String[] lines = expected.split("\n");
        for (int i = 0; i < lines.length; i++) {
            String[] words = lines[i].split(" ");
            Set names = parametersOf(words[0]);
            for (int j = 1; names != null && j < words.length; j++) {
                if (!names.contains(words[j])) {
                    lacking.append(words[0].substring(words[0].lastIndexOf('.') + 1)).append('.').append(words[j]).append('\n');
                }
            }
        }
        return lacking.toString();
    }

    private static Set parametersOf(String type) {
        try {
            Class found = Class.forName(type, false, Shapes.class.getClassLoader());
            Set names = new HashSet();
            Constructor constructor = Shapes.longest(found);
            Parameter[] parameters = constructor == null ? new Parameter[0] : constructor.getParameters();
            for (int i = 0; i < parameters.length; i++) {
                names.add(parameters[i].getName());
            }
            return names;
        } catch (ClassNotFoundException missing) {
            return null;
        }
    }

    private static String simpleName(Class type) {
        String name = type.getName();
        name = name.substring(name.lastIndexOf('.') + 1);
        return name.endsWith("$") ? name.substring(0, name.length() - 1) : name;
    }
}
