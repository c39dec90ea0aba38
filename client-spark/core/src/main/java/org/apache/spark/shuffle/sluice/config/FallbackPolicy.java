package org.apache.spark.shuffle.sluice.config;

/** When a shuffle goes through Spark's own shuffle instead. */
public enum FallbackPolicy {
  /** Never: what Sluice does not take fails. */
  NEVER,
  /** If coordinators refuse it or cannot be reached, or if it has few partitions. */
  AUTO,
  /** Always: coordinators are not asked, and nothing is set in Spark. */
  ALWAYS
}
