package io.sluice.server.segment;

import io.sluice.common.error.SluiceException;
import io.sluice.server.disk.DiskWatch;
import io.sluice.server.disk.IoMeter;
import java.util.function.Consumer;

/**
 * The accesses to a disk that one unit takes, one after the other: how long one may be under way is
 * for each of them. Used by one thread.
 */
final class UnitAccess implements AutoCloseable {
  private final DiskWatch watch;
  private final Consumer<SluiceException> onFailure;
  private IoMeter.Access underWay;

  /**
   * The first begins.
   *
   * @param onFailure told when the unit has failed
   */
  UnitAccess(DiskWatch watch, Consumer<SluiceException> onFailure) {
    this.watch = watch;
    this.onFailure = onFailure;
    this.underWay = watch.begin(IoMeter.Kind.WRITE);
  }

  /**
   * The unit has failed. What is done about it begins now, is an access of its own, and nobody
   * waits for it.
   */
  void failed(SluiceException why) {
    underWay.end();
    onFailure.accept(why);
    underWay = watch.begin(IoMeter.Kind.WRITE);
  }

  /** The last has ended; again is harmless. */
  @Override
  public void close() {
    underWay.end();
  }
}
