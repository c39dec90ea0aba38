package io.sluice.benchmarks.spark.tpc;

import java.io.Serializable;
import java.util.Iterator;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;

/** One table of a suite, which can be made in parts. Travels to tasks. */
interface TpcTable extends Serializable {

  /** As the queries call it. */
  String name();

  StructType schema();

  /**
   * The rows of one part; the same whenever they are asked for.
   *
   * @param scale factor, 1 for about a gigabyte
   * @param part from 1 on
   * @param parts in all
   */
  Iterator<Row> rows(double scale, int part, int parts);
}
