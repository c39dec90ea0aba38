package io.sluice.transport.push;

import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.ClientLink;
import io.sluice.transport.ReplicaMember;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The handles open on one connection. A handle is opened when it is first needed and stays open for
 * the next user; when there are many, the one unused for longest is released. A shuffle can need
 * many of them: one for each set of servers that forward its blocks. On the event loop only.
 */
public final class HandleTable {
  // As many as stay open unused.
  private static final int KEPT = 256;

  private final Map<Key, Handle> handles = new LinkedHashMap<>(16, 0.75f, true);
  private int next;

  /** The handle of a shuffle whose blocks go no further; see the other method. */
  public @Nullable Handle acquire(ShuffleKey shuffle, long incarnation, ClientLink link) {
    return acquire(shuffle, incarnation, List.of(), link);
  }

  /**
   * The handle of a shuffle, opened if need be; to be {@link Handle#release released} again.
   *
   * @param others whom the server forwards blocks to
   * @return null if as many as the server allows are in use: there will be one when a user of one
   *     of them has released it
   */
  public @Nullable Handle acquire(
      ShuffleKey shuffle, long incarnation, List<ReplicaMember> others, ClientLink link) {
    Key key = new Key(shuffle, incarnation, others);
    Handle handle = handles.get(key);
    if (handle == null) {
      if (handles.size() >= Math.min(KEPT, link.maxHandles())) {
        releaseOldest(link);
      }
      if (handles.size() >= link.maxHandles()) {
        return null;
      }
      handle = new Handle(next++);
      handles.put(key, handle);
      link.open(handle.number, shuffle, incarnation, others);
    }
    handle.users++;
    return handle;
  }

  /** Whether no handle was ever opened on the connection: the server does not know who asks. */
  public boolean isEmpty() {
    return handles.isEmpty();
  }

  private void releaseOldest(ClientLink link) {
    for (Iterator<Handle> all = handles.values().iterator(); all.hasNext(); ) {
      Handle handle = all.next();
      if (handle.users == 0) {
        all.remove();
        link.release(handle.number);
        return;
      }
    }
  }

  /** The connection is gone, and its handles with it. */
  public void clear() {
    handles.clear();
    next = 0;
  }

  /** An open handle and how many use it. */
  public static final class Handle {
    private final int number;
    private int users;

    private Handle(int number) {
      this.number = number;
    }

    public int number() {
      return number;
    }

    public void release() {
      users--;
    }
  }

  private static final class Key {
    private final ShuffleKey shuffle;
    private final long incarnation;
    private final List<ReplicaMember> others;

    Key(ShuffleKey shuffle, long incarnation, List<ReplicaMember> others) {
      this.shuffle = shuffle;
      this.incarnation = incarnation;
      this.others = others;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Key
          && ((Key) other).incarnation == incarnation
          && ((Key) other).shuffle.equals(shuffle)
          && ((Key) other).others.equals(others);
    }

    @Override
    public int hashCode() {
      return shuffle.hashCode() * 31 + Long.hashCode(incarnation);
    }
  }
}
