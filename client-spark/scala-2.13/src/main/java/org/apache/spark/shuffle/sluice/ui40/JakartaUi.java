package org.apache.spark.shuffle.sluice.ui40;

import java.util.List;
import org.apache.spark.shuffle.sluice.line.SparkLine;
import org.apache.spark.shuffle.sluice.line.TabPage;
import org.apache.spark.shuffle.sluice.line.UiLine;
import org.apache.spark.ui.SparkUITab;
import org.apache.spark.ui.WebUIPage;

/** Spark 4.0 to 4.3: servlets of {@code jakarta}. */
public final class JakartaUi implements UiLine {
  private static final List<String> LINES = List.of("4.0", "4.1", "4.2", "4.3");

  @Override
  public String name() {
    return "4.0 to 4.3";
  }

  @Override
  public boolean covers(String sparkVersion) {
    return LINES.stream().anyMatch(line -> SparkLine.isOf(sparkVersion, line));
  }

  @Override
  public WebUIPage page(SparkUITab tab, TabPage page) {
    return new JakartaPage(tab, page);
  }
}
