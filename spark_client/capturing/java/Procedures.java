package headwater.capture;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Literal;

/** Arguments of a procedure with names of tables; further texts may be conditions: their literals stay in the JVM. */
public class Procedures {
    private static final List NAMES = Arrays.asList(new Object[] {"table", "source_table"});

    /** Pairs such as `["table", "db.trips"]` of a `CALL` of Iceberg's; its arguments are in the parameters' order. */
    public static Object[] arguments(Object call) {
        List named = new ArrayList();
        Object[] parameters = (Object[]) Members.call(Members.call(call, "procedure"), "parameters");
        Object values = Members.call(call, "args");
        if (parameters == null || !(values instanceof scala.collection.Iterable)) {
            return named.toArray();
        }
        scala.collection.Iterator each = ((scala.collection.Iterable) values).iterator();
        for (int i = 0; i < parameters.length && each.hasNext(); i++) {
            Object value = each.next();
            Object name = Members.call(parameters[i], "name");
            if (value instanceof Literal && NAMES.contains(name)) {
                named.add(new Object[] {name, String.valueOf(((Literal) value).value())});
            }
        }
        return named.toArray();
    }
}
