package io.sluice.client.connection;

import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.ClientLink;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The handles open on one connection. A handle is opened when it is first needed and stays open for
 * the next user; when there are many, the one unused for longest is released. On the event loop
 * only.
 */
final class HandleTable {
  // An executor reads few shuffles and writes one at a time; servers allow many more than this.
  private static final int KEPT = 256;

  private final Map<Key, Handle> handles = new LinkedHashMap<>(16, 0.75f, true);
  private int next;

  /** The handle of a shuffle, opened if need be; to be {@link Handle#release released} again. */
  Handle acquire(ShuffleKey shuffle, long incarnation, ClientLink link) {
    Key key = new Key(shuffle, incarnation);
    Handle handle = handles.get(key);
    if (handle == null) {
      if (handles.size() >= KEPT) {
        releaseOldest(link);
      }
      handle = new Handle(next++);
      handles.put(key, handle);
      link.open(handle.number, shuffle, incarnation);
    }
    handle.users++;
    return handle;
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
  void clear() {
    handles.clear();
    next = 0;
  }

  /** An open handle and how many use it. */
  static final class Handle {
    private final int number;
    private int users;

    private Handle(int number) {
      this.number = number;
    }

    int number() {
      return number;
    }

    void release() {
      users--;
    }
  }

  private static final class Key {
    private final ShuffleKey shuffle;
    private final long incarnation;

    Key(ShuffleKey shuffle, long incarnation) {
      this.shuffle = shuffle;
      this.incarnation = incarnation;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Key
          && ((Key) other).incarnation == incarnation
          && ((Key) other).shuffle.equals(shuffle);
    }

    @Override
    public int hashCode() {
      return shuffle.hashCode() * 31 + Long.hashCode(incarnation);
    }
  }
}
