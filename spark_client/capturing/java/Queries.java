package headwater.capture;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.jdbc.JDBCRelation;

/**
 * Queries run by a database, parsed by Spark's own parser; nothing is resolved, and no database is queried.
 *
 * A quoted name keeps its quotes, as `"name"`: the database does not fold it. Texts with another meaning to a database
 * than to Spark (strings with backslashes, MySQL's double quotes) are not parsed.
 */
public class Queries {
    private static final int TEXT_MAX = 100000;
    // Element of the value before it: to Spark it changes the value, as a cast does.
    private static final String CHANGED = "['cast']";
    private static final Pattern TYPE = Pattern.compile(
        "::\\s*(?:\"[^\"]+\"|[a-z_]\\w*(?:\\.[a-z_]\\w*)?)(?:\\s+(?:precision|varying))?(?:\\s*\\(\\s*\\d+(?:\\s*,\\s*\\d+)?\\s*\\))?"
            + "(?:\\s+with(?:out)?\\s+time\\s+zone)?(?:\\s*\\[\\s*\\d*\\s*\\])*", Pattern.CASE_INSENSITIVE);
    private static final Pattern OPERATOR =
        Pattern.compile("->>|->|#>>|#>|@>|<@|\\?\\||\\?&|!~\\*|!~|~\\*|~~\\*|~~|~");
    private static final Pattern TYPE_OF_TEXT =
        Pattern.compile("\\b(?:timestamptz|timetz|jsonb?|bytea|uuid|inet|cidr|xml)\\s*$", Pattern.CASE_INSENSITIVE);
    private static final Pattern CAST = Pattern.compile("\\b(?:try_)?cast\\s*$", Pattern.CASE_INSENSITIVE);
    private static final Pattern WORD = Pattern.compile("\\w+");
    // Databases where double quotes may begin strings.
    private static final Set QUOTES_TEXT =
        new HashSet(Arrays.asList(new String[] {"mysql", "mariadb", "hive2", "spark", "databricks", "bigquery"}));

    /** Plan of a relation's query; null for a table's name, or a text that does not parse. */
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

    /**
     * The text in Spark's SQL with the same sources: `"Id"::text` is `` `"Id"`['cast'] ``. Null if it may mean anything
     * else to the database.
     */
    public static String inSparksWords(String text, String kind) {
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
            boolean isText = names || c == '\'' || end > i + 1;
            Matcher own = isText ? null : (c == ':' ? TYPE : OPERATOR).matcher(text).region(i, text.length());
            if (own != null && own.lookingAt() && (c != '~' || own.end() > i + 1 || isAfterOperand(out))) {
                out.append(c == ':' ? CHANGED : " || "); // a cast or an operator changes the value
                i = own.end();
                continue;
            }
            if (c == '\'') { // a type before a text, as in `timestamptz '2013-01-01'`
                Matcher type = TYPE_OF_TEXT.matcher(out);
                out.setLength(type.find() ? type.start() : out.length());
            }
            String part = text.substring(i, end);
            boolean isComment = c == '-' && end > i + 1 || c == '/' && end > i + 1;
            out.append(names ? "`\"" + part.substring(1, part.length() - 1) + "\"`" : isComment ? " " : part);
            i = end;
        }
        return castsToText(out.toString());
    }

    private static boolean isAfterOperand(StringBuilder out) {
        String before = out.toString().trim();
        char last = before.isEmpty() ? '(' : before.charAt(before.length() - 1);
        return Character.isLetterOrDigit(last) || last == '_' || last == ')' || last == ']' || last == '\'' || last == '`';
    }

    /** The text with the type of each CAST as STRING: databases have types unknown to Spark. */
    private static String castsToText(String text) {
        StringBuilder out = new StringBuilder();
        ArrayDeque open = new ArrayDeque(); // by parenthesis: index of its CAST's AS; -1 before AS, -2 without CAST
        Matcher word = WORD.matcher(text);
        for (int i = 0; i < text.length();) {
            char c = text.charAt(i);
            int end = c == '\'' || c == '`' ? text.indexOf(c, i + 1) + 1 : i + 1;
            if (Character.isLetter(c) && word.region(i, text.length()).lookingAt()) {
                end = word.end();
                boolean isOfCast = !open.isEmpty() && ((Integer) open.peek()).intValue() > -2;
                if (isOfCast && word.group().equalsIgnoreCase("as")) {
                    open.pop();
                    open.push(Integer.valueOf(out.length()));
                }
            } else if (c == '(') {
                open.push(Integer.valueOf(CAST.matcher(out).find() ? -1 : -2));
            } else if (c == ')' && !open.isEmpty()) {
                int type = ((Integer) open.pop()).intValue();
                if (type >= 0) {
                    out.setLength(type);
                    out.append("AS STRING");
                }
            }
            out.append(text, i, end);
            i = end;
        }
        return out.toString();
    }

    private static int endOf(String text, String mark, int from) {
        int end = text.indexOf(mark, from);
        return end < 0 ? text.length() : end + mark.length();
    }
}
