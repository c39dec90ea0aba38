package org.apache.spark.shuffle.sluice.line;

import org.jspecify.annotations.Nullable;

/**
 * What Spark tells by whether a map that ran again wrote the same rows: for each partition a
 * checksum over them that does not depend on their order. Where they differ Spark runs again what
 * has read the old ones. Used by one map attempt, on its task's thread.
 */
public interface RowChecksums {
  /** For shuffles that Spark wants none of, and for lines without. */
  RowChecksums NONE =
      new RowChecksums() {
        @Override
        public void update(int partition, @Nullable Object key, @Nullable Object value) {}

        @Override
        public long value() {
          return 0;
        }
      };

  /** Takes in a record as the map gave it, before anything is combined. */
  void update(int partition, @Nullable Object key, @Nullable Object value);

  /** Over all partitions, of all records so far; 0 says that there is no checksum. */
  long value();
}
