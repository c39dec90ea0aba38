package io.sluice.common.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SealedBlockTest {
  private static final int PARTITION = 3;
  private static final int MAP = 5;
  private static final int CODEC = 1;
  private static final long ATTEMPT = 1L << 40 | 7;

  private final Random random = new Random(17);
  private final BlockKeys keys = BlockKeys.of(bytes(16));
  private final BlockEncryption encryption = keys.encryption(ATTEMPT);

  @ParameterizedTest
  @ValueSource(ints = {16, 24, 32})
  void whatWasSealedComesBackWithKeysOfEveryLength(int keyBytes) {
    BlockKeys these = BlockKeys.of(bytes(keyBytes));
    BlockEncryption sealing = these.encryption(ATTEMPT);
    BlockDecryption opening = these.decryption();
    for (int length : new int[] {0, 1, 15, 16, 17, 4095, 262_144}) {
      byte[] plain = bytes(length);
      ByteBuffer stored = ByteBuffer.allocateDirect(length + SealedBlock.OVERHEAD);
      ByteBuffer source = ByteBuffer.allocateDirect(length).put(plain).flip();
      sealing.seal(source, stored, PARTITION, MAP, length, CODEC);
      assertThat(stored.hasRemaining()).isFalse();
      assertThat(source.hasRemaining()).isFalse();

      assertThat(open(opening, stored.flip(), ATTEMPT, PARTITION, MAP, length, CODEC))
          .isEqualTo(plain);
    }
  }

  @Test
  void sealedBytesShowNothingOfThePlainOnesAndNeverRepeat() {
    byte[] plain = new byte[64];
    Set<ByteBuffer> seen = new HashSet<>();
    for (int i = 0; i < 1_000; i++) {
      byte[] stored = sealed(plain);
      assertThat(seen.add(ByteBuffer.wrap(Arrays.copyOf(stored, SealedBlock.NONCE_BYTES))))
          .as("nonce")
          .isTrue();
      assertThat(seen.add(ByteBuffer.wrap(Arrays.copyOfRange(stored, 12, 12 + 64))))
          .as("text")
          .isTrue();
    }
    // The same attempt once more, as if an engine had handed out its number twice.
    byte[] other = new byte[64 + SealedBlock.OVERHEAD];
    keys.encryption(ATTEMPT)
        .seal(ByteBuffer.wrap(plain), ByteBuffer.wrap(other), PARTITION, MAP, 64, CODEC);
    assertThat(seen).doesNotContain(ByteBuffer.wrap(Arrays.copyOf(other, 12)));
  }

  @Test
  void everyChangedByteIsFound() {
    byte[] stored = sealed(bytes(100));
    BlockDecryption opening = keys.decryption();
    for (int i = 0; i < stored.length; i++) {
      byte[] changed = stored.clone();
      changed[i] ^= (byte) (1 + random.nextInt(255));
      assertCorrupt(opening, changed, ATTEMPT, PARTITION, MAP, 100, CODEC);
    }
    for (int length = 0; length < stored.length; length++) {
      byte[] cut = Arrays.copyOf(stored, length);
      assertCorrupt(opening, cut, ATTEMPT, PARTITION, MAP, 100, CODEC);
    }
    assertThat(open(opening, ByteBuffer.wrap(stored), ATTEMPT, PARTITION, MAP, 100, CODEC))
        .hasSize(100);
  }

  @Test
  void aBlockOfAnotherPlaceIsNotTakenForThisOne() {
    byte[] stored = sealed(bytes(100));
    BlockDecryption opening = keys.decryption();
    assertCorrupt(opening, stored, ATTEMPT + 1, PARTITION, MAP, 100, CODEC);
    assertCorrupt(opening, stored, ATTEMPT, PARTITION + 1, MAP, 100, CODEC);
    assertCorrupt(opening, stored, ATTEMPT, PARTITION, MAP + 1, 100, CODEC);
    assertCorrupt(opening, stored, ATTEMPT, PARTITION, MAP, 101, CODEC);
    assertCorrupt(opening, stored, ATTEMPT, PARTITION, MAP, 100, 0);
    BlockDecryption stranger = BlockKeys.of(bytes(16)).decryption();
    assertCorrupt(stranger, stored, ATTEMPT, PARTITION, MAP, 100, CODEC);
  }

  @Test
  void blocksOfMoreAttemptsThanKeysAreKeptCanBeRead() {
    byte[][] stored = new byte[600][];
    for (int i = 0; i < stored.length; i++) {
      stored[i] = new byte[4 + SealedBlock.OVERHEAD];
      ByteBuffer plain = ByteBuffer.allocate(4).putInt(i).flip();
      keys.encryption(i).seal(plain, ByteBuffer.wrap(stored[i]), 0, i, 4, 0);
    }
    BlockDecryption opening = keys.decryption();
    for (int n = 0; n < 3_000; n++) {
      int i = random.nextInt(stored.length);
      byte[] plain = open(opening, ByteBuffer.wrap(stored[i]), i, 0, i, 4, 0);
      assertThat(ByteBuffer.wrap(plain).getInt()).isEqualTo(i);
    }
  }

  @Test
  void keysHaveALengthThatAesKnowsAndAreNotPrinted() {
    assertThatThrownBy(() -> BlockKeys.of(bytes(17)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("136 bits");
    assertThat(keys).hasToString("BlockKeys");
  }

  private byte[] sealed(byte[] plain) {
    byte[] stored = new byte[plain.length + SealedBlock.OVERHEAD];
    encryption.seal(
        ByteBuffer.wrap(plain), ByteBuffer.wrap(stored), PARTITION, MAP, plain.length, CODEC);
    return stored;
  }

  private static byte[] open(
      BlockDecryption opening,
      ByteBuffer stored,
      long attempt,
      int partition,
      int map,
      int rawLength,
      int codec) {
    ByteBuffer plain = ByteBuffer.allocate(stored.remaining() - SealedBlock.OVERHEAD);
    opening.open(stored, plain, attempt, partition, map, rawLength, codec);
    assertThat(plain.hasRemaining()).isFalse();
    return plain.array();
  }

  private static void assertCorrupt(
      BlockDecryption opening,
      byte[] stored,
      long attempt,
      int partition,
      int map,
      int rawLength,
      int codec) {
    ByteBuffer plain = ByteBuffer.allocate(stored.length);
    assertThatThrownBy(
            () ->
                opening.open(
                    ByteBuffer.wrap(stored), plain, attempt, partition, map, rawLength, codec))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_BLOCK));
  }

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }
}
