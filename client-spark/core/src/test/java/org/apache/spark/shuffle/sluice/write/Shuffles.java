package org.apache.spark.shuffle.sluice.write;

import java.util.List;
import org.apache.spark.HashPartitioner;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.shuffle.ShuffleWriteProcessor;
import scala.Option;
import scala.Tuple2;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** What Spark's plans know of shuffles. */
final class Shuffles {
  private static final ClassTag<Integer> NUMBER = ClassTag$.MODULE$.apply(Integer.class);
  private static final ClassTag<String> TEXT = ClassTag$.MODULE$.apply(String.class);

  private Shuffles() {}

  /** One that neither combines nor orders. */
  static ShuffleDependency<Integer, String, String> of(
      SparkContext spark, Serializer serializer, int partitions) {
    return new ShuffleDependency<>(
        new JavaSparkContext(spark)
            .parallelize(List.of(1), 1)
            .mapToPair(i -> new Tuple2<>(i, "one"))
            .rdd(),
        new HashPartitioner(partitions),
        serializer,
        Option.empty(),
        Option.empty(),
        false,
        new ShuffleWriteProcessor(),
        NUMBER,
        TEXT,
        TEXT);
  }
}
