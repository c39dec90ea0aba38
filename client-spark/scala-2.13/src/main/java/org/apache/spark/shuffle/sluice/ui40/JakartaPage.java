package org.apache.spark.shuffle.sluice.ui40;

import com.fasterxml.jackson.core.JsonProcessingException;
import jakarta.servlet.http.HttpServletRequest;
import org.apache.spark.shuffle.sluice.line.SparkHeader;
import org.apache.spark.shuffle.sluice.line.TabPage;
import org.apache.spark.ui.SparkUITab;
import org.apache.spark.ui.WebUIPage;
import org.json4s.JValue;
import org.json4s.jackson.JsonMethods$;
import scala.collection.immutable.Seq;
import scala.xml.Node;

/** A page behind the seam of Spark 4.x. */
final class JakartaPage extends WebUIPage {
  private final SparkUITab tab;
  private final TabPage page;

  JakartaPage(SparkUITab tab, TabPage page) {
    super(page.path());
    this.tab = tab;
    this.page = page;
  }

  @Override
  public Seq<Node> render(HttpServletRequest request) {
    String html = page.html(request::getParameter);
    return SparkHeader.around(request, page.title(), html, tab);
  }

  @Override
  public JValue renderJson(HttpServletRequest request) {
    String json = page.json(request::getParameter);
    try {
      return JsonMethods$.MODULE$.mapper().readValue(json, JValue.class);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("not JSON: " + json, e);
    }
  }
}
