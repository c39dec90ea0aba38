package org.apache.spark.shuffle.sluice.line;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.apache.spark.ui.SparkUITab;
import org.apache.spark.ui.UIUtils;
import scala.Function0;
import scala.Option;
import scala.collection.Seq;
import scala.collection.immutable.List;
import scala.collection.immutable.List$;
import scala.xml.Node;
import scala.xml.Unparsed;

/**
 * Spark's own frame around a page: {@code UIUtils.headerSparkPage}, whose signature is another for
 * each Scala (its {@code Seq}), each servlet API, and from 4.2 on (one switch more). Four shims for
 * one call would be compiled; it is found by name instead, once, when this class is initialised,
 * which {@code LinkageTest} does on every line.
 */
public final class SparkHeader {
  /** Request, title, content, tab, help. What follows are switches, of which we want none. */
  private static final int ARGUMENTS = 5;

  private static final Method METHOD = find();

  private SparkHeader() {}

  private static Method find() {
    for (Method method : UIUtils.class.getMethods()) {
      Class<?>[] types = method.getParameterTypes();
      if (method.getName().equals("headerSparkPage")
          && types.length >= ARGUMENTS
          && types[1] == String.class
          && types[2] == Function0.class
          && types[3] == SparkUITab.class
          && types[4] == Option.class
          && Arrays.stream(types, ARGUMENTS, types.length).allMatch(type -> type == boolean.class)
          && Seq.class.isAssignableFrom(method.getReturnType())) {
        return method;
      }
    }
    throw new IllegalStateException("this Spark has no headerSparkPage as we know it");
  }

  /**
   * Finds Spark's method, if that was not done before.
   *
   * @throws LinkageError if it is not there
   */
  public static void check() {
    // Initialising this class does it.
  }

  /**
   * A whole page.
   *
   * @param request the servlet API's, of the line
   * @param html what stands below the header
   */
  @SuppressWarnings("unchecked") // Nodes are all that the method gives.
  public static List<Node> around(Object request, String title, String html, SparkUITab tab) {
    Function0<List<Node>> content = () -> List$.MODULE$.<Node>empty().$colon$colon(node(html));
    Object[] arguments = new Object[METHOD.getParameterCount()];
    Arrays.fill(arguments, false);
    arguments[0] = request;
    arguments[1] = title;
    arguments[2] = content;
    arguments[3] = tab;
    arguments[4] = Option.empty();
    try {
      return ((Seq<Node>) METHOD.invoke(null, arguments)).toList();
    } catch (InvocationTargetException e) {
      throw new IllegalStateException("Spark made no page", e.getCause());
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("Spark's pages are not to be had", e);
    }
  }

  private static Node node(String html) {
    return new Unparsed(html);
  }
}
