package io.sluice.integration.wire;

import io.sluice.common.id.ShuffleKey;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which shuffle the handles and streams of a connection stand for. Both directions share it; what
 * the client says about a stream passes before the server answers on it.
 */
final class Names {
  private final Map<Integer, ShuffleKey> handles = new ConcurrentHashMap<>();
  private final Map<Integer, ShuffleKey> streams = new ConcurrentHashMap<>();

  void handle(int handle, ShuffleKey shuffle) {
    handles.put(handle, shuffle);
  }

  void stream(int stream, int handle) {
    streams.put(stream, ofHandle(handle));
  }

  ShuffleKey ofHandle(int handle) {
    return known(handles, handle, "handle");
  }

  ShuffleKey ofStream(int stream) {
    return known(streams, stream, "stream");
  }

  private static ShuffleKey known(Map<Integer, ShuffleKey> keys, int number, String what) {
    ShuffleKey key = keys.get(number);
    if (key == null) {
      throw new IllegalStateException(what + " " + number + " was never opened");
    }
    return key;
  }
}
