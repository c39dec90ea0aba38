package org.apache.spark.shuffle.sluice.ui35;

import org.apache.spark.shuffle.sluice.line.SparkLine;
import org.apache.spark.shuffle.sluice.line.TabPage;
import org.apache.spark.shuffle.sluice.line.UiLine;
import org.apache.spark.ui.SparkUITab;
import org.apache.spark.ui.WebUIPage;

/** Spark 3.5: servlets of {@code javax}. */
public final class JavaxUi implements UiLine {
  @Override
  public String name() {
    return "3.5";
  }

  @Override
  public boolean covers(String sparkVersion) {
    return SparkLine.isOf(sparkVersion, "3.5");
  }

  @Override
  public WebUIPage page(SparkUITab tab, TabPage page) {
    return new JavaxPage(tab, page);
  }
}
