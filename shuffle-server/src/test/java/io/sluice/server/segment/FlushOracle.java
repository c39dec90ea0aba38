package io.sluice.server.segment;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a store said it had written, in a file that outlives the process: a line of its own, given
 * to the kernel when the store has called back and not before. Thread-safe.
 */
final class FlushOracle {
  private final FileChannel file;
  private final Map<Integer, Set<Flushed>> flushed = new HashMap<>();
  private final Set<Integer> removed = new HashSet<>();

  /** One extent that was said to be on the disk. */
  record Flushed(int partition, long segment, long offset, int length) {
    static Flushed of(Extent extent) {
      return new Flushed(extent.partition(), extent.segment(), extent.offset(), extent.length());
    }
  }

  private FlushOracle(FileChannel file) {
    this.file = file;
  }

  static FlushOracle open(Path path) throws IOException {
    String text = Files.exists(path) ? Files.readString(path) : "";
    // The last line may have been cut by a kill: then nobody was told of it.
    int whole = text.lastIndexOf('\n') + 1;
    FlushOracle oracle =
        new FlushOracle(
            FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE));
    text.substring(0, whole).lines().forEach(oracle::replay);
    oracle.file.truncate(text.substring(0, whole).getBytes(StandardCharsets.UTF_8).length);
    oracle.file.position(oracle.file.size());
    return oracle;
  }

  private void replay(String line) {
    String[] words = line.split(" ");
    int shuffle = Integer.parseInt(words[1]);
    if (words[0].equals("removing")) {
      flushed.remove(shuffle);
      removed.add(shuffle);
    }
    // A write under way may end after the removal that hides it.
    if (removed.contains(shuffle)) {
      return;
    }
    for (int i = 2; i < words.length; i += 4) {
      flushed
          .computeIfAbsent(shuffle, any -> new HashSet<>())
          .add(
              new Flushed(
                  Integer.parseInt(words[i]),
                  Long.parseLong(words[i + 1]),
                  Long.parseLong(words[i + 2]),
                  Integer.parseInt(words[i + 3])));
    }
  }

  synchronized void flushed(int shuffle, List<Extent> extents) {
    StringBuilder line = new StringBuilder("flushed ").append(shuffle);
    for (Extent extent : extents) {
      line.append(' ').append(extent.partition()).append(' ').append(extent.segment());
      line.append(' ').append(extent.offset()).append(' ').append(extent.length());
    }
    append(line.append('\n').toString());
  }

  /** Before a shuffle is removed: from here on it may be there or not. */
  synchronized void removing(int shuffle) {
    append("removing " + shuffle + "\n");
  }

  private void append(String line) {
    ByteBuffer bytes = ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8));
    try {
      while (bytes.hasRemaining()) {
        file.write(bytes);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Shuffles that something was flushed for and that were not removed, as of opening. */
  synchronized Set<Integer> live() {
    return Set.copyOf(flushed.keySet());
  }

  synchronized Set<Flushed> of(int shuffle) {
    return flushed.getOrDefault(shuffle, Set.of());
  }

  synchronized int removed() {
    return removed.size();
  }
}
