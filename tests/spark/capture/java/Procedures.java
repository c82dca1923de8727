package headwater.tests;

import java.util.Collections;
import java.util.Iterator;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.catalog.DefaultValue;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.ProcedureCatalog;
import org.apache.spark.sql.connector.catalog.procedures.BoundProcedure;
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter;
import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** Procedures of two texts, which do nothing: Spark 4 calls them as it calls Iceberg's. */
public class Procedures implements ProcedureCatalog {
    private String name;

    public void initialize(String name, CaseInsensitiveStringMap options) {
        this.name = name;
    }

    public String name() {
        return name;
    }

    public Identifier[] listProcedures(String[] namespace) {
        return new Identifier[0];
    }

    public UnboundProcedure loadProcedure(Identifier identifier) {
        return new Nothing(identifier.name());
    }

    /** A procedure that does nothing. */
    public static class Nothing implements UnboundProcedure, BoundProcedure {
        private final String name;

        public Nothing(String name) {
            this.name = name;
        }

        public String name() {
            return name;
        }

        public String description() {
            return name;
        }

        public BoundProcedure bind(StructType types) {
            return this;
        }

        public ProcedureParameter[] parameters() {
            return new ProcedureParameter[] {new Text("table"), new Text("source_table")};
        }

        public boolean isDeterministic() {
            return false;
        }

        public Iterator call(InternalRow row) {
            return Collections.emptyIterator();
        }
    }

    /** A text, which may be left out. */
    public static class Text implements ProcedureParameter {
        private final String name;

        public Text(String name) {
            this.name = name;
        }

        public Mode mode() {
            return Mode.IN;
        }

        public String name() {
            return name;
        }

        public DataType dataType() {
            return DataTypes.StringType;
        }

        public DefaultValue defaultValue() {
            return new DefaultValue("''");
        }

        public String comment() {
            return null;
        }
    }
}
