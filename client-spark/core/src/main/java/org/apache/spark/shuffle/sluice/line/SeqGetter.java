package org.apache.spark.shuffle.sluice.line;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import scala.collection.Iterator;
import scala.collection.Seq;

/**
 * A method of Spark that gives a {@code Seq}. Scala 2.12 and 2.13 mean another type by that name,
 * so a call that was compiled for one is not there in the other. It is found by name, where it is
 * made: in a static field, so that {@code LinkageTest} sees on every line whether it is there. For
 * what is asked seldom. Thread-safe.
 */
public final class SeqGetter {
  private final Method method;

  private SeqGetter(Method method) {
    this.method = method;
  }

  /**
   * Finds a public method without parameters.
   *
   * @throws IllegalStateException if it is not there, or gives something else
   */
  public static SeqGetter of(Class<?> type, String name) {
    Method method;
    try {
      method = type.getMethod(name);
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException("this Spark has no " + type.getName() + "." + name, e);
    }
    if (!Seq.class.isAssignableFrom(method.getReturnType())) {
      throw new IllegalStateException("not a Seq: " + method);
    }
    return new SeqGetter(method);
  }

  /** What the method of an object of that type gives, if its elements are of a type. */
  public <T> List<T> get(Object of, Class<T> elements) {
    Object given;
    try {
      given = method.invoke(of);
    } catch (InvocationTargetException | IllegalAccessException e) {
      throw new IllegalStateException(method + " failed", e);
    }
    List<T> all = new ArrayList<>();
    for (Iterator<?> each = ((Seq<?>) given).iterator(); each.hasNext(); ) {
      all.add(elements.cast(each.next()));
    }
    return all;
  }
}
