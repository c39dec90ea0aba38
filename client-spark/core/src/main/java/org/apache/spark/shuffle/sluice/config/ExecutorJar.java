package org.apache.spark.shuffle.sluice.config;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Path;
import java.security.CodeSource;
import org.apache.spark.SparkConf;
import org.jspecify.annotations.Nullable;

/**
 * Whether executors will have the jar of this client when they make their shuffle manager. One that
 * does not have it ends at once, is started again, and so on for ever, while the job waits and its
 * driver logs no more than that no resources were accepted. So the driver refuses to start where
 * nothing says how executors are to find it.
 *
 * <p>Spark 3.5 makes the manager before it has fetched the jars of {@code spark.jars}, {@code
 * --jars} and {@code --packages}, later lines afterwards (docs/spark-lines.md).
 */
public final class ExecutorJar {
  private static final String EXECUTOR_CLASS_PATH = "spark.executor.extraClassPath";
  private static final String DRIVER_CLASS_PATH = "spark.driver.extraClassPath";
  private static final String JARS = "spark.jars";

  private ExecutorJar() {}

  /**
   * Looks at the driver's configuration and at where its own classes came from.
   *
   * @param sparkVersion such as 3.5.9
   * @param manager the class that Spark was told to make
   * @throws SluiceException INVALID_CONFIGURATION with what to set
   */
  public static void check(SparkConf conf, String sparkVersion, Class<?> manager) {
    if (DriverSettings.isOneProcess(conf.get("spark.master", ""))
        || !conf.get(EXECUTOR_CLASS_PATH, "").isBlank()) {
      return;
    }
    boolean fetchedInTime = !sparkVersion.startsWith("3.");
    if (!fetchedInTime && !isOnClassPath(manager)) {
      throw refusal(
          "executors of Spark "
              + sparkVersion
              + " make their shuffle manager before they have the jars of spark.jars, --jars and"
              + " --packages, where this driver has it from");
    }
    boolean fetched = fetchedInTime && !conf.get(JARS, "").isBlank();
    if (!fetched && isListed(conf.get(DRIVER_CLASS_PATH, ""), manager)) {
      throw refusal("only the driver has the shuffle manager, from " + DRIVER_CLASS_PATH);
    }
  }

  private static SluiceException refusal(String why) {
    return new SluiceException(
        ErrorCode.INVALID_CONFIGURATION,
        why
            + "; set "
            + EXECUTOR_CLASS_PATH
            + " to the path that the jar of Sluice's client has on the machines of executors");
  }

  /** What Spark was started with, its own folder of jars included, and not added to it later. */
  private static boolean isOnClassPath(Class<?> manager) {
    ClassLoader system = ClassLoader.getSystemClassLoader();
    return system.getResource(manager.getName().replace('.', '/') + ".class") != null;
  }

  /** Whether a class came from an entry of a class path, which may be a folder of jars. */
  private static boolean isListed(String classPath, Class<?> manager) {
    Path jar = jar(manager);
    if (jar == null || classPath.isBlank()) {
      return false;
    }
    String folder = jar.getParent() + File.separator + "*";
    for (String entry : classPath.split(File.pathSeparator, -1)) {
      if (entry.equals(folder) || Path.of(entry).toAbsolutePath().normalize().equals(jar)) {
        return true;
      }
    }
    return false;
  }

  /** Where a class came from; null if that is no file. */
  private static @Nullable Path jar(Class<?> manager) {
    CodeSource source = manager.getProtectionDomain().getCodeSource();
    if (source == null || source.getLocation() == null) {
      return null;
    }
    try {
      return Path.of(source.getLocation().toURI()).toAbsolutePath().normalize();
    } catch (URISyntaxException | FileSystemNotFoundException | IllegalArgumentException noFile) {
      return null;
    }
  }
}
