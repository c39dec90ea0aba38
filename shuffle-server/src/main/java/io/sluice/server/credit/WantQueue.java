package io.sluice.server.credit;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Waiting WANTs: round-robin over applications, first come first served within one. Not
 * thread-safe.
 *
 * @param <W> a want
 */
final class WantQueue<W> {
  // In order of turns: the first application is served next.
  private final Map<Object, ArrayDeque<W>> byApplication = new LinkedHashMap<>();
  private int size;

  int size() {
    return size;
  }

  boolean isEmpty() {
    return size == 0;
  }

  void add(Object application, W want) {
    byApplication.computeIfAbsent(application, a -> new ArrayDeque<>()).add(want);
    size++;
  }

  /** The want whose turn it is, or null. */
  @Nullable W peek() {
    Iterator<ArrayDeque<W>> turns = byApplication.values().iterator();
    return turns.hasNext() ? turns.next().peek() : null;
  }

  /** Takes the want whose turn it is; its application goes to the back. */
  W poll() {
    Iterator<Map.Entry<Object, ArrayDeque<W>>> turns = byApplication.entrySet().iterator();
    Map.Entry<Object, ArrayDeque<W>> turn = turns.next();
    turns.remove();
    W want = turn.getValue().remove();
    size--;
    if (!turn.getValue().isEmpty()) {
      byApplication.put(turn.getKey(), turn.getValue());
    }
    return want;
  }

  /** Takes a want out of turn; false if it is not waiting. */
  boolean remove(Object application, W want) {
    ArrayDeque<W> wants = byApplication.get(application);
    if (wants == null || !wants.remove(want)) {
      return false;
    }
    size--;
    if (wants.isEmpty()) {
      byApplication.remove(application);
    }
    return true;
  }

  /** Takes all wants that a test accepts out of turn, and lists them. */
  List<W> removeIf(Predicate<W> test) {
    List<W> removed = new ArrayList<>();
    for (ArrayDeque<W> wants : byApplication.values()) {
      wants.removeIf(want -> test.test(want) && removed.add(want));
    }
    byApplication.values().removeIf(ArrayDeque::isEmpty);
    size -= removed.size();
    return removed;
  }
}
