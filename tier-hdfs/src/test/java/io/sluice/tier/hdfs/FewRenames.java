package io.sluice.tier.hdfs;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/** A connection to a real HDFS whose namenode answers so many renames and then none. */
public final class FewRenames extends DistributedFileSystem {
  /** Setting of how many. */
  static final String ANSWERED = "sluice.test.renames";

  private final AtomicInteger asked = new AtomicInteger();

  /** For Hadoop, which makes one for each connection. */
  public FewRenames() {}

  @Override
  public boolean rename(Path from, Path to) throws IOException {
    if (asked.incrementAndGet() > getConf().getInt(ANSWERED, 0)) {
      throw new IOException("the namenode does not answer");
    }
    return super.rename(from, to);
  }
}
