package org.apache.spark.shuffle.sluice.line;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.apache.spark.TaskContext;
import org.jspecify.annotations.Nullable;
import scala.Function2;
import scala.runtime.BoxedUnit;

/**
 * Word of tasks that are killed, with an interrupt or without. From 4.2 on Spark tells who listens
 * ({@code TaskContext.addTaskInterruptListener}); the lines before it only set what {@code
 * TaskContext.isInterrupted} says. Found by name, once, when this class is initialised.
 * Thread-safe.
 */
public final class TaskKills {
  private static final @Nullable Method LISTEN = find();

  private TaskKills() {}

  private static @Nullable Method find() {
    try {
      return TaskContext.class.getMethod("addTaskInterruptListener", Function2.class);
    } catch (NoSuchMethodException e) {
      return null;
    }
  }

  /** Whether this Spark tells. */
  public static boolean areTold() {
    return LISTEN != null;
  }

  /**
   * Has something run when a task is killed, at once if it has been; never where kills are not
   * told. It is kept until the task ends.
   *
   * @param action run by whoever kills the task, so it must not wait; perhaps more than once
   */
  public static void tell(TaskContext task, Runnable action) {
    if (LISTEN == null) {
      return;
    }
    Function2<TaskContext, String, BoxedUnit> listener =
        (killed, reason) -> {
          action.run();
          return BoxedUnit.UNIT;
        };
    try {
      LISTEN.invoke(task, listener);
    } catch (InvocationTargetException | IllegalAccessException e) {
      throw new IllegalStateException(LISTEN + " failed", e);
    }
  }
}
