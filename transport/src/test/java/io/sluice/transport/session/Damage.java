package io.sluice.transport.session;

import io.sluice.transport.TransportLimits;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;

/** Spoils bytes the ways a bug, a bad cable or an enemy would. */
final class Damage {
  private static final int[] HOSTILE = {
    0,
    1,
    -1,
    15,
    16,
    17,
    39,
    40,
    255,
    1 << 16,
    1 << 24,
    1 << 28,
    Integer.MAX_VALUE,
    Integer.MIN_VALUE,
    TransportLimits.MAX_PUSH_BYTES,
    TransportLimits.MAX_PUSH_BYTES + 1
  };

  private Damage() {}

  static byte[] to(byte[] bytes, Random random) {
    int at = random.nextInt(bytes.length);
    switch (random.nextInt(5)) {
      case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
      case 1 -> {
        return Arrays.copyOf(bytes, Math.max(1, at));
      }
      case 2 -> {
        if (at + 4 <= bytes.length) {
          ByteBuffer.wrap(bytes).putInt(at, HOSTILE[random.nextInt(HOSTILE.length)]);
        }
      }
      case 3 -> {
        byte[] junk = new byte[1 + random.nextInt(40)];
        random.nextBytes(junk);
        return Rig.join(
            Arrays.copyOf(bytes, at), junk, Arrays.copyOfRange(bytes, at, bytes.length));
      }
      default -> {
        int end = Math.min(bytes.length, at + random.nextInt(200));
        return Rig.join(bytes, Arrays.copyOfRange(bytes, at, end));
      }
    }
    return bytes;
  }
}
