package io.sluice.server.fair;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What waits for a turn: fair between applications by weight, fair between the connections of each,
 * first come first served within a connection. O(log n) for whatever is done. Not thread-safe.
 *
 * @param <C> a connection
 * @param <W> what one wants
 */
public final class TurnQueue<C, W> {
  private final StartTimeQueue<Object> turns = new StartTimeQueue<>();
  // Those with a want that waits.
  private final Map<Object, Application<C, W>> applications = new LinkedHashMap<>();
  private int size;

  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return size == 0;
  }

  public void add(Object application, C connection, W want) {
    Application<C, W> waiting = applications.get(application);
    if (waiting == null) {
      waiting = new Application<>();
      applications.put(application, waiting);
      turns.enter(application);
    }
    waiting.add(connection, want);
    size++;
  }

  /** The want whose turn it is, or null. */
  public @Nullable W peek() {
    Object application = turns.peek();
    return application == null ? null : applications(application).peek();
  }

  /** Whether the application whose turn it is has had less than its share. */
  public boolean headIsBehind() {
    return turns.headIsBehind();
  }

  /**
   * Takes the want whose turn it is.
   *
   * @param bytes that it is granted
   * @param weight of its application: with twice the weight, it gets twice as much
   */
  public W poll(long bytes, double weight) {
    Object application = turns.peek();
    if (application == null) {
      throw new IllegalStateException("nobody waits");
    }
    Application<C, W> waiting = applications(application);
    W want = waiting.poll(bytes);
    size--;
    turns.serve(bytes / weight);
    if (waiting.isEmpty()) {
      applications.remove(application);
    } else {
      turns.enter(application);
    }
    return want;
  }

  /** Part of what an application was granted came back unused, with the weight it has. */
  public void giveBack(Object application, long bytes, double weight) {
    turns.giveBack(application, bytes / weight);
  }

  /** Takes a want out of turn; false if it is not waiting. */
  public boolean remove(Object application, C connection, W want) {
    Application<C, W> waiting = applications.get(application);
    if (waiting == null || !waiting.remove(connection, want)) {
      return false;
    }
    size--;
    if (waiting.isEmpty()) {
      applications.remove(application);
      turns.leave(application);
    }
    return true;
  }

  /** What waits, application by application: a copy. */
  public List<W> all() {
    List<W> all = new ArrayList<>(size);
    applications.values().forEach(waiting -> waiting.addAllTo(all));
    return all;
  }

  /** Takes all wants out of turn. */
  public List<W> removeAll() {
    List<W> removed = new ArrayList<>(size);
    applications.forEach(
        (application, waiting) -> {
          waiting.addAllTo(removed);
          turns.leave(application);
        });
    applications.clear();
    size = 0;
    return removed;
  }

  private Application<C, W> applications(Object application) {
    Application<C, W> waiting = applications.get(application);
    if (waiting == null) {
      throw new IllegalStateException("nothing waits of " + application);
    }
    return waiting;
  }

  /** What waits of one application. */
  private static final class Application<C, W> {
    private final StartTimeQueue<C> turns = new StartTimeQueue<>();
    private final Map<C, ArrayDeque<W>> lines = new LinkedHashMap<>();

    boolean isEmpty() {
      return lines.isEmpty();
    }

    void add(C connection, W want) {
      ArrayDeque<W> line = lines.get(connection);
      if (line == null) {
        line = new ArrayDeque<>(1);
        lines.put(connection, line);
        turns.enter(connection);
      }
      line.add(want);
    }

    @Nullable W peek() {
      C next = turns.peek();
      ArrayDeque<W> line = next == null ? null : lines.get(next);
      return line == null ? null : line.peek();
    }

    W poll(long bytes) {
      C next = turns.peek();
      ArrayDeque<W> line = next == null ? null : lines.get(next);
      if (next == null || line == null) {
        throw new IllegalStateException("nothing waits");
      }
      W want = line.remove();
      turns.serve((double) bytes);
      if (line.isEmpty()) {
        lines.remove(next);
      } else {
        turns.enter(next);
      }
      return want;
    }

    boolean remove(C connection, W want) {
      ArrayDeque<W> line = lines.get(connection);
      if (line == null || !line.remove(want)) {
        return false;
      }
      if (line.isEmpty()) {
        lines.remove(connection);
        turns.leave(connection);
      }
      return true;
    }

    void addAllTo(List<W> wants) {
      lines.values().forEach(wants::addAll);
    }
  }
}
