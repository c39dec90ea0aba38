package org.apache.spark.shuffle.sluice.ui;

import java.util.List;
import org.apache.spark.shuffle.sluice.line.TabPage;
import org.apache.spark.shuffle.sluice.line.UiLine;
import org.apache.spark.ui.SparkUI;
import org.apache.spark.ui.SparkUITab;

/** The tab as Spark knows it: its name is made of its path. */
final class SluiceTab extends SparkUITab {
  private static final String PATH = "sluice";

  SluiceTab(SparkUI ui, UiLine line, List<TabPage> pages) {
    super(ui, PATH);
    pages.forEach(page -> attachPage(line.page(this, page)));
  }
}
