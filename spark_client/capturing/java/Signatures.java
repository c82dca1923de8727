package headwater.capture;

import java.lang.reflect.Constructor;
import java.lang.reflect.Parameter;
import java.util.HashSet;
import java.util.Set;

/** Comparison of the parameters of Spark's plan nodes with those that are read by their names. */
public class Signatures {
    /**
     * `Node.parameter`, each on a line, of what this Spark's nodes lack; a class that it lacks itself is left out.
     *
     * @param expected on each line a class and its parameters, with blanks between
     */
    public String lacking(String expected) {
        StringBuilder lacking = new StringBuilder();
        String[] lines = expected.split("\n");
        for (int i = 0; i < lines.length; i++) {
            String[] words = lines[i].split(" ");
            Set names = names(words[0]);
            for (int j = 1; names != null && j < words.length; j++) {
                if (!names.contains(words[j])) {
                    lacking.append(words[0].substring(words[0].lastIndexOf('.') + 1)).append('.').append(words[j]).append('\n');
                }
            }
        }
        return lacking.toString();
    }

    private static Set names(String type) {
        try {
            Class found = Class.forName(type, false, Signatures.class.getClassLoader());
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
}
