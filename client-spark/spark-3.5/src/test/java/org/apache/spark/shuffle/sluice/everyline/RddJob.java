package org.apache.spark.shuffle.sluice.everyline;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.shuffle.sluice.LocalSpark;
import scala.Tuple2;

/**
 * The program of {@link WithoutSparkSqlTest}: shuffles of RDDs, written in each way that we have.
 */
final class RddJob {
  /** What it prints if all went well. */
  static final String DONE = "shuffled without Spark SQL";

  private static final int NUMBERS = 10_000;

  private RddJob() {}

  public static void main(String[] args) {
    require(!isThere("org.apache.spark.sql.catalyst.expressions.UnsafeRow"), "Spark SQL is there");
    run("org.apache.spark.serializer.JavaSerializer");
    run("org.apache.spark.serializer.KryoSerializer");
    System.out.println(DONE);
  }

  private static void run(String serializer) {
    SparkConf conf =
        LocalSpark.conf("local[2]")
            .set("spark.shuffle.manager", HeapShuffleManager.class.getName())
            .set("spark.sluice.coordinator.quorum", "localhost:1")
            .set("spark.serializer", serializer);
    try (JavaSparkContext spark = new JavaSparkContext(conf)) {
      List<Integer> numbers = IntStream.range(0, NUMBERS).boxed().collect(Collectors.toList());
      JavaPairRDD<Integer, Integer> pairs =
          spark.parallelize(numbers, 3).mapToPair(number -> new Tuple2<>(number % 100, number));
      require(pairs.reduceByKey(Integer::sum, 4).count() == 100, "combined");
      require(pairs.partitionBy(new HashPartitioner(4)).count() == NUMBERS, "dealt out");
      require(pairs.sortByKey(false).first()._1() == 99, "sorted");
    }
  }

  private static boolean isThere(String name) {
    try {
      Class.forName(name, false, RddJob.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new IllegalStateException(what);
    }
  }
}
