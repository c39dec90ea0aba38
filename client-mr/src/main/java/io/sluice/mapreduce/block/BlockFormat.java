package io.sluice.mapreduce.block;

/**
 * What is in a block of a MapReduce job: one mark, then records. Records of one partition and one
 * filling of the sort buffer are a run: sorted, and cut into blocks one after the other. The mark
 * says whether a block goes on where the attempt's block before it ended, so that readers merge
 * runs and not blocks.
 */
final class BlockFormat {
  static final int MARK_BYTES = 1;
  static final byte RUN_BEGINS = 0;
  static final byte RUN_CONTINUES = 1;

  /**
   * What the header's codec says of a block that the job's codec has compressed; 0: nothing has.
   */
  static final int JOB_CODEC = 1;

  private BlockFormat() {}
}
