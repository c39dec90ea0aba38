package io.sluice.server.disk;

import java.util.Locale;

/**
 * What a disk is made of, as its operator declares it. Never guessed: the kernel's rotational flag
 * is wrong behind RAID controllers, hypervisors and network disks.
 */
public enum DiskClass {
  /** Flash: small accesses cost little, a few MiB at a time reach its bandwidth. */
  SSD,
  /** A spindle: every access costs about 8 ms, so accesses must be large and few. */
  HDD;

  /** How the configuration writes it. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
