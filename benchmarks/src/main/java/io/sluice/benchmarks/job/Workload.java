package io.sluice.benchmarks.job;

import static org.apache.spark.sql.functions.call_function;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.explode;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.lower;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.pmod;
import static org.apache.spark.sql.functions.split;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.when;

import io.sluice.cli.spark.JobRequest;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import scala.Tuple2;

/** A job with one shuffle or more, as a user would write it. */
enum Workload {
  /** Every row to a partition by its hash: nothing but a shuffle. */
  REPARTITION {
    @Override
    Dataset<Row> plan(SparkSession spark, JobRequest request) {
      return RowSource.wide(spark, request).repartition(request.partitions(), col("key"));
    }
  },

  /** 100-byte records by their 10-byte key; Spark samples the input first to cut the ranges. */
  SORT {
    @Override
    Dataset<Row> plan(SparkSession spark, JobRequest request) {
      return RowSource.records(spark, request).sort(col("key"));
    }

    @Override
    Dataset<Row> input(SparkSession spark, JobRequest request) {
      return RowSource.records(spark, request);
    }

    @Override
    boolean sortsByFirstColumn() {
      return true;
    }
  },

  /**
   * Wide rows with a tenth as many others by sort-merge join, then a sum for each of 100 regions.
   */
  JOIN {
    @Override
    Dataset<Row> plan(SparkSession spark, JobRequest request) {
      return totalsByRegion(spark, request, pmod(col("key"), lit(others(request))));
    }
  },

  /** The same join, but six of ten rows have the same key, and so are of one partition. */
  SKEW {
    @Override
    Dataset<Row> plan(SparkSession spark, JobRequest request) {
      Column even = pmod(col("key"), lit(others(request)));
      Column skewed = when(pmod(col("id"), lit(10L)).lt(6), lit(0L)).otherwise(even);
      return totalsByRegion(spark, request, skewed);
    }
  },

  /** Sums for each of 1,000 groups: a large input, a tiny shuffle. */
  AGG {
    @Override
    Dataset<Row> plan(SparkSession spark, JobRequest request) {
      Dataset<Row> rows = RowSource.wide(spark, request);
      return rows.groupBy(pmod(col("key"), lit(1000L)).as("group"))
          .agg(count(lit(1)).as("rows"), sum(hashOf(rows.columns())).as("total"), max("id"));
    }
  },

  /** Sums of objects by key, as jobs of RDDs have them: of each key two twos, in different maps. */
  REDUCE {
    @Override
    Dataset<Row> plan(SparkSession spark, JobRequest request) {
      return rowsOf(spark, sumsByKey(spark, request));
    }

    @Override
    Dataset<Row> input(SparkSession spark, JobRequest request) {
      return numbers(spark, request).toDF();
    }
  },

  /** The same, but their shuffle is cleaned, as loops of MLlib do, before it is used once more. */
  REUSED {
    @Override
    Dataset<Row> plan(SparkSession spark, JobRequest request) {
      JavaPairRDD<Long, Long> sums = sumsByKey(spark, request);
      sums.count();
      sums.rdd().cleanShuffleDependencies(true);
      return rowsOf(spark, sums);
    }

    @Override
    Dataset<Row> input(SparkSession spark, JobRequest request) {
      return numbers(spark, request).toDF();
    }
  },

  /** One small shuffle after the other, of a thousand rows each: what a shuffle costs at all. */
  TINY {
    @Override
    Stream<Dataset<Row>> plans(SparkSession spark, JobRequest request) {
      return LongStream.range(0, Math.max(1, request.rows() / TINY_ROWS))
          .mapToObj(shuffle -> tiny(spark, request, shuffle));
    }

    @Override
    Dataset<Row> plan(SparkSession spark, JobRequest request) {
      return tiny(spark, request, 0);
    }
  },

  /** Counts the words of a text. */
  WORDCOUNT {
    @Override
    Dataset<Row> plan(SparkSession spark, JobRequest request) {
      return input(spark, request)
          .select(explode(split(lower(col("value")), "[^a-z]+")).as("word"))
          .where(col("word").notEqual(""))
          .groupBy("word")
          .count();
    }

    @Override
    Dataset<Row> input(SparkSession spark, JobRequest request) {
      var lines =
          JavaSparkContext.fromSparkContext(spark.sparkContext())
              .textFile(request.text(), request.maps());
      return spark.createDataset(lines.rdd(), Encoders.STRING()).toDF();
    }
  };

  private static final long TINY_ROWS = 1_000;

  /** Scatters keys, of which there are never a multiple. */
  private static final long PRIME = 1_000_003;

  /** The jobs of a run, each made when the one before has ended. */
  Stream<Dataset<Row>> plans(SparkSession spark, JobRequest request) {
    return Stream.of(plan(spark, request));
  }

  /** The rows a job asks for; nothing is computed yet but what Spark samples to plan. */
  abstract Dataset<Row> plan(SparkSession spark, JobRequest request);

  /** The rows that the shuffle gets, read by no shuffle: what a run costs before it begins. */
  Dataset<Row> input(SparkSession spark, JobRequest request) {
    return RowSource.wide(spark, request);
  }

  /** Whether the result must come in ascending unsigned order of its first, binary, column. */
  boolean sortsByFirstColumn() {
    return false;
  }

  static Workload named(String name) {
    return Stream.of(values())
        .filter(workload -> workload.name().equalsIgnoreCase(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no workload "
                        + name
                        + "; there are "
                        + Arrays.toString(values()).toLowerCase(Locale.ROOT)));
  }

  private static long others(JobRequest request) {
    return Math.max(1, request.rows() / 10);
  }

  private static Dataset<Long> numbers(SparkSession spark, JobRequest request) {
    return spark.range(0, request.rows(), 1, request.maps());
  }

  private static JavaPairRDD<Long, Long> sumsByKey(SparkSession spark, JobRequest request) {
    long keys = Math.max(1, request.rows() / 4);
    return numbers(spark, request)
        .toJavaRDD()
        .mapToPair(id -> new Tuple2<>(id / 2 * PRIME % keys, id))
        .reduceByKey(Long::sum, request.partitions());
  }

  private static Dataset<Row> rowsOf(SparkSession spark, JavaPairRDD<Long, Long> sums) {
    return spark.createDataFrame(
        sums.map(sum -> RowFactory.create(sum._1(), sum._2())),
        new StructType().add("key", DataTypes.LongType).add("sum", DataTypes.LongType));
  }

  /** Facts, by what {@code other} makes of them, with their regions, and a sum for each region. */
  private static Dataset<Row> totalsByRegion(SparkSession spark, JobRequest request, Column other) {
    Dataset<Row> facts = RowSource.wide(spark, request).withColumn("other", other);
    Dataset<Row> sides = RowSource.dimension(spark, others(request), request.maps());
    Dataset<Row> joined = facts.join(sides.hint("merge"), "other");
    // The hash takes every column in, so that none is pruned before the shuffle.
    return joined
        .groupBy(col("region"))
        .agg(count(lit(1)).as("rows"), sum(hashOf(joined.columns())).as("total"));
  }

  private static Dataset<Row> tiny(SparkSession spark, JobRequest request, long shuffle) {
    return spark
        .range(shuffle * TINY_ROWS, (shuffle + 1) * TINY_ROWS, 1, request.maps())
        .toDF()
        .repartition(request.partitions(), col("id"));
  }

  private static Column hashOf(String[] columns) {
    return call_function(
        "xxhash64", Stream.of(columns).map(name -> col(name)).toArray(Column[]::new));
  }
}
