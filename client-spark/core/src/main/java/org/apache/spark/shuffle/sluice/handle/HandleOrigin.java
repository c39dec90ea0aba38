package org.apache.spark.shuffle.sluice.handle;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.security.CodeSource;
import org.apache.spark.shuffle.ShuffleHandle;

/**
 * Whose a task's handle is: ours, or Spark's own, which a local shuffle has.
 *
 * <p>One that only has our name is of a second copy of this client, which another class loader has.
 * Spark's own manager would take it for one of its own, and the shuffle would go through the disks
 * of executors, though the driver has placed it, counts on its outputs to outlive executors and
 * says so to whoever looks.
 */
public final class HandleOrigin {
  private HandleOrigin() {}

  /**
   * Whether the shuffle is in Sluice; else Spark's own manager serves it.
   *
   * @throws SluiceException INVALID_CONFIGURATION if there are two copies of this client
   */
  public static boolean isOurs(ShuffleHandle handle) {
    if (handle instanceof SluiceShuffleHandle) {
      return true;
    }
    if (handle.getClass().getName().equals(SluiceShuffleHandle.class.getName())) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION,
          "there are two copies of Sluice's client here, and shuffle "
              + handle.shuffleId()
              + " is known to one of them: the shuffle manager is of "
              + origin(SluiceShuffleHandle.class)
              + ", the task of "
              + origin(handle.getClass())
              + ". So it is where the jar is on spark.executor.extraClassPath, or in Spark's own"
              + " folder of jars, as well as in spark.jars, --jars or --packages, and"
              + " spark.executor.userClassPathFirst is true: set that to false, or have the jar in"
              + " one of these places only");
    }
    return false;
  }

  /** By which class loader a class is there, and where that has it from, as far as it says so. */
  private static String origin(Class<?> type) {
    CodeSource source = type.getProtectionDomain().getCodeSource();
    String place =
        source == null || source.getLocation() == null ? "" : " (" + source.getLocation() + ")";
    return type.getClassLoader() + place;
  }
}
