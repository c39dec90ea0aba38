package io.sluice.tier.hdfs;

import java.util.concurrent.atomic.AtomicBoolean;

/** The connection over which one file is used, for as long as it is; closing again is harmless. */
final class FileAccess implements AutoCloseable {
  private final HdfsClient client;
  private final Runnable end;
  private final AtomicBoolean ended = new AtomicBoolean();

  FileAccess(HdfsClient client, Runnable end) {
    this.client = client;
    this.end = end;
  }

  /** Over a connection that is there anyway. */
  static FileAccess over(HdfsClient client) {
    return new FileAccess(client, () -> {});
  }

  HdfsClient client() {
    return client;
  }

  @Override
  public void close() {
    if (ended.compareAndSet(false, true)) {
      end.run();
    }
  }
}
