package io.sluice.examples;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.explode;
import static org.apache.spark.sql.functions.lower;
import static org.apache.spark.sql.functions.split;

import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Counts the words of a text and prints those that occur most often: one shuffle to count, one to
 * sort.
 */
public final class SparkWordCount {
  private static final int SHOWN = 10;

  private SparkWordCount() {}

  /**
   * @param args the text: a file or directory, as Spark reads it
   */
  public static void main(String[] args) {
    if (args.length != 1) {
      System.err.println("Usage: SparkWordCount TEXT");
      System.exit(64);
    }
    try (SparkSession spark = SparkSession.builder().appName("word count").getOrCreate()) {
      List<Row> words =
          spark
              .read()
              .text(args[0])
              .select(explode(split(lower(col("value")), "[^a-z]+")).as("word"))
              .where(col("word").notEqual(""))
              .groupBy("word")
              .count()
              .sort(col("count").desc(), col("word"))
              .takeAsList(SHOWN);
      words.forEach(row -> System.out.println(row.getLong(1) + "\t" + row.getString(0)));
    }
  }
}
