package org.apache.spark.shuffle.sluice.line;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A page of a tab in Spark's UI, as text: what is of no line of Spark. Thread-safe; called by the
 * UI's threads, which Spark has let in.
 */
public interface TabPage {
  /** Its place below the tab's; empty for the tab itself. */
  String path();

  /** Not escaped: Spark does that. */
  String title();

  /**
   * What stands below Spark's header, as HTML in which all that is not ours is escaped.
   *
   * @param parameters gives a parameter of the request, null if it has none of that name
   * @throws IllegalArgumentException saying which parameter is wrong, which Spark answers 400 with
   */
  String html(Function<String, @Nullable String> parameters);

  /**
   * The same as a JSON object.
   *
   * @param parameters as for {@link #html}
   * @throws IllegalArgumentException as {@link #html} does
   */
  String json(Function<String, @Nullable String> parameters);
}
