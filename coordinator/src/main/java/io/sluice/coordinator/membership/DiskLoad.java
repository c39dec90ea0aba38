package io.sluice.coordinator.membership;

/**
 * One disk of a server; sizes in bytes.
 *
 * @param fileSystem disks of a server with the same one share capacity and free bytes
 * @param healthy whether it takes writes
 * @param tier as the server calls it: ssd, hdd, hdfs; empty if it does not say
 */
public record DiskLoad(
    String path,
    long capacity,
    long free,
    boolean healthy,
    String fileSystem,
    String tier,
    Traffic traffic) {
  /** Since the server's start. */
  public record Traffic(long written, long read) {
    /** Of a server that does not say. */
    static final Traffic UNKNOWN = new Traffic(0, 0);
  }

  public DiskLoad(String path, long capacity, long free, boolean healthy, String fileSystem) {
    this(path, capacity, free, healthy, fileSystem, "", Traffic.UNKNOWN);
  }

  /** A disk that shares nothing with others. */
  public DiskLoad(String path, long capacity, long free, boolean healthy) {
    this(path, capacity, free, healthy, path);
  }
}
