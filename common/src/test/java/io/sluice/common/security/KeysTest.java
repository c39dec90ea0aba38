package io.sluice.common.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class KeysTest {
  private static final ApplicationId APPLICATION = ApplicationId.of(1, 2);
  private static final Secret SECRET = Secret.of("0123456789abcdef0123456789abcdef");
  private static final byte[] SEEN = "transcript".getBytes(StandardCharsets.UTF_8);

  /** Test case 1 of RFC 5869, whose first 32 bytes these are. */
  @Test
  void derivesAsHkdfDoes() {
    HexFormat hex = HexFormat.of();
    byte[] salt = hex.parseHex("000102030405060708090a0b0c");
    byte[] input = hex.parseHex("0b".repeat(22));
    String info = new String(hex.parseHex("f0f1f2f3f4f5f6f7f8f9"), StandardCharsets.ISO_8859_1);
    // The label is text, so the RFC's info cannot be given; its case 3 has none.
    assertThat(Digests.hkdf(input, new byte[0], ""))
        .isEqualTo(
            hex.parseHex("8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"));
    assertThat(Digests.hkdf(input, salt, info)).hasSize(32);
  }

  @Test
  void aVerifierAcceptsTheProofOfItsKeysOnly() {
    Keys keys = Keys.ofApplication(APPLICATION, SECRET);
    Keys others = Keys.ofApplication(ApplicationId.of(1, 3), SECRET);
    Verifier verifier = keys.verifier();

    assertThat(verifier.accepts(keys.proof(SEEN), SEEN)).isTrue();
    assertThat(verifier.accepts(keys.proof(SEEN), new byte[] {1})).isFalse();
    assertThat(verifier.accepts(others.proof(SEEN), SEEN)).isFalse();
    assertThat(verifier.accepts(new byte[31], SEEN)).isFalse();
    assertThat(keys.isServerProof(verifier.serverProof(SEEN), SEEN)).isTrue();
    assertThat(keys.isServerProof(others.verifier().serverProof(SEEN), SEEN)).isFalse();
    assertThat(verifier.acceptsControlKey(keys.controlKey())).isTrue();
    assertThat(verifier.acceptsControlKey(others.controlKey())).isFalse();
  }

  @Test
  void aVerifierHoldsNoKeyThatProves() {
    Keys keys = Keys.ofApplication(APPLICATION, SECRET);
    byte[] stored = keys.verifier().encode();
    HexFormat hex = HexFormat.of();
    assertThat(hex.formatHex(stored)).doesNotContain(hex.formatHex(keys.controlKey()));
    // With the stored key alone, the best guess at a proof is the mask without the client key.
    byte[] storedKey = java.util.Arrays.copyOf(stored, 32);
    byte[] guess = Digests.xor(storedKey, Digests.hmac(storedKey, SEEN));
    assertThat(keys.verifier().accepts(guess, SEEN)).isFalse();
  }

  @Test
  void aVerifierSurvivesItsEncoding() {
    Verifier verifier = Keys.ofApplication(APPLICATION, SECRET).verifier();
    Verifier read = Verifier.decode(verifier.encode());
    assertThat(read).isEqualTo(verifier).hasSameHashCodeAs(verifier);
    assertThatThrownBy(() -> Verifier.decode(new byte[95]))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void nothingPrintsAKey() {
    assertThat(SECRET).hasToString("Secret");
    Keys keys = Keys.ofApplication(APPLICATION, SECRET);
    assertThat(keys).hasToString("Keys");
    assertThat(keys.verifier()).hasToString("Verifier");
  }

  @Test
  void randomSecretsAreLongEnoughAndDiffer() {
    String one = Secret.random();
    assertThat(one).hasSize(64).isNotEqualTo(Secret.random());
    assertThat(Secret.derive(one, "a", "label"))
        .hasSize(64)
        .isEqualTo(Secret.derive(one, "a", "label"))
        .isNotEqualTo(Secret.derive(one, "b", "label"))
        .isNotEqualTo(Secret.derive(one, "a", "other"));
  }

  @Test
  void shortSecretsAreRefused() {
    assertThatThrownBy(() -> Secret.of("short"))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION);
              assertThat(e).hasMessageNotContaining("short");
            });
  }

  @Test
  void aClusterKeyIsReplacedByAddingMovingAndRemoving(@TempDir Path dir) throws IOException {
    String older = Secret.random();
    String newer = Secret.random();
    ClusterKey before = read(dir, older);
    ClusterKey added = read(dir, "# from the first of May", older, "", newer);
    ClusterKey moved = read(dir, newer, older);
    ClusterKey after = read(dir, newer);

    for (List<ClusterKey> together :
        List.of(List.of(before, added), List.of(added, moved), List.of(moved, after))) {
      for (ClusterKey one : together) {
        for (ClusterKey other : together) {
          assertThat(one.acceptsControlKey(other.own().controlKey())).isTrue();
        }
      }
    }
    assertThat(after.acceptsControlKey(before.own().controlKey())).isFalse();
  }

  private static ClusterKey read(Path dir, String... lines) throws IOException {
    return ClusterKey.read(Files.write(dir.resolve("cluster.key"), List.of(lines)));
  }

  @Test
  void aClusterKeyThatCannotBeUsedIsNamed(@TempDir Path dir) throws IOException {
    assertThatThrownBy(() -> ClusterKey.read(dir.resolve("none")))
        .hasMessageContaining(dir.resolve("none").toString());
    assertThatThrownBy(() -> read(dir, "# nothing but a comment"))
        .hasMessageContaining("0 cluster keys");
    assertThatThrownBy(() -> read(dir, "short"))
        .hasMessageContaining("cluster.key")
        .hasMessageContaining("at least 32");
  }
}
