package org.apache.spark.shuffle.sluice.line;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.apache.spark.ui.SparkUITab;
import org.apache.spark.ui.WebUIPage;

/**
 * Pages of Spark's UI, whose requests are servlets' of {@code javax} or of {@code jakarta}. Found
 * as {@link SparkLine} is, and apart from it: the lines are others, and a Spark whose UI is not to
 * be had runs its jobs all the same. Immutable, thread-safe.
 */
public interface UiLine {
  /** For messages, such as "3.5". */
  String name();

  /** Whether this line covers a Spark version such as "3.5.9". */
  boolean covers(String sparkVersion);

  /** A page for Spark, not yet attached to its tab. */
  WebUIPage page(SparkUITab tab, TabPage page);

  /**
   * The line for a running Spark.
   *
   * @throws SluiceException INVALID_CONFIGURATION if none of those on the class path covers it
   */
  static UiLine of(String sparkVersion) {
    List<String> known = new ArrayList<>();
    for (UiLine line : ServiceLoader.load(UiLine.class, UiLine.class.getClassLoader())) {
      if (line.covers(sparkVersion)) {
        return line;
      }
      known.add(line.name());
    }
    throw new SluiceException(
        ErrorCode.INVALID_CONFIGURATION,
        "this Sluice jar has pages for the UI of Spark "
            + known
            + ", but Spark is "
            + sparkVersion);
  }
}
