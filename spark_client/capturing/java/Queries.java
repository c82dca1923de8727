package headwater.capture;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.jdbc.JDBCRelation;

/**
 * Queries that a database runs, parsed by Spark's own parser; nothing is resolved, and no database is queried.
 *
 * A name in quotes comes as `"name"`, with its quotes, so that the reader knows that the database does not fold it. What
 * a database may read in another way than Spark (strings with backslashes, MySQL's double quotes) is not parsed.
 */
public class Queries {
    private static final int TEXT_MAX = 100000;
    // Where double quotes may be those of strings.
    private static final Set QUOTES_TEXT =
        new HashSet(Arrays.asList(new String[] {"mysql", "mariadb", "hive2", "spark", "databricks", "bigquery"}));

    /** Plan of a relation's query; null if that is a table's name, or cannot be parsed. */
    public static LogicalPlan of(JDBCRelation relation) {
        try {
            String text = relation.jdbcOptions().tableOrQuery();
            String[] url = relation.jdbcOptions().url().split(":", 3);
            String kind = url.length > 1 ? url[1].toLowerCase(Locale.ROOT) : "";
            boolean isName = text.indexOf('(') < 0 && text.trim().indexOf(' ') < 0;
            String sql = isName || text.length() > TEXT_MAX ? null : inSparksWords(text, kind);
            return sql == null ? null : new CatalystSqlParser().parsePlan("SELECT * FROM " + sql);
        } catch (Throwable unknown) { // the database's SQL is not Spark's
            return null;
        }
    }

    /** The text with all quoted names as Spark quotes them; null if it may mean anything else to the database. */
    static String inSparksWords(String text, String kind) {
        boolean mysql = kind.equals("mysql") || kind.equals("mariadb");
        if (text.indexOf('\\') >= 0 || text.indexOf("/*!") >= 0 || mysql && text.indexOf('#') >= 0) {
            return null;
        }
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < text.length();) {
            char c = text.charAt(i);
            boolean names = c == '"' || c == '`' || c == '[' && kind.equals("sqlserver");
            if (c == '"' && QUOTES_TEXT.contains(kind)) {
                return null;
            }
            int end = names ? text.indexOf(c == '[' ? ']' : c, i + 1) + 1
                : c == '\'' ? text.indexOf(c, i + 1) + 1
                : text.startsWith("--", i) ? endOf(text, "\n", i)
                : text.startsWith("/*", i) ? endOf(text, "*/", i) : i + 1;
            if (end == 0 || names && end < text.length() && text.charAt(end) == c) { // no end, or a quote in the name
                return null;
            }
            String part = text.substring(i, end);
            out.append(names ? "`\"" + part.substring(1, part.length() - 1) + "\"`" : part);
            i = end;
        }
        return out.toString();
    }

    private static int endOf(String text, String mark, int from) {
        int end = text.indexOf(mark, from);
        return end < 0 ? text.length() : end + mark.length();
    }
}
