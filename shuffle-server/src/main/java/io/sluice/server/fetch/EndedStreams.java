package io.sluice.server.fetch;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the streams of a connection were of that ended last, for readers that find damage in what
 * they have received: a few for each task of a process, whose connection this is, while it decodes.
 * On the connection's event loop.
 */
final class EndedStreams {
  private static final int MAX = 512;

  private final Map<Integer, FetchedRange> ranges = new LinkedHashMap<>();

  void add(FetchStream stream) {
    // An id that was in use before counts as the last.
    ranges.remove(stream.id());
    ranges.put(stream.id(), stream.range());
    if (ranges.size() > MAX) {
      ranges.remove(ranges.keySet().iterator().next());
    }
  }

  /** Null if it is long ago, or never was. */
  @Nullable FetchedRange range(int stream) {
    return ranges.get(stream);
  }
}
