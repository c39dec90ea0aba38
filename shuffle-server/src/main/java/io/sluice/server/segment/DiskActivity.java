package io.sluice.server.segment;

import io.sluice.server.cache.ReadActivity;
import io.sluice.server.disk.IoMeter;

/**
 * What a disk has done since start and is doing now.
 *
 * @param io accesses and how long they took
 * @param reads what readers asked for, and how it was found
 * @param fences how often the disk was fenced
 * @param unlinking removed segments whose files are still there
 * @param staged units being filled or written
 */
public record DiskActivity(
    IoMeter.Io io, ReadActivity reads, long fences, int unlinking, int staged) {
  /** Nothing was ever done. */
  public static final DiskActivity NONE =
      new DiskActivity(IoMeter.Io.NONE, ReadActivity.NONE, 0, 0, 0);
}
