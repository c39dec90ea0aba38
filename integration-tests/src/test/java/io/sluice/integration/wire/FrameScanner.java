package io.sluice.integration.wire;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Follows one direction of a connection, frame by frame, as docs/protocol.md lays them out. One
 * thread's.
 */
final class FrameScanner {
  private static final int MAGIC_LENGTH = 8;
  private static final int HEADER_LENGTH = 16;
  private static final int OPEN = 0x10;
  private static final int PUSH = 0x12;
  private static final int FETCH = 0x20;
  private static final int DATA = 0x28;
  private static final int STREAM_END = 0x29;
  private static final int STREAM_FAILED = 0x2A;
  // Of OPEN, up to the generation.
  private static final int NAMING_LENGTH = 24;

  private final Names names;
  private final Supplier<Flip> orders;
  private final ByteBuffer header = ByteBuffer.allocate(HEADER_LENGTH);
  private final ByteBuffer naming = ByteBuffer.allocate(NAMING_LENGTH);
  private final Map<Long, BlockScanner> pieces = new HashMap<>();
  private int magicLeft = MAGIC_LENGTH;
  private int bodyLeft;
  private @Nullable BlockScanner blocks;

  FrameScanner(Names names, Supplier<Flip> orders) {
    this.names = names;
    this.orders = orders;
  }

  /** Looks at bytes that go by, and changes one of them if that was ordered. */
  void pass(byte[] bytes, int length) {
    int at = Math.min(magicLeft, length);
    magicLeft -= at;
    while (at < length) {
      if (header.hasRemaining()) {
        int taken = Math.min(header.remaining(), length - at);
        header.put(bytes, at, taken);
        at += taken;
        if (!header.hasRemaining()) {
          begin();
        }
      } else {
        int taken = Math.min(bodyLeft, length - at);
        body(bytes, at, taken);
        at += taken;
        bodyLeft -= taken;
      }
      if (!header.hasRemaining() && bodyLeft == 0) {
        end();
        header.clear();
      }
    }
  }

  private void begin() {
    bodyLeft = header.getInt(0);
    switch (type()) {
      case OPEN -> naming.clear();
      case PUSH -> blocks = new BlockScanner(Way.PUSH, names.ofHandle(subject()), orders);
      case FETCH -> names.stream(subject(), argument());
      case DATA -> {
        long stream = subject();
        blocks =
            pieces.computeIfAbsent(
                stream << 32 | argument(),
                key -> new BlockScanner(Way.FETCH, names.ofStream(subject()), orders));
      }
      default -> {}
    }
  }

  private void body(byte[] bytes, int at, int count) {
    BlockScanner current = blocks;
    if (current != null) {
      current.pass(bytes, at, at + count);
    } else if (type() == OPEN) {
      naming.put(bytes, at, Math.min(count, naming.remaining()));
    }
  }

  private void end() {
    switch (type()) {
      case OPEN -> {
        ApplicationId application = ApplicationId.of(naming.getLong(0), naming.getLong(8));
        names.handle(subject(), new ShuffleKey(application, naming.getInt(16), naming.getInt(20)));
      }
      case PUSH -> requireWhole(Objects.requireNonNull(blocks));
      case STREAM_END -> {
        pieces.forEach((key, scanner) -> requireWhole(isOfSubject(key) ? scanner : null));
        pieces.keySet().removeIf(this::isOfSubject);
      }
      case STREAM_FAILED -> pieces.keySet().removeIf(this::isOfSubject);
      default -> {}
    }
    blocks = null;
  }

  private boolean isOfSubject(long piece) {
    return piece >>> 32 == subject();
  }

  private static void requireWhole(@Nullable BlockScanner ended) {
    if (ended != null && !ended.isBetweenBlocks()) {
      throw new IllegalStateException("ended inside a block: " + ended);
    }
  }

  private int type() {
    return header.get(4) & 0xFF;
  }

  private int subject() {
    return header.getInt(8);
  }

  private int argument() {
    return header.getInt(12);
  }
}
