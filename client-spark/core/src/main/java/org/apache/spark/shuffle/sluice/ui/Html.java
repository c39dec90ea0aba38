package org.apache.spark.shuffle.sluice.ui;

/** HTML that is put together; all that is given as text is escaped. Used by one thread. */
final class Html {
  private final StringBuilder html = new StringBuilder(4096);

  /** Our own markup, as it is. */
  Html raw(String markup) {
    html.append(markup);
    return this;
  }

  /** Somebody's text. */
  Html text(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '&':
          html.append("&amp;");
          break;
        case '<':
          html.append("&lt;");
          break;
        case '>':
          html.append("&gt;");
          break;
        case '"':
          html.append("&quot;");
          break;
        case '\'':
          html.append("&#39;");
          break;
        default:
          // Control characters have no place in a page.
          html.append(c < ' ' && c != '\n' && c != '\t' ? ' ' : c);
          break;
      }
    }
    return this;
  }

  /** An element without attributes. */
  Html element(String name, String text) {
    return raw("<" + name + ">").text(text).raw("</" + name + ">");
  }

  /** A cell of a table with a figure in it. */
  Html figure(String text) {
    return raw("<td style=\"text-align:right\">").text(text).raw("</td>");
  }

  /** An item of a list: what it is, and that. */
  Html item(String label, String text) {
    return raw("<li><strong>").text(label).raw(":</strong> ").text(text).raw("</li>\n");
  }

  /** Begins a table in Spark's style. */
  Html table(String... heads) {
    raw("<table class=\"table table-bordered table-sm table-striped\">\n<thead><tr>");
    for (String head : heads) {
      element("th", head);
    }
    return raw("</tr></thead>\n<tbody>\n");
  }

  /** Ends it. */
  Html endTable() {
    return raw("</tbody>\n</table>\n");
  }

  @Override
  public String toString() {
    return html.toString();
  }
}
