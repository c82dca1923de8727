package io.github.spark_redshift_community.spark.redshift;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.CreatableRelationProvider;
import org.apache.spark.sql.sources.RelationProvider;
import org.apache.spark.sql.types.StructType;
import scala.collection.immutable.Map;

/** A stand-in for Redshift's package, whose jar the tests do not have: its classes, and the methods that are read of them. */
public class DefaultSource implements RelationProvider, CreatableRelationProvider {
    public BaseRelation createRelation(SQLContext context, Map options) {
        return new RedshiftRelation(context, new MergedParameters(options));
    }

    public BaseRelation createRelation(SQLContext context, SaveMode mode, Map options, Dataset rows) {
        return new RedshiftRelation(context, new MergedParameters(options));
    }

    static class MergedParameters {
        private final Map parameters;

        public MergedParameters(Map parameters) {
            this.parameters = parameters;
        }

        public Map parameters() {
            return parameters;
        }
    }
}

class RedshiftRelation extends BaseRelation {
    private final SQLContext context;
    private final DefaultSource.MergedParameters params;

    RedshiftRelation(SQLContext context, DefaultSource.MergedParameters params) {
        this.context = context;
        this.params = params;
    }

    public SQLContext sqlContext() {
        return context;
    }

    public StructType schema() {
        return StructType.fromDDL("carrier STRING, flight INT");
    }

    public DefaultSource.MergedParameters params() {
        return params;
    }
}
