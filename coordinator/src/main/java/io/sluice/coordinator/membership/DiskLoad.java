package io.sluice.coordinator.membership;

/**
 * One disk of a server; sizes in bytes.
 *
 * @param fileSystem disks of a server with the same one share capacity and free bytes
 * @param tier as the server calls it: ssd, hdd, hdfs; empty if it does not say
 */
public record DiskLoad(
    String path, long capacity, long free, boolean healthy, String fileSystem, String tier) {

  public DiskLoad(String path, long capacity, long free, boolean healthy, String fileSystem) {
    this(path, capacity, free, healthy, fileSystem, "");
  }

  /** A disk that shares nothing with others. */
  public DiskLoad(String path, long capacity, long free, boolean healthy) {
    this(path, capacity, free, healthy, path);
  }
}
