package io.sluice.mapreduce.fake;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.mapred.AMFeedback;
import org.apache.hadoop.mapred.MapTaskCompletionEventsUpdate;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.apache.hadoop.mapred.TaskCompletionEvent.Status;
import org.apache.hadoop.mapred.TaskUmbilicalProtocol;

/** The application master, as far as a reduce task asks it. */
public final class Master implements InvocationHandler {
  private final List<TaskCompletionEvent> events = new ArrayList<>();

  public TaskUmbilicalProtocol umbilical() {
    return (TaskUmbilicalProtocol)
        Proxy.newProxyInstance(
            Master.class.getClassLoader(), new Class<?>[] {TaskUmbilicalProtocol.class}, this);
  }

  /** Tells whoever asks from now on. */
  public void tell(TaskAttemptID attempt, Status status) {
    events.add(
        new TaskCompletionEvent(
            events.size(), attempt, attempt.getTaskID().getId(), true, status, "nowhere"));
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) {
    return switch (method.getName()) {
      case "getMapCompletionEvents" -> {
        int from = Math.min(events.size(), (Integer) arguments[1]);
        int to = Math.min(events.size(), from + (Integer) arguments[2]);
        yield new MapTaskCompletionEventsUpdate(
            events.subList(from, to).toArray(new TaskCompletionEvent[0]), false);
      }
      case "statusUpdate" -> {
        AMFeedback feedback = new AMFeedback();
        feedback.setTaskFound(true);
        yield feedback;
      }
      default -> throw new UnsupportedOperationException(method.toString());
    };
  }
}
