package io.sluice.server.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DamagedPushesTest {
  private static final ShuffleKey SHUFFLE = new ShuffleKey(ApplicationId.of(1, 2), 3, 0);

  private final List<String> lines = new ArrayList<>();
  private final DamagedPushes damaged = new DamagedPushes("10.0.0.7:41822", lines::add);

  @Test
  void namesTheBlockAndWhoSentIt() {
    damaged.tell(SHUFFLE, () -> "partition 7");

    assertThat(lines)
        .singleElement()
        .asString()
        .contains("CORRUPT_BLOCK", SHUFFLE.toString(), "partition 7", "10.0.0.7:41822");
  }

  @Test
  void saysOnceThatItSaysNoMore() {
    for (int i = 0; i < 10 * DamagedPushes.MAX_TOLD; i++) {
      boolean toldNoMore = lines.size() > DamagedPushes.MAX_TOLD;
      damaged.tell(
          SHUFFLE,
          () -> {
            assertThat(toldNoMore).as("named for nobody").isFalse();
            return "partition 7";
          });
    }

    assertThat(lines).hasSize(DamagedPushes.MAX_TOLD + 1);
    assertThat(lines.subList(0, DamagedPushes.MAX_TOLD)).allMatch(line -> line.contains(" 7,"));
    assertThat(lines.get(DamagedPushes.MAX_TOLD)).contains("no more", "10.0.0.7:41822");
  }
}
